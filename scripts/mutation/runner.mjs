// A Stryker plugin: runs tap tests in Stryker's own process. For each mutant the sources and the tests are loaded anew, so
// that nothing is left from the mutant before; packages and generated code are loaded once. Starting a process for each
// mutant takes many times as long as its tests.
import { readFileSync } from "node:fs"
import { registerHooks, stripTypeScriptTypes } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { determineHitLimitReached, toMutantRunResult } from "@stryker-mutator/api/test-runner"

/** Read by the sources that Stryker has instrumented. */
const stryker = (globalThis["__stryker__"] ??= {})

/** Number of the loading: part of each module's address. */
let loading = 0

/** Number of the test file: each has a root test of its own. */
let fileNumber = 0

/** The root test of the file that is loaded, as the tests import it. */
export let root

const sources = new Map()

/** True once a test was left before its end: what it changed in this process, such as a clock, stays changed. */
let isSpoilt = false

class InProcessRunner {
  static inject = ["options"]
  #files
  #Test
  #order = new RunOrder()

  constructor({ inProcess }) {
    this.#files = inProcess.testFiles
  }

  capabilities() {
    return { reloadEnvironment: true }
  }

  async init() {
    this.#Test = await importTest()
    const folder = pathToFileURL(`${process.cwd()}/`).href
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier === "tap" && isReloaded(context.parentURL ?? ""))
          return { url: `${TAP}${fileNumber}`, shortCircuit: true }
        const resolved = next(specifier, context)
        return isReloaded(resolved.url)
          ? { ...resolved, url: `${resolved.url}?loading=${loading}` }
          : resolved
      },
      load(url, context, next) {
        if (url.startsWith(TAP)) return { format: "module", source: ROOT_TEST, shortCircuit: true }
        if (!isReloaded(url) || !/\.ts\?/.test(url)) return next(url, context)
        return { format: "module", source: sourceOf(fileURLToPath(url)), shortCircuit: true }
      },
    })
    const isReloaded = (url) => url.startsWith(folder) && !/\/node_modules\/|\/proto\/gen\//.test(url)
  }

  async dryRun({ coverageAnalysis }) {
    stryker.activeMutant = undefined
    const tests = await this.#run(undefined, false)
    // Stryker uses coverage that it did not ask for: no test would be run for what threads alone reach.
    const coverage = coverageAnalysis === "off" ? {} : { mutantCoverage: stryker.mutantCoverage }
    return { status: "complete", tests, ...coverage }
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
    // Stryker starts another process and runs the mutant there.
    if (isSpoilt) process.exit(1)
    Object.assign(stryker, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit && 0 })
    // Threads and processes that tests start read it there.
    process.env["__STRYKER_ACTIVE_MUTANT__"] = activeMutant.id
    const tests = await this.#run(testFilter, !disableBail)
    const result = determineHitLimitReached(stryker.hitCount, hitLimit)
    stryker.activeMutant = undefined
    delete process.env["__STRYKER_ACTIVE_MUTANT__"]
    return toMutantRunResult(result ?? { status: "complete", tests })
  }

  /** Runs the selected tests, one after another. With `bail` it ends at the first that fails. */
  async #run(filter, bail) {
    const results = []
    loading += 1
    const files = this.#files.filter((file) => filter?.some((id) => id.startsWith(`${file}: `)) ?? true)
    for (const file of bail ? this.#order.sorted(files) : files) {
      const startMs = performance.now()
      const own = await this.#runFile(file, filter, bail)
      results.push(...own)
      const isNoticed = own.some(({ status }) => status === FAILED)
      this.#order.learn(file, isNoticed, performance.now() - startMs)
      if (isNoticed && bail) break
    }
    return results
  }

  async #runFile(file, filter, bail) {
    const results = []
    fileNumber += 1
    const found = new Map()
    // Processes run the same tests at the same time, each in directories of its own.
    const testdir = join(process.cwd(), `.tap/fixtures/${process.pid}-${fileNumber}`)
    root = new this.#Test({ name: file, testdir })
    root.resume()
    const runTest = root.test.bind(root)
    root.test = (title, ...how) => void found.set(`${file}: ${found.size + 1} ${title}`, { title, how })
    stryker.currentTestId = undefined
    try {
      await import(pathToFileURL(join(process.cwd(), file)).href)
      const ids = [...found.keys()].filter((id) => filter?.includes(id) ?? true)
      for (const id of bail ? this.#order.sorted(ids) : ids) {
        const { title, how } = found.get(id)
        const startMs = performance.now()
        stryker.currentTestId = id
        const ok = await unlessIdle(runTest(title, ...how))
        stryker.currentTestId = undefined
        const timeMs = performance.now() - startMs
        this.#order.learn(id, !ok, timeMs)
        results.push(resultOf(id, ok, timeMs))
        if (!ok && bail) break
      }
    } catch (error) {
      results.push(resultOf(`${file}: 0`, false, 0, String(error)))
    } finally {
      root.end()
    }
    return results
  }
}

const POLL_MS = 200

/** Polls of an idle event loop before a test counts as failed. */
const MAX_IDLE_POLLS = 40

/** Computation of an idle process between two polls, microseconds. */
const MAX_IDLE_MICROS = 4000

/**
 * The test's result; false once neither the event loop nor a thread has anything more to do: the test waits for what
 * never comes. On a busy machine the loop is late, not idle.
 */
async function unlessIdle(test) {
  let timer
  const idle = new Promise((resolve) => {
    let polls = 0
    let loop = performance.eventLoopUtilization()
    let cpu = process.cpuUsage()
    timer = setInterval(() => {
      const { utilization } = performance.eventLoopUtilization(loop)
      const { user, system } = process.cpuUsage(cpu)
      loop = performance.eventLoopUtilization()
      cpu = process.cpuUsage()
      polls = utilization < 0.02 && user + system < MAX_IDLE_MICROS ? polls + 1 : 0
      if (polls < MAX_IDLE_POLLS) return
      isSpoilt = true
      resolve({ ok: false })
    }, POLL_MS)
  })
  const { ok } = await Promise.race([test, idle])
  clearInterval(timer)
  return ok
}

/**
 * The order of files, and of the tests of one: those first that noticed the latest mutants in the least time. The next
 * mutant is most often one of the same place.
 */
class RunOrder {
  #known = new Map()

  sorted(names) {
    return names.toSorted((one, other) => this.#rank(other) - this.#rank(one))
  }

  learn(name, isNoticed, timeMs) {
    const noticed = this.#known.get(name)?.noticed ?? 0
    this.#known.set(name, { noticed: noticed * 0.8 + (isNoticed ? 1 : 0), timeMs })
  }

  #rank(name) {
    const { noticed, timeMs } = this.#known.get(name) ?? { noticed: 0, timeMs: 500 }
    return (noticed + 0.1) / (timeMs + 20)
  }
}

/** tap announces itself to its parent process and lets go of the channel; here the parent is Stryker. */
async function importTest() {
  const send = process.send?.bind(process)
  process.send = undefined
  const { Test } = await import("tap")
  process.send = send
  process.channel?.ref()
  return Test
}

/** Stryker's status of a test that noticed the mutant. */
const FAILED = 1

const TAP = "mutation:tap?"

const ROOT_TEST = `export { root as default } from ${JSON.stringify(import.meta.url)}`

const resultOf = (id, ok, timeSpentMs, failureMessage = "the test failed") => ({
  id,
  name: id,
  timeSpentMs,
  ...(ok ? { status: 0 } : { status: FAILED, failureMessage }),
})

/** The source without its types. */
function sourceOf(file) {
  if (!sources.has(file)) sources.set(file, stripTypeScriptTypes(readFileSync(file, "utf8")))
  return sources.get(file)
}

export const strykerValidationSchema = {
  properties: {
    inProcess: { properties: { testFiles: { type: "array", items: { type: "string" } } }, type: "object" },
  },
}

export const strykerPlugins = [{ kind: "TestRunner", name: "in-process", injectableClass: InProcessRunner }]

// Runs several test files in one process, one after the other, each as a subtest with its path for a title. In these files,
// and in the modules that they import, `tap` is the subtest of the file that runs. A file that leaves the process changed
// fails. What the tested code logs in this process is shown only for a file that fails.
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import t, { type Test } from "tap"
import { takeLog } from "./kept-log.ts"
import { changesSince, processState } from "./process-state.ts"
import { ROOT } from "./run.ts"
import { COST_OF_FILES, type CostOfFile } from "./test-costs.ts"

/** Time for clean-ups behind the last file. A process that is kept longer held up all others of a run. */
const END_MS = 60_000
const SCHEME = "tap-of:"
const KEPT_LOG = new URL("kept-log.ts", import.meta.url).href
/** Modules that open standard error for a log. */
const LOG_TARGETS = /\/(?:signer\/process|services\/common)\/standard-error\.ts$/
const TEST_OF = "countersign.testOf"
const subtests = new Map<string, Test>()
let running: Test = t

/** For modules that several files share: the subtest that runs when they use it. */
const shared = new Proxy(t, {
  get(_, name) {
    const value: unknown = Reflect.get(running, name, running)
    return typeof value === "function" ? (value.bind(running) as unknown) : value
  },
})

Reflect.set(globalThis, Symbol.for(TEST_OF), (importer: string) => subtests.get(importer) ?? shared)

registerHooks({
  resolve(specifier, context, nextResolve) {
    const importer = context.parentURL
    const isTests =
      importer !== undefined && importer !== import.meta.url && !importer.includes("/node_modules/")
    if (specifier !== "tap" || !isTests) {
      const resolved = nextResolve(specifier, context)
      return LOG_TARGETS.test(resolved.url) ? { ...resolved, url: KEPT_LOG } : resolved
    }
    return { url: SCHEME + importer, shortCircuit: true }
  },
  load(url, context, nextLoad) {
    if (!url.startsWith(SCHEME)) return nextLoad(url, context)
    const importer = JSON.stringify(url.slice(SCHEME.length))
    const source = `export default globalThis[Symbol.for("${TEST_OF}")](${importer})`
    return { format: "module", source, shortCircuit: true }
  },
})

/** Runs the files, whose paths are relative to the project's folder. */
export async function runTests(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const before = processState()
    const costOfFile = Reflect.get(globalThis, Symbol.for(COST_OF_FILES)) as CostOfFile | undefined
    const recordCost = costOfFile?.(file)
    let hasPassed = false
    await t.test(file, async (subtest) => {
      subtest.teardown(() => (hasPassed = subtest.passing()))
      // The folder that the file has when it runs alone.
      subtest.testdirName = join(ROOT, ".tap", "fixtures", file.replaceAll(/[^\w.-]+/g, "-"))
      const { href } = pathToFileURL(join(ROOT, file))
      subtests.set(href, subtest)
      running = subtest
      await import(href)
    })
    recordCost?.()
    const log = takeLog()
    if (!hasPassed) process.stderr.write(log)
    for (const name of changesSince(before))
      t.fail(
        `${file} leaves another ${name}: restore it, or name the file in scripts/test-groups.ts as one that runs alone`,
      )
  }
  setTimeout(() => {
    console.error(`these keep a process of tests from ending: ${process.getActiveResourcesInfo().join(", ")}`)
    process.exit(1)
  }, END_MS).unref()
}

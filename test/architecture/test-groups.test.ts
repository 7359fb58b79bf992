// Groups of test files in one process: every file runs, and a fault in one is reported under its name.
import { spawnSync } from "node:child_process"
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import t from "tap"
import { ROOT } from "../../scripts/run.ts"
import { GROUP_SIZE, groupedFiles, groupsOf, LONGEST, sharesProcess } from "../../scripts/test-groups.ts"
import { readCount } from "../../scripts/tap-count.ts"

const all = globSync("test/**/*.test.ts", { cwd: ROOT }).toSorted()

t.test("every test file is in one group or alone, once", async (t) => {
  const { alone, groups } = groupsOf(all)
  t.strictSame([...alone, ...groups.flat()].toSorted(), all)
  t.ok(groups.every(({ length }) => length > 0 && length <= GROUP_SIZE))
  t.ok(groups.length > 1 && groups.flat().length > alone.length, "most files share a process")
})

t.test("a file that changes its process runs alone, and so does one of another folder", async (t) => {
  t.ok(sharesProcess("test/signer/core/recently-used.test.ts"))
  t.ok(sharesProcess("test/proto/strict-json.test.ts"), "reads the environment")
  t.ok(sharesProcess("test/e2e/kill.test.ts"), "starts and kills programs")
  t.notOk(sharesProcess("test/architecture/test-groups.test.ts"), "has programs that end their process")
  t.notOk(sharesProcess("test/signer/enclave/ledger/create-ledger.test.ts"), "changes the mode of new files")
  t.notOk(sharesProcess("test/hostile/cold-shards.test.ts"), "intercepts members of an object")
  t.notOk(sharesProcess("test/judges/log.test.ts"), "its folder is in no list")
  t.ok(sharesProcess("test/e2e/http.test.ts"))
})

t.test("the longest files begin first, each in a process of its own", async (t) => {
  const handed = groupedFiles(all).toSorted((a, b) => a.localeCompare(b, "en"))
  t.ok(LONGEST.every((file) => all.includes(file) && !sharesProcess(file)))
  const texts = handed.slice(0, LONGEST.length).map((file) => readFileSync(join(ROOT, file), "utf8"))
  for (const [index, file] of LONGEST.entries())
    t.equal(texts[index], `import "../../../${file}"\n`, `${file} is number ${index + 1}`)
  t.notOk(
    LONGEST.some((file) => handed.includes(file)),
    "none begins twice",
  )
})

t.test(
  "a group reports each file's tests and faults under its name, and goes on with the next",
  async (t) => {
    const { count, results, output } = runGroup(
      t.testdir(FILES),
      Object.keys(FILES).filter((name) => name !== "helper.mjs"),
    )
    t.strictSame(results, [
      ["not ok", "fails.mjs"],
      ["not ok", "does-not-load.mjs"],
      ["not ok", "does-not-compile.mjs"],
      ["not ok", "throws-later.mjs"],
      ["not ok", "rejects-later.mjs"],
      ["ok", "waits.mjs"],
      ["ok", "shares.mjs"],
      ["ok", "changes.mjs"],
      ["ok", "logs.mjs"],
      ["not ok", "logs-and-fails.mjs"],
      ["ok", "ends.mjs"],
    ])
    t.notMatch(output, "of a file that passes", "a log is shown only for a file that fails")
    t.match(output, "of a file that fails")
    t.match(output, "the module is broken")
    t.match(output, "thrown by a timer")
    t.match(output, "rejected for nobody")
    t.match(output, /not ok .*changes\.mjs leaves another environment variable LEFT_BY_A_TEST: restore it/)
    t.match(output, /not ok .*changes\.mjs leaves another function JSON\.stringify: restore it/)
    // Passed: 1 before the failure, 2 of waits, 2 of shares, 1 of changes, 1 of logs, 1 of ends.
    t.strictSame(count, { passed: 8, failed: 8, skipped: 0 })
  },
)

t.test("a file that ends the process, or waits for nothing, fails its group", async (t) => {
  for (const [name, text] of Object.entries(ENDS)) {
    const { status, results } = runGroup(t.testdir({ [name]: text, "next.mjs": FILES["ends.mjs"] }), [
      name,
      "next.mjs",
    ])
    t.not(status, 0, name)
    t.strictSame(
      results,
      [["not ok", name]],
      `${name}: the next file did not run, and nothing says that it passed`,
    )
  }
})

const LOG = pathToFileURL(join(ROOT, "signer/process/log.ts")).href
const FILES = {
  "helper.mjs": `import t from "tap"
    export const folder = () => t.testdir()
    export const passes = () => t.pass("of the file that runs")`,
  "fails.mjs": `import t from "tap"
    t.test("one", async (t) => { t.pass(); t.equal(1, 2) })`,
  "does-not-load.mjs": `throw new Error("the module is broken")`,
  "does-not-compile.mjs": `import t from "tap"; t.test(`,
  "throws-later.mjs": `import t from "tap"
    t.test("one", () => new Promise((resolve) => setTimeout(() => {
      setImmediate(resolve)
      throw new Error("thrown by a timer")
    })))`,
  "rejects-later.mjs": `import t from "tap"
    t.test("one", () => new Promise((resolve) => setTimeout(() => {
      setImmediate(resolve)
      void Promise.reject(new Error("rejected for nobody"))
    })))`,
  "waits.mjs": `import t from "tap"
    const value = await new Promise((resolve) => setTimeout(resolve, 1, 5))
    t.equal(value, 5)
    t.test("below", (t) => { t.pass(); t.end() })`,
  "shares.mjs": `import t from "tap"
    import { folder, passes } from "./helper.mjs"
    passes()
    t.equal(t.testdirName, folder())`,
  "changes.mjs": `import t from "tap"
    process.env.LEFT_BY_A_TEST = "1"
    const { stringify } = JSON
    JSON.stringify = (...words) => stringify(...words)
    t.pass()`,
  "logs.mjs": `import t from "tap"
    import { log } from "${LOG}"
    log("info", "of a file that passes")
    t.pass()`,
  "logs-and-fails.mjs": `import t from "tap"
    import { log } from "${LOG}"
    log("info", "of a file that fails")
    t.fail()`,
  "ends.mjs": `import t from "tap"
    t.pass()
    t.end()`,
}

const ENDS = {
  "exits.mjs": `import t from "tap"
    t.test("one", async () => process.exit(0))`,
  "hangs.mjs": `import t from "tap"
    t.test("one", () => new Promise(() => undefined))`,
  "hangs-above.mjs": `import t from "tap"
    await new Promise(() => undefined)
    t.pass()`,
}

/** Runs the files of a folder as a group, and reads which passed. */
function runGroup(folder: string, names: readonly string[]) {
  const files = names.map((name) => relative(ROOT, join(folder, name)))
  const group = join(folder, "group.mjs")
  const runner = pathToFileURL(join(ROOT, "scripts/grouped-tests.ts")).href
  writeFileSync(group, `import { runTests } from "${runner}"\nawait runTests(${JSON.stringify(files)})\n`)
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("TAP"))
  const { status, stdout, stderr } = spawnSync(process.execPath, [group], {
    cwd: ROOT,
    encoding: "utf8",
    env: Object.fromEntries(environment),
  })
  const results = [...stdout.matchAll(/^(not ok|ok) \d+ - \S*\/([\w-]+\.mjs) # time=/gm)]
  return {
    status,
    output: stdout + stderr,
    count: readCount(stdout),
    results: results.map(([, result, name]) => [result, name]),
  }
}

t.test("a name that no test has is named, not a fault of the script", (t) => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/test.ts", "test/nothing.test.ts"], {
    cwd: ROOT,
    encoding: "utf8",
  })
  t.equal(status, 2)
  t.equal(
    stderr.trim(),
    "test/nothing.test.ts: no such file or folder; name test files or folders, such as test/signer",
  )
  t.end()
})

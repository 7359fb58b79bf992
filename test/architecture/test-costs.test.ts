// Processor time of test files: measured per file of a group, with that of programs.
import { spawnSync } from "node:child_process"
import { join, relative } from "node:path"
import t from "tap"
import { ROOT } from "../../scripts/run.ts"

/** Uses the processor for at least 300 ms. */
const BUSY = `const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);`

t.test("a run with --costs prints the files by processor time, programs included", async (t) => {
  const folder = t.testdir({
    "idle.test.mjs": `import t from "tap"\nt.pass()`,
    "busy.test.mjs": `import t from "tap"\n${BUSY}\nt.pass()`,
    "starts.test.mjs": `import { spawnSync } from "node:child_process"\nimport t from "tap"
      for (const _ of "12") t.equal(spawnSync(process.execPath, ["--eval", ${JSON.stringify(BUSY)}]).status, 0)`,
  })
  const files = ["idle", "busy", "starts"].map((name) => relative(ROOT, join(folder, `${name}.test.mjs`)))
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("TAP"))
  const { stdout } = spawnSync(process.execPath, [join(ROOT, "scripts/test.ts"), "--costs", ...files], {
    encoding: "utf8",
    env: Object.fromEntries(environment),
  })
  const costs = [...stdout.matchAll(/^ *(\d+\.\d) \S*\/(\w+)\.test\.mjs$/gm)].map(([, , name]) => name)
  t.match(stdout, /^Processor seconds:$/m)
  t.match(stdout, /^ *\d+\.\d in all$/m)
  t.strictSame(costs, process.platform === "linux" ? ["starts", "busy", "idle"] : ["busy", "starts", "idle"])
})

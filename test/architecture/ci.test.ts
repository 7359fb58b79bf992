// .ci/run with an npm that only says how each command ends.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import t, { type Test } from "tap"
import { ROOT } from "./sources.ts"

const GOOD = "echo '12 passed, 0 failed'"

type Commands = { ci?: string; check?: string; test: string }

/** The end of .ci/run: its status and its last line. */
function endOf(t: Test, { ci = "true", check = "true", test }: Commands) {
  const folder = mkdtempSync(join(tmpdir(), "cs-ci-"))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const npm = `#!/bin/sh\ncase "$*" in\nci) ${ci} ;;\n"run check") ${check} ;;\ntest) ${test} ;;\n*) exit 9 ;;\nesac\n`
  // A browser is there, so that none is installed.
  for (const [name, text] of [
    ["npm", npm],
    ["chromium", "#!/bin/sh\n"],
  ] as const) {
    writeFileSync(join(folder, name), text, { mode: 0o755 })
  }
  const env = { PATH: [folder, process.env["PATH"]].join(delimiter) }
  const { status, stdout } = spawnSync("bash", [join(ROOT, ".ci", "run")], { env, encoding: "utf8" })
  return { status, lastLine: stdout.trimEnd().split("\n").at(-1) }
}

t.test(".ci/run ends with the count of the tests", async (t) => {
  t.same(endOf(t, { test: GOOD }), { status: 0, lastLine: "12 passed, 0 failed" })
  const skips = "echo '2 skipped'; echo '10 passed, 0 failed'"
  t.same(endOf(t, { test: skips }), { status: 0, lastLine: "10 passed, 0 failed" })
})

t.test(".ci/run fails with the same last line when tests or the check fail", async (t) => {
  const test = "echo '11 passed, 1 failed'; echo 'npm error test' >&2; exit 1"
  t.same(endOf(t, { test }), { status: 1, lastLine: "11 passed, 1 failed" })
  t.same(endOf(t, { check: "exit 1", test: GOOD }), { status: 1, lastLine: "12 passed, 0 failed" })
})

t.test(".ci/run counts tests that could not run as a failure", async (t) => {
  const none = { status: 1, lastLine: "0 passed, 1 failed" }
  t.same(endOf(t, { ci: "exit 1", test: GOOD }), none)
  t.same(endOf(t, { test: "exit 1" }), none)
  t.same(endOf(t, { test: "true" }), none)
})

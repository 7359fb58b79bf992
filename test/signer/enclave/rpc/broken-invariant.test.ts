import { spawnSync } from "node:child_process"
import { join } from "node:path"
import t from "tap"
import { create, head, open } from "../ledger/harness.ts"

function run(program: string, ...words: string[]) {
  const file = join(import.meta.dirname, program)
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], { encoding: "utf8" })
  return { status, stdout, stderr }
}

t.test("W50: an order that meets a broken invariant ends the process, and nothing answers it", async (t) => {
  const failed = run("failing-orders.ts", '["one"]')
  t.match(failed, { status: 0, stdout: "answered\n" }, "any other fault is answered")
  const broken = run("failing-orders.ts", '["one"]', "broken")
  t.match(broken, { status: 70, stdout: "terminated BrokenInvariant\n" })
  t.match(broken.stderr, /"an order failed".*"BrokenInvariant"/, "logged before the end")
})

t.test(
  "W50: an invariant that breaks within a change ends the process before anything is written",
  async (t) => {
    const directory = t.testdir()
    await create(directory).close()
    t.match(run("../ledger/break-invariant.ts", directory), { status: 70, stdout: "written\n" })
    const ledger = open(directory)
    t.strictSame(ledger.head("one"), head(1), "what was acknowledged is there")
    t.equal(ledger.row("one#0000", "fingerprint", "broken"), undefined, "the change is not")
    await ledger.commit([{ organizationId: "one", expect: head(1), head: head(2), put: [], remove: [] }])
    t.strictSame(ledger.head("one"), head(2), "and the ledger takes changes")
    await ledger.close()
  },
)

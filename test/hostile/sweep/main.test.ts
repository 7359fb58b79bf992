import { spawnSync } from "node:child_process"
import t from "tap"
import { ROOT, TOOLS } from "../../../scripts/run.ts"
import { isLong } from "../../harness/long.ts"

const run = (...names: string[]) =>
  spawnSync("node", ["test/hostile/sweep/main.ts", ...names], { cwd: ROOT, env: TOOLS, encoding: "utf8" })

/** The short form alters some places in sweep.test.ts. */
const skip = isLong ? false : "long form: npm run test:long -- test/hostile/sweep/main.test.ts"

t.test(
  "npm run sweep alters every place of the orders it is given and prints the figures",
  { skip },
  async (t) => {
    const { status, stdout } = run("UPDATE_ORGANIZATION_NAME")
    t.equal(status, 0)
    const [, orders] = /^UPDATE_ORGANIZATION_NAME: (\d+)$/m.exec(stdout) ?? []
    t.ok(Number(orders) > 3000, `${orders} orders`)
    t.match(stdout, /^ {2}\d+ DOCUMENT_FORGED$/m)
    t.match(stdout, /^effects: none$/m)
  },
)

t.test("npm run sweep refuses the name of no order", async (t) => {
  const { status, stderr } = run("NO_SUCH_ORDER")
  t.equal(status, 2)
  t.match(stderr, /^no such order: NO_SUCH_ORDER; there are: .*CREATE_WALLET/)
})

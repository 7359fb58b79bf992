import { spawn } from "node:child_process"
import t from "tap"
import { isLong } from "../../../harness/long.ts"
import { create, head, open } from "./harness.ts"

const ROUNDS = isLong ? 6 : 2
/** Rows of one change; a thread writes over 500. */
const LONG_ROWS = 600

t.test("C1: kill -9 while committing loses nothing acknowledged", async (t) => {
  const directory = t.testdir()
  await create(directory).close()
  let total = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const acknowledged = await commitUntilKilled(directory, 40 + round * 37)
    const ledger = open(directory)
    for (const [organizationId, version] of acknowledged) {
      const current = Number(ledger.head(organizationId)?.version)
      t.ok(
        current === version || current === version + 1,
        `${organizationId}: ${version} acknowledged, ${current} kept`,
      )
      t.strictSame(ledger.head(organizationId), head(current))
      t.equal(ledger.rows(organizationId, "fingerprint").length, current)
      total += version
    }
    await ledger.close()
  }
  t.comment(`${total} acknowledged, 0 lost`)
})

t.test(
  "C1: kill -9 while a thread commits long changes loses nothing acknowledged and keeps no part of one",
  async (t) => {
    const directory = t.testdir()
    await create(directory).close()
    let total = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const acknowledged = await commitUntilKilled(directory, 2 + round, LONG_ROWS)
      const ledger = open(directory)
      for (const [organizationId, version] of acknowledged) {
        const current = Number(ledger.head(organizationId)?.version)
        t.ok(current === version || current === version + 1, `${version} acknowledged, ${current} kept`)
        t.equal(ledger.rows(organizationId, "fingerprint").length, current * LONG_ROWS)
        total += version
      }
      await ledger.close()
    }
    t.comment(`${total} acknowledged, 0 lost`)
  },
)

/** Kills the child after `lines` lines of output; returns the last acknowledged version of each organization. */
async function commitUntilKilled(directory: string, lines: number, rows = 1): Promise<Map<string, number>> {
  const script = new URL("commit-forever.ts", import.meta.url).pathname
  const child = spawn(process.execPath, [script, directory, String(rows)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
    if (printed.split("\n").length > lines) child.kill("SIGKILL")
  })
  await new Promise((resolve) => child.on("close", resolve))
  const whole = printed.slice(0, printed.lastIndexOf("\n")).split("\n")
  return new Map(whole.map((line) => line.split(" ")).map(([id = "", version]) => [id, Number(version)]))
}

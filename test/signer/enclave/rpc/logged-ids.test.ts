import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import t from "tap"

const PROGRAM = join(import.meta.dirname, "failing-orders.ts")

t.test(
  "M1: a failed order is logged with the id of its request, and with no other text of the API tier",
  async (t) => {
    const good = ["0190-a.b_C", "x".repeat(64)]
    const bad = ["", "x".repeat(65), '"}\n{"level":"info"', "\u001b[2Jgone", "a b", "ä"]
    const { stderr } = await promisify(execFile)(process.execPath, [
      PROGRAM,
      JSON.stringify([...good, ...bad]),
    ])
    const lines = stderr
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { message: string; requestId?: string })
    t.equal(lines.length, good.length + bad.length)
    t.ok(lines.every(({ message }) => message === "an order failed"))
    t.same(
      lines.flatMap(({ requestId }) => requestId ?? []),
      good,
    )
  },
)

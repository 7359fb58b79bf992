// A process that appends and signs is killed at any moment: no head that left it is contradicted, and each loss shows in a start leaf.
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { readLeaf } from "../../../../signer/core/log/leaf.ts"
import { isLong } from "../../../harness/long.ts"
import { patienceMs } from "../../../harness/patience.ts"
import { TestLog } from "../../../harness/signer-log.ts"

const KILLS = Number(process.env["TEST_KILLS"] ?? (isLong ? 1000 : 8))
const WRITER = join(import.meta.dirname, "../../../harness/log-writer.ts")

/** Runs the writer and kills it; returns its first line and the checkpoints that it printed. */
async function killedRun(directory: string, state: string): Promise<{ start: string; heads: string[] }> {
  const child = spawn(process.execPath, [WRITER, directory, state], { stdio: ["ignore", "pipe", "inherit"] })
  const lines: string[] = []
  const isOver = new Promise((resolve) => child.on("close", resolve))
  const begun = new Promise<void>((resolve) =>
    createInterface(child.stdout).on("line", (line) => {
      lines.push(line)
      resolve()
    }),
  )
  await Promise.race([begun, isOver])
  await pause(randomInt(400))
  child.kill("SIGKILL")
  await isOver
  const [start = "", ...heads] = lines
  return { start, heads }
}

t.test(
  `W75: ${KILLS} kills: no false halt, no fork, each loss a signed gap`,
  { timeout: patienceMs(KILLS * 10_000) },
  async (t) => {
    const folder = t.testdir()
    const [directory, state] = [join(folder, "log"), join(folder, "sequence")]
    const heads: string[] = []
    let starts = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const run = await killedRun(directory, state)
      if (run.start !== "start whole") t.fail(`a false halt: ${run.start}`)
      starts += 1
      heads.push(...run.heads)
    }
    const sequence = BigInt(readFileSync(state, "utf8"))
    const log = new TestLog(directory, { sequence, digest: Buffer.alloc(32, Number(sequence % 256n)) })
    t.equal(log.code, undefined)
    for (const head of heads) log.log.signed.show(Buffer.from(head, "base64"))
    t.equal(log.code, undefined, `${heads.length} heads left the processes, and the log has all of them`)
    const kinds: string[] = []
    for (let at = 0; at < log.log.signed.size; at += 256)
      for (const leaf of log.log.signed.leaves(at, at + 256)) kinds.push(readLeaf(leaf)?.kind ?? "unreadable")
    t.notOk(kinds.includes("unreadable"))
    t.equal(
      kinds.filter((kind) => kind === "start").length,
      starts + 1,
      "each start is in the log, and signed",
    )
    const gaps = kinds.filter((kind, at) => kind === "start" && at > 0 && kinds[at - 1] !== "stop").length
    t.equal(gaps, starts, "each start after a kill says that leaves may be missing before it")
    await log.log.close()
    t.equal(
      new TestLog(directory, log.ledger).log.signed.leaves(log.log.signed.size - 1, log.log.signed.size)
        .length,
      1,
    )
  },
)

import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import type { Secret } from "../../../core/crypto/secret.ts"
import { damaged } from "../refusals.ts"
import { ledgerFiles, makeDirectory, syncDirectory } from "../files.ts"
import type { Ledger, LedgerPosition } from "../ledger.ts"
import { LANES, type LaneState } from "../lanes.ts"
import { LedgerMac } from "../mac.ts"
import { Witness } from "../witness.ts"
import type { CopyOrder, CopyProgress } from "./copy-thread.ts"

type CopiedLanes = LedgerPosition["lanes"]

export type LedgerCopyParts = {
  ledger: Pick<Ledger, "position">
  /** The ledger's key, which makes the witness of the copy. */
  key: Secret
  /** Directory of the ledger, which this process has open. */
  directory: string
  /** Directory of the copy, which does not exist. */
  target: string
  /** Called once the moment of the copy is fixed: its lanes. */
  onBegun: (lanes: CopiedLanes) => void
  /** Called after each step, with the part that is done, 0 to 1. */
  onProgress: (done: number) => void
  /** Ends the copy. */
  signal: AbortSignal
}

/**
 * Copies the database and its witness at one moment, while others write. A thread copies some pages at a time; no commit waits for
 * it, and the write-ahead log grows until it is done. Rows are copied as they are: who opens the copy verifies them.
 * @throws LEDGER_DAMAGED when the file's lanes are none that this process wrote; SQLite's error, for example of a full disk
 */
export async function copyLedger(parts: LedgerCopyParts): Promise<void> {
  const { ledger, directory, target, onBegun, onProgress, signal } = parts
  makeDirectory(target)
  const before = ledger.position()
  const data: CopyOrder = { database: ledgerFiles(directory).database, target: ledgerFiles(target).database }
  const thread = new Worker(new URL("copy-thread.ts", import.meta.url), { workerData: data })
  const stop = () => void thread.terminate()
  signal.addEventListener("abort", stop)
  let lanes: CopiedLanes | undefined
  let fault: unknown
  thread.on("message", (progress: CopyProgress) => {
    if (progress.is === "copied") return onProgress(progress.of === 0 ? 0 : progress.pages / progress.of)
    lanes = progress.lanes
    onBegun(lanes)
  })
  thread.on("error", (error) => (fault = error))
  try {
    await once(thread, "exit")
  } finally {
    signal.removeEventListener("abort", stop)
  }
  signal.throwIfAborted()
  if (fault !== undefined) throw fault
  if (lanes === undefined) throw new Error("the copying thread ended without a copy")
  await untilPublished(ledger, lanes)
  requireBetween(lanes, before, ledger.position())
  writeWitness(lanes, before.identity, parts)
  syncDirectory(target)
}

/** Another thread writes long transactions: this one learns of them after their commit. */
async function untilPublished({ position }: LedgerCopyParts["ledger"], lanes: CopiedLanes): Promise<void> {
  const isAhead = () => position().lanes.some(({ sequence }, at) => sequence < (lanes[at]?.sequence ?? 0n))
  for (let tries = 0; isAhead() && tries < 100; tries++) await pause(10)
}

/** The thread read the file; this process knows where it was before and after. */
function requireBetween(lanes: CopiedLanes, before: LedgerPosition, after: LedgerPosition): void {
  const isBetween = LANES.every((number) => {
    const [from, copied, to] = [before.lanes[number]!, lanes[number], after.lanes[number]!]
    return copied !== undefined && copied.sequence >= from.sequence && copied.sequence <= to.sequence
  })
  if (!isBetween || lanes.length !== LANES.length)
    throw damaged("the lanes in the ledger's file are not its own")
}

function writeWitness(lanes: CopiedLanes, identity: Uint8Array, { key, target }: LedgerCopyParts): void {
  const authenticator = key.use((bytes) => new LedgerMac(bytes, identity))
  const witness = new Witness(ledgerFiles(target).witness, "wx", authenticator)
  const unused = { floorMs: 0, quietUntilMs: 0, shards: 0, sum: 0n }
  witness.write(lanes.map((lane): LaneState => ({ ...lane, ...unused })))
  witness.close()
}

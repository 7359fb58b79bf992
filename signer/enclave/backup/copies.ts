import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { readLeaf } from "../../core/log/leaf.ts"
import { Refusal, refuse } from "../../core/refusal.ts"
import type { Secret } from "../../core/crypto/secret.ts"
import { log } from "../../process/log.ts"
import { copyLedger } from "../ledger/sqlite/copy-ledger.ts"
import { isDiskFull } from "../ledger/sqlite/fault.ts"
import { diskOf, sizeOf } from "../ledger/files.ts"
import type { Ledger, LedgerPosition } from "../ledger/ledger.ts"
import { copyFormerLogs, copyLog } from "../log/copy-log.ts"
import type { DecisionLog } from "../log/decision-log.ts"
import { logDirectory } from "../log/log-files.ts"
import type { LoggedState } from "../log/recovery.ts"

/** A copy of ledger and log at one moment, as the signer states it. */
export type LedgerCopy = {
  readonly directory: string
  readonly madeAtMs: number
  readonly position: LedgerPosition
  readonly state: LoggedState
  /** Signed head of the copied log. */
  readonly head: Uint8Array
}

export type CopiesParts = {
  ledger: Pick<Ledger, "position" | "stateDigest">
  log: Pick<DecisionLog, "signed" | "act">
  key: Secret
  ledgerDirectory: string
  nowMs: () => number
  monotonicMs: () => number
  /** Aborts when the signer ends. */
  stopping: AbortSignal
}

type Copying = {
  readonly backupId: string
  readonly directory: string
  readonly abort: AbortController
  /** Monotonic time of the command's latest call. */
  seenAtMs: number
  progress: number
  done: LedgerCopy | undefined
  fault: Refusal | undefined
}

/** A command that has not called for so long is gone. */
const COMMAND_GONE_MS = 60_000

/** A command removes the copy when it ends, also by a fault; one that was killed calls no more. */
function isAbandoned({ done, directory, seenAtMs }: Copying, nowMs: number): boolean {
  return nowMs - seenAtMs >= COMMAND_GONE_MS || (done !== undefined && !existsSync(directory))
}

/** Room on the disk beside the copy itself: the write-ahead log grows meanwhile. */
const SPARE_BYTES = 256n * 1024n * 1024n

/** The copies that backups are made of. There is one at a time, and none survives a start. */
export class LedgerCopies {
  readonly #parts: CopiesParts
  readonly #root: string
  #current: Copying | undefined

  constructor(parts: CopiesParts) {
    this.#parts = parts
    // No name that an operator would give a copy of their own: the folder is removed at each start.
    this.#root = `${parts.ledgerDirectory}.backup-in-progress`
    rmSync(this.#root, { recursive: true, force: true })
  }

  /**
   * Begins the copy of a backup, or tells how far it is. The command calls again until it has what it needs.
   * @throws LEDGER_FULL, BACKUP_BUSY while another backup is made
   */
  copy(backupId: string): { progress: number; copy: LedgerCopy | undefined } {
    const nowMs = this.#parts.monotonicMs()
    if (this.#current?.backupId !== backupId) {
      if (this.#current !== undefined && !isAbandoned(this.#current, nowMs))
        throw refuse(
          "BACKUP_BUSY",
          "another backup is being made. Wait for its end, or a minute after its command was stopped",
        )
      this.#begin(backupId)
    }
    const current = this.#current!
    current.seenAtMs = nowMs
    const { fault, progress, done } = current
    if (fault === undefined) return { progress, copy: done }
    this.end(backupId)
    throw fault
  }

  /** The finished copy of a backup. @throws REQUEST_INVALID */
  finished(backupId: string): LedgerCopy {
    const { backupId: known, done } = this.#current ?? {}
    if (known === backupId && done !== undefined) return done
    throw invalid("there is no copy of the ledger for this backup. Begin it again")
  }

  /** Removes the copy of a backup. */
  end(backupId: string): void {
    if (this.#current?.backupId !== backupId) return
    this.#current.abort.abort()
    rmSync(this.#root, { recursive: true, force: true })
    this.#current = undefined
  }

  #begin(backupId: string): void {
    if (this.#current !== undefined) this.end(this.#current.backupId)
    rmSync(this.#root, { recursive: true, force: true })
    const { ledgerDirectory, stopping, monotonicMs } = this.#parts
    const needed = BigInt(sizeOf(ledgerDirectory)) + SPARE_BYTES
    if (diskOf(ledgerDirectory).free < needed) throw noRoom()
    const copying: Copying = {
      backupId,
      directory: join(this.#root, backupId),
      abort: new AbortController(),
      seenAtMs: monotonicMs(),
      progress: 0,
      done: undefined,
      fault: undefined,
    }
    this.#current = copying
    const signal = AbortSignal.any([stopping, copying.abort.signal])
    void this.#run(copying, signal).catch((error: unknown) => {
      rmSync(copying.directory, { recursive: true, force: true })
      if (!signal.aborted) copying.fault = faultOf(error)
    })
  }

  async #run(copying: Copying, signal: AbortSignal): Promise<void> {
    const { ledger, log: decisionLog, key, ledgerDirectory: directory, nowMs } = this.#parts
    const { directory: target } = copying
    const { signed } = decisionLog
    const before = this.#state()
    let begun: Pick<LedgerCopy, "madeAtMs" | "position"> | undefined
    await copyLedger({
      ledger,
      key,
      directory,
      target,
      signal,
      onBegun: (lanes) =>
        (begun = { madeAtMs: nowMs(), position: { identity: ledger.position().identity, lanes } }),
      onProgress: (done) => (copying.progress = done),
    })
    const { madeAtMs, position } = begun!
    await signed.sign()
    signal.throwIfAborted()
    const { size, state } = endOfCopy(signed, before, sumOf(position))
    const head = signed.headAt(size)
    await copyLog(logDirectory(directory), logDirectory(target), { size, head })
    await copyFormerLogs(logDirectory(directory), target)
    signal.throwIfAborted()
    copying.done = { directory: target, madeAtMs, position, state, head }
  }

  #state(): LoggedState {
    const { ledger } = this.#parts
    return { sequence: sumOf(ledger.position()), digest: ledger.stateDigest() }
  }
}

const sumOf = ({ lanes }: LedgerPosition): bigint => lanes.reduce((sum, { sequence }) => sum + sequence, 0n)

const LEAVES_AT_ONCE = 256

/**
 * The copied log ends before the first leaf of a later transaction. The digest of the copied state is that of its transaction's leaf, or
 * the one before the copy if there was none since.
 */
function endOfCopy(
  signedLog: DecisionLog["signed"],
  before: LoggedState,
  sequence: bigint,
): { size: number; state: LoggedState } {
  let size = signedLog.signed?.size ?? 0
  let digest = before.sequence === sequence ? before.digest : undefined
  for (let to = size; to > 0; to -= LEAVES_AT_ONCE) {
    const from = Math.max(0, to - LEAVES_AT_ONCE)
    const read = signedLog.leaves(from, to).map(readLeaf)
    for (let at = read.length - 1; at >= 0; at--) {
      const leaf = read[at]
      if (leaf === undefined) continue
      if (leaf.sequence > sequence) size = from + at
      else if (leaf.sequence === sequence && leaf.kind === "transaction") digest ??= leaf.value
      if (digest !== undefined && leaf.sequence <= sequence) return { size, state: { sequence, digest } }
    }
  }
  throw new Error("the log has no leaf of the copied ledger's last transaction")
}

function faultOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isDiskFull(error) || isNoSpace(error)) return noRoom()
  log("error", "the ledger could not be copied", {
    reason: error instanceof Error ? error.message : String(error),
  })
  return refuse("INTERNAL", "the ledger could not be copied; the signer's log says why", { cause: error })
}

const isNoSpace = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT")

const noRoom = () =>
  refuse(
    "LEDGER_FULL",
    "the disk has no room for a copy of the ledger; the signer goes on, and nothing was copied",
  )

const invalid = (sentence: string) => refuse("REQUEST_INVALID", sentence, { field: "backupId" })

import { randomFillSync } from "node:crypto"
import {
  commitmentOf,
  type DecisionStatement,
  logOrigin,
  type LogLeaf,
  SALT_BYTES,
  VALUE_BYTES,
  writeDecision,
} from "../../core/log/leaf.ts"
import { holderActValue, holdersValue, witnessesValue } from "../../core/log/holder-leaves.ts"
import { writeLogReceipt } from "../../core/log/receipt.ts"
import type { NoteSigner } from "../../core/log/note-key.ts"
import { isEqual } from "../../core/log/proofs.ts"
import { refuse } from "../../core/refusal.ts"
import { DecisionCounts } from "./decision-counts.ts"
import { AUDIT_INTERVAL, lastAuditLeaf, storedCounts } from "./last-leaves.ts"
import { isNoSpace, makeLogDirectory, readEra } from "./log-files.ts"
import { KeptReceipts } from "./kept-receipts.ts"
import type { Contradiction, LoggedState } from "./recovery.ts"
import { SignedLog } from "./signed-log.ts"
import { NO_WITNESSES, type WitnessPolicy, Witnesses } from "./witnesses.ts"

export type DecisionLogParts = {
  directory: string
  deploymentId: string
  /** The organizations' lane of the ledger, which the origin names. */
  lane: number
  /** Signs for an origin. */
  signerOf: (origin: string) => NoteSigner
  /** The ledger's present state, read at start. */
  ledger: () => LoggedState
  /** Unix time in milliseconds of leaves without a decision. */
  nowMs: () => number
  /** Digest of the holders who approve acts; undefined: none are enrolled. */
  holdersDigest?: Uint8Array | undefined
  /** Digest of the witnesses, where the sealed seed names them; undefined: it does not. */
  witnessesDigest?: Uint8Array | undefined
  /** Absent: there is no audit stream. */
  audit?: BoundStream | undefined
  /** Absent: none is asked. */
  witnesses?: WitnessPolicy
  /** Monotonic milliseconds. */
  monotonicMs?: () => number
  /** Organizations that are counted at most; absent: as many as the memory's bound allows. */
  mostCounted?: number | undefined
  terminate: (error: unknown) => void
  onContradiction: (contradiction: Contradiction) => void
}

/** The audit stream, whose latest record leaves of the log bind. */
export type BoundStream = {
  /** Digest of the latest record; undefined: there is none. */
  head(): Uint8Array | undefined
  /** Looks for the record that the log bound last. */
  compare(bound: Uint8Array): void
}

/** The log's words about an organization, which a signed statement carries. */
export type DecisionCount = {
  readonly origin: string
  readonly startIndex: number
  /** Decisions of the organization since that start. */
  readonly decisions: number
}

const SALTS = 128

const NOTHING = new Uint8Array(0)

/** Value of a stop after which decisions are counted anew. */
const NO_COUNTS = new Uint8Array(VALUE_BYTES)

/**
 * The deployment's log as the rest of the signer sees it: what happened becomes a leaf. No call waits for the disk. After a
 * contradiction leaves are dropped, because nothing is signed any more.
 */
export class DecisionLog {
  readonly #parts: DecisionLogParts
  #log: SignedLog
  #witnesses: Witnesses
  /** Index of the leaf of this start. */
  #startIndex = 0
  #counts = new DecisionCounts(0)
  #era = 0
  #sequence = 0n
  #salts = Buffer.alloc(SALTS * SALT_BYTES)
  #usedSalts = SALTS
  /** What the latest leaf of kind audit binds. */
  #bound: Uint8Array = NOTHING
  #sinceBound = 0
  /** Undefined: the log has ended in a contradiction. */
  #receipts: KeptReceipts | undefined

  constructor(parts: DecisionLogParts) {
    this.#parts = parts
    this.#witnesses = this.#newWitnesses()
    this.#log = this.#open("")
  }

  /** The log under this deployment's key. */
  get signed(): SignedLog {
    return this.#log
  }

  get contradiction(): Contradiction | undefined {
    return this.#log.contradiction
  }

  /** What witnesses cosigned of this log since its start. */
  get witnesses(): Witnesses {
    return this.#witnesses
  }

  /** True once enough witnesses cosigned a checkpoint that covers this start: its leaf is random, so no older one does. */
  get isWitnessed(): boolean {
    return this.#witnesses.size > this.#startIndex
  }

  /**
   * Compares a checkpoint that someone kept, and counts what witnesses replied to it.
   * @returns names of the witnesses that count
   * @throws CHECKPOINT_INVALID
   */
  show(note: Uint8Array, replies: readonly Uint8Array[], reports: readonly string[]): string[] {
    const shown = this.#log.show(note)
    if (replies.length > 0 || reports.length > 0) this.#witnesses.report(reports)
    return shown === undefined ? [] : this.#witnesses.accept(shown, replies, this.#log.size)
  }

  /** Records a transaction of the ledger, after its sync. */
  transaction({ sequence, digest }: LoggedState): void {
    this.#sequence = sequence
    this.#append("transaction", digest)
  }

  /** Records a decision of an activity, once it holds. Returns its receipt; empty: the log has ended in a contradiction. */
  decide(decision: Omit<DecisionStatement, "counter" | "startIndex">): Uint8Array {
    if (this.contradiction !== undefined) return NOTHING
    const { organizationId, decidedAtMs, status } = decision
    if (this.#counts.isFullFor(organizationId, this.#parts.mostCounted)) this.#countAnew()
    const counter = this.#counts.next(organizationId)
    const { startIndex } = this.#counts
    const statement = { ...decision, counter, startIndex }
    const salt = this.#nextSalt()
    const index = this.#append("decision", () => commitmentOf(salt, writeDecision(statement)), decidedAtMs)
    const { lane } = this.#parts
    return writeLogReceipt({ status, lane, era: this.#era, startIndex, counter, index, salt })
  }

  /** Keeps the receipt of an outcome that may be asked for again, as long as others have not taken its place. */
  keepReceipt(voteId: string, receipt: Uint8Array): void {
    this.#receipts?.set(voteId, receipt)
  }

  /** The receipt of a kept outcome; empty: a crash lost it, or it is too long ago. */
  receiptOf(voteId: string): Uint8Array {
    return this.#receipts?.get(voteId) ?? NOTHING
  }

  /**
   * Records an act of the operator: its name and random bytes, hashed. `text`: the text that holders approved, which is hashed alone, so
   * that each of them finds it.
   */
  act(name: string, text?: Uint8Array): void {
    const value =
      text === undefined ? commitmentOf(this.#nextSalt(), Buffer.from(name)) : holderActValue(text)
    this.#append("operator", value)
  }

  /** Binds the audit stream's latest record, if no leaf does yet. */
  bindAudit(): void {
    const head = this.#parts.audit?.head()
    if (this.contradiction === undefined && head !== undefined && !isEqual(head, this.#bound))
      this.#bind(head)
  }

  /** Binds the audit stream, makes new leaves durable and signs their checkpoint. */
  sign(): Promise<void> {
    this.bindAudit()
    return this.#log.sign()
  }

  /** Index of the last signed leaf that binds the audit stream; undefined: none of those that may does. */
  get auditIndex(): number | undefined {
    return lastAuditLeaf(this.#log, this.#log.signed?.size ?? 0)?.index
  }

  count(organizationId: string): DecisionCount {
    const decisions = this.#counts.of(organizationId)
    return { origin: this.#log.origin, startIndex: this.#counts.startIndex, decisions }
  }

  /**
   * Ends the log and begins another one under a new origin: its checkpoints cannot contradict those that were signed. The operator gave
   * up what the signed heads covered. The era is the ledger's epoch.
   */
  async beginEra(epoch: number): Promise<void> {
    const era = String(epoch)
    while (this.#log.signing !== undefined) await this.#log.signing
    this.#log.giveUp(era)
    this.#log = this.#open(era)
  }

  /** Records the stop, signs what there is and closes the files. */
  async close(): Promise<void> {
    this.bindAudit()
    if (this.contradiction === undefined) this.#append("stop", this.#storeCounts())
    await this.#log.close()
  }

  /** @throws LEDGER_FULL */
  #open(newEra: string): SignedLog {
    try {
      return this.#openFiles(newEra)
    } catch (cause) {
      if (!isNoSpace(cause)) throw cause
      const sentence =
        "the disk of the signer's ledger has no room for its log; make room and start the signer again"
      throw refuse("LEDGER_FULL", sentence, { cause })
    }
  }

  /** Opens the log and records a start: 32 random bytes that no earlier cosignature can cover. @param newEra of a new log */
  #openFiles(newEra: string): SignedLog {
    const { directory, deploymentId, lane, signerOf, terminate, onContradiction } = this.#parts
    const ledger = this.#parts.ledger()
    this.#sequence = ledger.sequence
    makeLogDirectory(directory, newEra)
    const era = readEra(directory)
    this.#era = Number(era)
    const signer = signerOf(logOrigin(deploymentId, lane, era))
    const log = new SignedLog({ directory, signer, ledger, terminate, onContradiction })
    this.#log = log
    this.#witnesses = this.#newWitnesses()
    if (log.contradiction !== undefined) onContradiction(log.contradiction)
    else this.#begin(log)
    return log
  }

  /** Records the start. After a fault the files are closed. */
  #begin(log: SignedLog): void {
    const { directory } = this.#parts
    try {
      const counts = storedCounts(log, directory)
      this.#receipts = new KeptReceipts(directory, { era: this.#era, size: log.size })
      const bound = lastAuditLeaf(log, log.size)?.value
      this.#startIndex = this.#append("start", this.#nextSalt())
      this.#counts = counts ?? new DecisionCounts(this.#startIndex)
      this.#nameDeciders()
      this.#openAudit(bound)
      log.signNow()
    } catch (error) {
      log.abandon()
      throw error
    }
  }

  /** Names holders and witnesses, whom acts over the sealed file may have changed since the last start. */
  #nameDeciders(): void {
    const { holdersDigest, witnessesDigest } = this.#parts
    if (holdersDigest !== undefined) this.#append("operator", holdersValue(holdersDigest))
    if (witnessesDigest !== undefined) this.#append("operator", witnessesValue(witnessesDigest))
  }

  /** @param bound what an earlier start bound last */
  #openAudit(bound: Uint8Array | undefined): void {
    if (bound !== undefined) this.#parts.audit?.compare(bound)
    this.#bound = NOTHING
    this.bindAudit()
  }

  #bind(head: Uint8Array): void {
    this.#bound = head
    this.#sinceBound = 0
    this.#append("audit", head)
  }

  #newWitnesses(): Witnesses {
    const { witnesses = NO_WITNESSES, monotonicMs = () => performance.now() } = this.#parts
    return new Witnesses(witnesses, monotonicMs)
  }

  /**
   * Begins to count anew, with a stop and a start as if the signer had been stopped: memory is bounded, and no count that was dropped goes
   * on under another number.
   */
  #countAnew(): void {
    this.#append("stop", NO_COUNTS)
    this.#counts = new DecisionCounts(this.#append("start", this.#nextSalt()))
  }

  /** Value of the stop's leaf. With a full disk the next start counts anew. */
  #storeCounts(): Uint8Array {
    try {
      return this.#counts.store(this.#parts.directory)
    } catch (error) {
      if (isNoSpace(error)) return NO_COUNTS
      throw error
    }
  }

  #append(
    kind: LogLeaf["kind"],
    value: Uint8Array | (() => Uint8Array),
    timeMs = this.#parts.nowMs(),
  ): number {
    const timeSeconds = Math.floor(timeMs / 1000)
    this.#witnesses.grown()
    this.#sinceBound += 1
    const head = this.#sinceBound < AUDIT_INTERVAL ? undefined : this.#parts.audit?.head()
    if (head !== undefined) this.#bind(head)
    return this.#log.append({ kind, timeSeconds, sequence: this.#sequence, value })
  }

  #nextSalt(): Uint8Array {
    if (this.#usedSalts === SALTS) {
      // Leaves that are not hashed yet have views of the earlier ones.
      this.#salts = randomFillSync(Buffer.alloc(SALTS * SALT_BYTES))
      this.#usedSalts = 0
    }
    const at = this.#usedSalts * SALT_BYTES
    this.#usedSalts += 1
    return this.#salts.subarray(at, at + SALT_BYTES)
  }
}

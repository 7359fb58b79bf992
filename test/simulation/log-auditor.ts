import { createHash } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { LogKeyStatementSchema } from "../../proto/gen/countersign/state/v1/log_pb.ts"
import {
  commitmentOf,
  decisionIn,
  LEAF_BYTES,
  leafHash,
  type LoggedDecision,
  type LogHead,
  readHead,
  readReceipt,
  rootOf,
} from "./log-rules.ts"
import type { SimulatedSigner } from "./simulated-signer.ts"
import type { Answered } from "./messages.ts"

type Decided = {
  receipt: string
  index: number
  /** The start of the latest process that gave the receipt. */
  start: number
  state: "given" | "in the log" | "lost"
}

/** A decision as an answer states it, and its receipt. */
type Stated = { voteId: string; decision: LoggedDecision; receipt: Uint8Array }

/**
 * Reads the signer's log as an auditor who has seen every answer: each decision is a leaf, each leaf of a decision was answered once,
 * a receipt opens its leaf, and each head continues the one before. A kill may lose what no head covers, with answers under way.
 */
export class LogAuditor {
  readonly #signer: SimulatedSigner
  readonly #votes = new Map<string, Decided>()
  readonly #commitments = new Map<string, Decided>()
  /** Numbers of decisions, by start of the count and organization. */
  readonly #counters = new Map<string, Set<number>>()
  readonly #hashes: Buffer[] = []
  #head: LogHead | undefined
  #unanswered = 0
  #unknownLeaves = 0

  constructor(signer: SimulatedSigner) {
    this.#signer = signer
  }

  get decisions(): number {
    return this.#votes.size
  }

  /** Counts an order that the process had when it ended: it may have been decided. */
  noteUnanswered(): void {
    this.#unanswered += 1
  }

  /** Notes the decision of an answer. @throws Error for a receipt that is missing or of something else */
  answered(body: Uint8Array, answer: NonNullable<Answered>): void {
    const stated = statedBy(body, answer)
    if (stated === undefined) return
    const { voteId, decision, receipt } = stated
    const earlier = this.#votes.get(voteId)
    if (receipt.length === 0) {
      // A kill lost it, with the leaf or before it was stored.
      const isLost = earlier === undefined ? this.#unanswered > 0 : earlier.start !== this.#signer.starts
      if (!isLost) throw new Error(`a decision has no receipt: vote ${voteId}`)
      return
    }
    const text = Buffer.from(receipt).toString("hex")
    if (earlier === undefined) this.#note(voteId, decision, receipt)
    else if (earlier.receipt !== text) throw new Error(`a decision has two receipts: vote ${voteId}`)
    else if (earlier.state === "lost") throw new Error(`a receipt is of a lost leaf: vote ${voteId}`)
    // A later start has compared it with the log.
    else earlier.start = this.#signer.starts
  }

  #note(voteId: string, decision: LoggedDecision, bytes: Uint8Array): void {
    const receipt = readReceipt(bytes)
    if (receipt.status !== decision.status) throw new Error(`a receipt is of another status: vote ${voteId}`)
    const { index } = receipt
    const { starts: start } = this.#signer
    const decided = {
      receipt: Buffer.from(bytes).toString("hex"),
      index,
      start,
      state: "given",
    } satisfies Decided
    const commitment = commitmentOf(decision, receipt)
    this.#votes.set(voteId, decided)
    this.#commitments.set(commitment, decided)
    const name = `${receipt.start}/${decision.organizationId}`
    const counters = this.#counters.get(name) ?? new Set()
    this.#counters.set(name, counters)
    if (counters.has(receipt.counter))
      throw new Error(`two decisions have number ${receipt.counter} of ${name}`)
    counters.add(receipt.counter)
  }

  /** Has the log signed, and compares it with all answers so far. @throws Error */
  async audit(): Promise<void> {
    const { checkpoint, keyStatement, leaves } = await this.#signer.signedLog(this.#hashes.length)
    const { publicKey } = fromBinary(LogKeyStatementSchema, keyStatement)
    const head = readHead(checkpoint, publicKey)
    if (head.origin !== (this.#head?.origin ?? head.origin)) throw new Error("the log has another origin")
    if (head.size < this.#hashes.length) throw new Error("a head has fewer leaves than the one before")
    for (let at = 0; at < leaves.length; at += LEAF_BYTES) this.#read(leaves.subarray(at, at + LEAF_BYTES))
    if (head.size !== this.#hashes.length || !head.root.equals(rootOf(this.#hashes)))
      throw new Error("a head does not continue the one before")
    this.#head = head
    this.#requireAll()
  }

  #read(leaf: Uint8Array): void {
    const index = this.#hashes.length
    this.#hashes.push(leafHash(leaf))
    const commitment = decisionIn(leaf)
    if (commitment === undefined) return
    const decided = this.#commitments.get(commitment)
    if (decided === undefined) this.#unknownLeaves += 1
    else if (decided.state === "in the log") throw new Error(`a decision is in the log twice: leaf ${index}`)
    else if (decided.index !== index) throw new Error(`a receipt names leaf ${decided.index}, not ${index}`)
    else decided.state = "in the log"
  }

  #requireAll(): void {
    for (const [commitment, decided] of this.#commitments) {
      const { index, start, state } = decided
      if (state === "in the log") continue
      if (index < this.#signer.signedAtEnd(start))
        throw new Error(`the log lacks the decision of leaf ${index}`)
      decided.state = "lost"
      this.#commitments.delete(commitment)
    }
    const missing = [...this.#counters.values()].reduce(
      (sum, counters) => sum + Math.max(...counters) - counters.size,
      0,
    )
    if (missing > this.#unanswered) throw new Error(`${missing} numbers of decisions were never answered`)
    if (this.#unknownLeaves > this.#unanswered)
      throw new Error(`${this.#unknownLeaves} leaves are decisions without an answer`)
  }
}

/** The decision of an answer; undefined: nothing was decided. */
function statedBy(body: Uint8Array, answer: NonNullable<Answered>): Stated | undefined {
  const order = {
    fingerprint: createHash("sha256").update(body).digest("hex"),
    organizationId: (JSON.parse(Buffer.from(body).toString()) as { organizationId: string }).organizationId,
  }
  const decision = answer.case === "outcome" ? answer.value.decision : answer.value.denial
  if (decision === undefined) return undefined
  const { activityId, voteId, decidedAtMs, logReceipt: receipt } = decision
  // An outcome that changed nothing is the order's own.
  const own =
    answer.case === "outcome" && answer.value.organizationId !== ""
      ? { fingerprint: hex(answer.value.activityFingerprint), organizationId: answer.value.organizationId }
      : order
  const status = answer.case === "outcome" ? answer.value.status : ActivityStatus.FAILED
  return { voteId, decision: { ...own, activityId, status, decidedAtMs }, receipt }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

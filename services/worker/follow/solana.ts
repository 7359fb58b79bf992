import { NodeRefusal } from "../../chains/json-rpc.ts"
import { type SignatureStatus, SolanaNode } from "../../chains/solana.ts"
import { changeSend, type Send, type SendChange } from "../store/sends.ts"
import { moveSend, settleSends, type UnsettledSend } from "../store/unsettled-sends.ts"
import { BaseFollower, type FollowerParts } from "./follower.ts"
import { jsonOf, solanaFailureOf, solanaMeaningOf } from "./solana-refusals.ts"

/** A transaction is handed to the node again after this time: leaders drop transactions under load. */
const REBROADCAST_MS = 2_000

/**
 * From this age on a transaction without a block height is taken for expired if its block hash is not usable any more. Before,
 * the nodes may not have it yet. Block hashes are valid for about 90 s.
 */
const UNSEEN_MS = 5 * 60_000

/** Follows transactions of one Solana chain until they are confirmed, or their block hash has expired. */
export class SolanaFollower extends BaseFollower {
  readonly #node: SolanaNode

  constructor(parts: FollowerParts) {
    super(parts)
    this.#node = new SolanaNode(parts.chain)
  }

  protected async pollState(send: Send): Promise<SendChange> {
    const status = send.broadcastMs === undefined ? undefined : await this.#node.status(send.hash)
    if (status?.confirmed) return this.#included(status)
    if (status !== undefined) return { status: "BROADCASTING" }
    if (await this.#isExpired(send)) return this.#unlessSeen(send)
    if (this.nowMs - (send.broadcastMs ?? 0) < REBROADCAST_MS) return { status: send.status }
    return this.#broadcast(send)
  }

  /** A transaction that the nodes do not know any more is gone once the chain's final slots are beyond its own. */
  protected async pollBlocks(sends: readonly UnsettledSend[]): Promise<UnsettledSend[]> {
    const { sql } = this.parts
    // Before the states: a transaction that becomes final in between is then known.
    const finalSlot = await this.#node.finalizedSlot()
    const statuses = await this.#node.statuses(sends.map(({ hash }) => hash))
    const gone: UnsettledSend[] = []
    for (const [index, send] of sends.entries()) {
      const status = statuses[index]
      if (status === undefined) {
        if (finalSlot >= send.block.number) gone.push(send)
      } else if (!status.finalized) continue
      else if (status.slot === send.block.number) await settleSends(sql, [send])
      else await moveSend(sql, send, { ...this.#included(status), unsettledAt: undefined })
    }
    return gone
  }

  #included({ slot, finalized, error }: SignatureStatus): SendChange {
    const { finality, chain } = this.parts
    const isFollowed = finality.commitment(chain.caip2) === "finalized" && !finalized
    return { ...included(error), ...(isFollowed && { unsettledAt: { number: slot } }) }
  }

  async #broadcast(send: Send): Promise<SendChange> {
    const isFirst = send.broadcastMs === undefined
    const broadcastMs = this.nowMs
    // Before the bytes leave: if the answer is lost, the next attempt is not the first one.
    if (isFirst) await changeSend(this.parts.sql, send, { status: send.status, broadcastMs })
    try {
      await this.#node.sendRaw(send.raw)
      this.countBroadcast("accepted")
      return { status: "BROADCASTING", broadcastMs }
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      const meaning = solanaMeaningOf(error)
      this.countBroadcast(meaning === "known" ? "accepted" : "refused")
      if (meaning === "known") return { status: "BROADCASTING", broadcastMs }
      // After another attempt or node a leader may have the bytes, which stay valid until they expire.
      const isUntaken = isFirst && !error.mayBeDone
      const status = meaning === "final" && isUntaken ? "FAILED" : send.status
      return { status, broadcastMs, failure: solanaFailureOf(error) }
    }
  }

  /** Only a finalized block beyond the last valid one shows that a filled block hash can never be used. */
  async #isExpired({ lastValidBlockHeight, createdMs, raw }: Send): Promise<boolean> {
    if (lastValidBlockHeight > 0n) return (await this.#node.finalizedHeight()) > lastValidBlockHeight
    if (this.nowMs - createdMs <= UNSEEN_MS) return false
    // Loaded here, because it brings the reading of transactions, which hardly any worker needs.
    const { canBeIncluded } = await import("./solana-lifetime.ts")
    return !(await canBeIncluded(raw, this.#node))
  }

  /** Asked after the expiry: the transaction may have been included in between. */
  async #unlessSeen(send: Send): Promise<SendChange> {
    const status = await this.#node.status(send.hash)
    if (status?.confirmed) return this.#included(status)
    if (status !== undefined) return { status: "BROADCASTING" }
    const message =
      "the transaction's block hash or nonce has expired before it was included; send it again with a new one"
    return { status: "FAILED", failure: { message, solana: { source: "expiry" } } }
  }
}

function included(error: unknown): SendChange {
  if (error === null) return { status: "INCLUDED" }
  const transactionErrorJson = jsonOf(error)
  const message = `the transaction was included and failed: ${transactionErrorJson}`
  return { status: "INCLUDED", failure: { message, solana: { source: "chain", transactionErrorJson } } }
}

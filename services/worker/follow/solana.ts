import { NodeRefusal, nodeText } from "../../chains/json-rpc.ts"
import { SolanaNode } from "../../chains/solana.ts"
import type { Send, SendChange, SendFailure } from "../store/sends.ts"
import { BaseFollower, type FollowerParts } from "./follower.ts"

/** A transaction is handed to the node again after this time: leaders drop transactions under load. */
const REBROADCAST_MS = 2_000

/** Without a block height a transaction that no node knows has failed after this time; block hashes live about 90 s. */
const UNSEEN_MS = 5 * 60_000

/** Log lines and their length that are kept of a simulation. */
const MAX_LOGS = 50

/** Follows transactions of one Solana chain until they are confirmed, or their block hash has expired. */
export class SolanaFollower extends BaseFollower {
  readonly #node: SolanaNode

  constructor(parts: FollowerParts) {
    super(parts)
    this.#node = new SolanaNode(parts.chain)
  }

  protected async lookAt(send: Send): Promise<SendChange> {
    const status = send.broadcastMs === undefined ? undefined : await this.#node.status(send.hash)
    if (status?.confirmed) return included(status.error)
    if (status !== undefined) return { status: "BROADCASTING" }
    if (await this.#isExpired(send)) return this.#unlessSeen(send)
    if (this.nowMs - (send.broadcastMs ?? 0) < REBROADCAST_MS) return { status: send.status }
    return this.#broadcast(send)
  }

  async #broadcast(send: Send): Promise<SendChange> {
    const broadcastMs = this.nowMs
    try {
      await this.#node.sendRaw(send.raw)
      return { status: "BROADCASTING", broadcastMs }
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error
      if (/already been processed|AlreadyProcessed/i.test(error.message))
        return { status: "BROADCASTING", broadcastMs }
      // The node may be behind the one that gave the block hash.
      const isBehind = /blockhash ?not ?found|behind|unhealthy/i.test(
        `${error.message} ${jsonOf(error.data)}`,
      )
      const failure = refusalOf(error)
      return isBehind ? { status: send.status, failure } : { status: "FAILED", failure }
    }
  }

  /** Only a finalized block beyond the last valid one shows that the transaction can never be included. */
  async #isExpired({ lastValidBlockHeight, createdMs }: Send): Promise<boolean> {
    if (lastValidBlockHeight === 0n) return this.nowMs - createdMs > UNSEEN_MS
    return (await this.#node.finalizedHeight()) > lastValidBlockHeight
  }

  /** Asked after the height: the transaction may have been included in between. */
  async #unlessSeen(send: Send): Promise<SendChange> {
    const status = await this.#node.status(send.hash)
    if (status?.confirmed) return included(status.error)
    if (status !== undefined) return { status: "BROADCASTING" }
    const message =
      "the transaction's block hash has expired before it was included; send it again with a new one"
    return { status: "FAILED", failure: { message, solana: { source: "expiry" } } }
  }
}

function included(error: unknown): SendChange {
  if (error === null) return { status: "INCLUDED" }
  const transactionErrorJson = jsonOf(error)
  const message = `the transaction was included and failed: ${transactionErrorJson}`
  return { status: "INCLUDED", failure: { message, solana: { source: "chain", transactionErrorJson } } }
}

function refusalOf({ code, message, data }: NodeRefusal): SendFailure {
  const { err, logs } = (typeof data === "object" && data !== null ? data : {}) as {
    err?: unknown
    logs?: unknown
  }
  return {
    message: `the node refused the transaction: ${message}`,
    solana: {
      source: "preflight",
      rpcCode: code,
      rpcMessage: message,
      ...(err !== undefined && { transactionErrorJson: jsonOf(err) }),
      ...(Array.isArray(logs) && { logs: logs.slice(0, MAX_LOGS).map(nodeText) }),
    },
  }
}

function jsonOf(value: unknown): string {
  return nodeText(JSON.stringify(value ?? null))
}

import type { Chain } from "../../chains/chains.ts"
import { NodeRefusal, NodeUnavailable } from "../../chains/json-rpc.ts"
import type { Logger } from "../../common/logger.ts"
import type { Metrics } from "../../common/metrics/metrics.ts"
import type { Database } from "../../database/database.ts"
import type { JobStep } from "../../database/jobs.ts"
import { changeSend, isFinal, type Send, type SendChange } from "../store/sends.ts"

/** Follows the transactions of one chain. */
export type Follower = {
  /** "ok", or what was last wrong with the chain's nodes. */
  readonly state: string
  /** Looks at one transaction: broadcasts it or asks what became of it, and writes what it found. */
  look(send: Send): Promise<JobStep>
}

export type FollowerParts = {
  sql: Database
  log: Logger
  metrics?: Metrics | undefined
  chain: Chain
  confirmations: number
  now?: () => number
}

/** The part that all followers share: the state of their chain, and the jobs around each read of it. */
export abstract class BaseFollower implements Follower {
  protected readonly parts: FollowerParts
  #state = "ok"

  constructor(parts: FollowerParts) {
    this.parts = parts
  }

  get state(): string {
    return this.#state
  }

  protected get nowMs(): number {
    return (this.parts.now ?? Date.now)()
  }

  async look(send: Send): Promise<JobStep> {
    const change = await this.#lookOrFault(send)
    await changeSend(this.parts.sql, send, change)
    if (!isFinal(change)) return "again"
    this.#logEnd(send, change)
    return "done"
  }

  /** Asks the chain's nodes about a transaction. */
  protected abstract lookAt(send: Send): Promise<SendChange>

  protected countBroadcast(broadcast: "accepted" | "refused"): void {
    this.parts.metrics?.count("countersign_worker_broadcasts_total", { broadcast })
  }

  /** A node that does not answer, or answers nonsense, says nothing about the transaction: it stays as it was. */
  async #lookOrFault(send: Send): Promise<SendChange> {
    try {
      const change = await this.lookAt(send)
      this.#setState("ok")
      return change
    } catch (error) {
      const isOfNode = error instanceof NodeUnavailable || error instanceof NodeRefusal
      if (!isOfNode) throw error
      this.#setState(error.message)
      this.parts.metrics?.count("countersign_worker_nodes_unavailable_total")
      const fault = error instanceof NodeUnavailable ? error.fault : error.message
      return { status: send.status, failure: { message: `no node of the chain serves now: ${fault}` } }
    }
  }

  /** A lasting fault is logged once. */
  #setState(state: string): void {
    const { log, chain } = this.parts
    if (state === this.#state) return
    this.#state = state
    if (state === "ok") log.info({ chain: chain.caip2 }, "the chain's nodes answer again")
    else log.warn({ chain: chain.caip2, fault: state }, "the chain's nodes do not serve")
  }

  #logEnd({ id, hash, organizationId }: Send, { status, failure }: SendChange): void {
    const { log, metrics, chain } = this.parts
    const end = status === "FAILED" ? "failed" : failure === undefined ? "included" : "reverted"
    metrics?.count("countersign_worker_transactions_total", { end })
    log.info(
      { chain: chain.caip2, organizationId, sendTransactionStatusId: id, hash, end },
      "a transaction ended",
    )
  }
}

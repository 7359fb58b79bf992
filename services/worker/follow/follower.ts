import type { Chain } from "../../chains/chains.ts"
import type { Finality } from "../../chains/finality.ts"
import { NodeRefusal, NodeUnavailable } from "../../chains/json-rpc.ts"
import type { Logger } from "../../common/logger.ts"
import type { Metrics } from "../../common/metrics/metrics.ts"
import type { Database } from "../../database/database.ts"
import type { JobStep } from "../../database/jobs.ts"
import { changeSend, isFinal, type Send, type SendChange } from "../store/sends.ts"
import { abandonSends, hasUnsettled, type UnsettledSend, unsettledSends } from "../store/unsettled-sends.ts"

/** Follows the transactions of one chain. */
export type Follower = {
  /** "ok", or what was last wrong with the chain's nodes. */
  readonly state: string
  /** Polls one transaction: broadcasts it or asks the nodes for its state, and stores the result. */
  poll(send: Send): Promise<JobStep>
  /**
   * Polls transactions that have ended on blocks which are not final yet, and settles those whose blocks are.
   *
   * @returns transactions whose block is gone: they wait to be included again
   */
  settle(): Promise<UnsettledSend[]>
}

export type FollowerParts = {
  sql: Database
  log: Logger
  metrics?: Metrics | undefined
  chain: Chain
  /** Blocks after which a transaction counts as included, and those after which it is no longer followed. */
  confirmations: number
  finality: Finality
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

  async poll(send: Send): Promise<JobStep> {
    const change = await this.#orFault(
      () => this.pollState(send),
      (fault) => ({ status: send.status, failure: { message: `no node of the chain serves now: ${fault}` } }),
    )
    await changeSend(this.parts.sql, send, change)
    if (!isFinal(change)) return "again"
    this.#logEnd(send, change)
    return "done"
  }

  async settle(): Promise<UnsettledSend[]> {
    const { sql, chain } = this.parts
    if (!(await hasUnsettled(sql, chain.caip2))) return []
    await abandonSends(sql, chain.caip2, this.nowMs)
    const sends = await unsettledSends(sql, chain.caip2)
    if (sends.length === 0) return []
    return this.#orFault(
      () => this.pollBlocks(sends),
      () => [],
    )
  }

  /** Asks the chain's nodes about a transaction. */
  protected abstract pollState(send: Send): Promise<SendChange>

  /** Asks the chain's nodes about the blocks of transactions that have ended. */
  protected abstract pollBlocks(sends: readonly UnsettledSend[]): Promise<UnsettledSend[]>

  protected countBroadcast(broadcast: "accepted" | "refused"): void {
    this.parts.metrics?.count("countersign_worker_broadcasts_total", { broadcast })
  }

  /** A node that does not answer, or answers nonsense, says nothing about a transaction: it stays as it was. */
  async #orFault<Found>(ask: () => Promise<Found>, otherwise: (fault: string) => Found): Promise<Found> {
    try {
      const found = await ask()
      this.#setState("ok")
      return found
    } catch (error) {
      const isOfNode = error instanceof NodeUnavailable || error instanceof NodeRefusal
      if (!isOfNode) throw error
      this.#setState(error.message)
      this.parts.metrics?.count("countersign_worker_nodes_unavailable_total")
      return otherwise(error instanceof NodeUnavailable ? error.fault : error.message)
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

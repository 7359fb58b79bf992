import { setTimeout as pause } from "node:timers/promises"
import { canonicalChain, type Chain, type Chains } from "../chains/chains.ts"
import type { Finality } from "../chains/finality.ts"
import { inTime } from "../common/in-time.ts"
import type { Logger } from "../common/logger.ts"
import type { Metrics } from "../common/metrics/metrics.ts"
import { recorded, type Tracer } from "../common/tracing/tracer.ts"
import type { Database } from "../database/database.ts"
import { databaseFault } from "../database/faults.ts"
import type { Job, Jobs, JobStep } from "../database/jobs.ts"
import type { WorkSignals } from "../database/work-signals.ts"
import { EthereumFollower } from "./follow/ethereum.ts"
import type { Follower } from "./follow/follower.ts"
import { SolanaFollower } from "./follow/solana.ts"
import type { BalancePoller } from "./balances/poller.ts"
import type { WebhookDeliverer } from "./webhooks/delivery.ts"
import { LOWEST, removeExpiredSessions, removeRemains } from "./store/remains.ts"
import { getSend, isFinal, isSchemaReady, openSends, type Send } from "./store/sends.ts"
import { reopenSends } from "./store/unsettled-sends.ts"

type WorkerParts = {
  sql: Database
  jobs: Jobs
  log: Logger
  metrics?: Metrics | undefined
  /** Records polls of transactions; absent: tracing is off. */
  tracer?: Tracer | undefined
  /** Signals that transactions may wait. Polls announce themselves: notifications may wait after them. */
  signals: WorkSignals
  /** Absent: no notifications are sent. */
  webhooks?: Pick<WebhookDeliverer, "start" | "close">
  /** Absent: no balances are followed. */
  balances?: Pick<BalancePoller, "start" | "close">
  chains: Chains
  /** Blocks from the one that includes a transaction to the newest, both counted. */
  confirmations: number
  finality: Finality
}

/** `chains` says for each chain what was last wrong with its nodes, and decides nothing. */
export type WorkerReadiness = {
  ready: boolean
  database: string
  jobs: string
  chains: { [caip2: string]: string }
}

/**
 * Pauses between attempts to begin, between searches for transactions without a job, between polls of blocks, and between
 * removals of rows that nothing shows any more, milliseconds.
 */
const RETRY_MS = 500
const SWEEP_MS = 60_000
const SETTLE_MS = 5_000
const REMOVAL_MS = 15_000

/** Time in which the database must answer /readyz, with a second of grace, milliseconds. */
const READINESS = { leftMs: 2_000 }

/**
 * Broadcasts signed transactions and follows them until their blocks are final, delivers notifications of webhooks, polls the
 * balances that endpoints follow, and removes what deleted organizations and expired sessions leave. It holds no key and does not know the signer.
 */
export class Worker {
  readonly #parts: WorkerParts
  readonly #followers = new Map<string, Follower>()
  readonly #stop = new AbortController()
  #jobs = "starting"
  /** The deleted organization of which something was removed last. */
  #removedOf = LOWEST
  #running: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(parts: WorkerParts) {
    this.#parts = parts
    for (const chain of parts.chains.values()) this.#followers.set(chain.caip2, createFollower(chain, parts))
  }

  /** Begins as soon as the API has made the tables. */
  start(): void {
    this.#running ??= this.#run()
  }

  async readiness(): Promise<WorkerReadiness> {
    const database = await inTime(isSchemaReady(this.#parts.sql), READINESS).then(
      (ready) => (ready ? "ok" : "the API has not made its tables yet"),
      (error: unknown) => databaseFault(error) ?? "no answer",
    )
    const chains = Object.fromEntries([...this.#followers].map(([caip2, { state }]) => [caip2, state]))
    return { ready: database === "ok" && this.#jobs === "ok", database, jobs: this.#jobs, chains }
  }

  /** Ends the polls under way. A second call does nothing more. */
  close(): Promise<void> {
    return (this.#closed ??= this.#end())
  }

  async #end(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await this.#parts.balances?.close()
    await this.#parts.webhooks?.close()
    await this.#parts.jobs.close()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted && this.#jobs !== "ok") {
      try {
        if (await isSchemaReady(this.#parts.sql)) await this.#begin()
      } catch (error) {
        this.#jobs = databaseFault(error) ?? "cannot be opened"
        this.#parts.log.warn({ err: error }, "the queue of transactions cannot be opened yet")
      }
      if (this.#jobs !== "ok") await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
    await Promise.all([
      this.#repeat(SWEEP_MS, () => this.#sweep()),
      this.#repeat(REMOVAL_MS, () => this.#removeRemains()),
      this.#repeat(REMOVAL_MS, () => removeExpiredSessions(this.#parts.sql, Date.now())),
      ...[...this.#followers].map((one) => this.#repeat(SETTLE_MS, () => this.#settle(...one))),
    ])
  }

  async #repeat(everyMs: number, step: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await pause(everyMs, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) await step().catch((error: unknown) => this.#warn(error))
    }
  }

  async #begin(): Promise<void> {
    await this.#sweep()
    for (const caip2 of this.#followers.keys())
      await this.#parts.jobs.work(caip2, (job) => this.#poll(job), this.#parts.signals)
    this.#parts.webhooks?.start()
    this.#parts.balances?.start()
    this.#jobs = "ok"
  }

  /** Gives a job to transactions that have none: the queue forgets jobs after two weeks, and may have been restored. */
  async #sweep(): Promise<void> {
    const { sql, jobs } = this.#parts
    for (const caip2 of this.#followers.keys()) {
      const open = await openSends(sql, caip2)
      if (open.length > 0) await jobs.restore(caip2, open)
    }
  }

  /** Transactions whose block is gone are broadcast again. After a crash between the steps the next poll or sweep does it. */
  async #settle(caip2: string, follower: Follower): Promise<void> {
    const { sql, jobs, log } = this.#parts
    const gone = await follower.settle()
    if (gone.length === 0) return
    const ids = gone.map(({ id }) => id)
    log.warn({ chain: caip2, sendTransactionStatusIds: ids }, "a reorganization removed transactions")
    await jobs.forget(caip2, gone)
    await reopenSends(sql, gone)
    await jobs.restore(caip2, gone)
  }

  /** Each piece is followed by a pause of the same length: requests use the database too. */
  async #removeRemains(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const startedAt = performance.now()
      const organizationId = await removeRemains(this.#parts.sql, this.#removedOf)
      if (organizationId === undefined) return
      this.#removedOf = organizationId
      await pause(performance.now() - startedAt, undefined, { signal }).catch(() => undefined)
    }
  }

  async #poll({ organizationId, id }: Job): Promise<JobStep> {
    const send = await getSend(this.#parts.sql, organizationId, id)
    // A database that was set back no longer has the job's transaction.
    if (send === undefined || isFinal(send)) return "done"
    try {
      return await this.#follow(send)
    } catch (error) {
      this.#warn(error, send)
      return "again"
    }
  }

  async #follow(send: Send): Promise<JobStep> {
    const follower = this.#followers.get(canonicalChain(send.caip2))
    if (follower === undefined) return "again"
    return recorded(this.#parts.tracer, "poll of a transaction", () => follower.poll(send))
  }

  #warn(error: unknown, send?: Send): void {
    this.#parts.log.warn(
      { err: error, ...(send && { sendTransactionStatusId: send.id }) },
      send ? "a poll of a transaction failed" : "a step of the worker failed",
    )
  }
}

function createFollower(chain: Chain, parts: WorkerParts): Follower {
  const { sql, log, metrics, confirmations, finality } = parts
  const shared = { sql, log, metrics, chain, confirmations, finality }
  return chain.namespace === "solana" ? new SolanaFollower(shared) : new EthereumFollower(shared)
}

import { setTimeout as pause } from "node:timers/promises"
import { webhookSignatureHeaders } from "../../../signer/core/webhook/statement.ts"
import type { Logger } from "../../common/logger.ts"
import type { Metrics } from "../../common/metrics/metrics.ts"
import { recorded, type Tracer } from "../../common/tracing/tracer.ts"
import type { Database } from "../../database/database.ts"
import { readBacklog } from "../../database/queues.ts"
import { WorkRests } from "../../database/work-rests.ts"
import { WorkSignals } from "../../database/work-signals.ts"
import { type Attempt, deleteEnded, type Delivery, nextDeliveries, storeAttempts } from "../store/webhooks.ts"
import { type DeferredDelivery, deferredDeliveries } from "../store/webhook-deferrals.ts"
import { endNext } from "../store/webhook-endings.ts"
import { leaseTargets, releaseTarget, renewLease, type LeasedTarget } from "../store/webhook-leases.ts"
import { nextWebhookWork } from "../store/webhook-work.ts"
import { redeliverNext } from "../store/webhook-redeliveries.ts"
import { BacklogRests } from "./backlog-rests.ts"
import { provideBacklog } from "./backlog.ts"
import type { Poster } from "./post.ts"
import { afterAttempt, pauseAfter } from "./schedule.ts"

type DeliveryParts = {
  sql: Database
  poster: Pick<Poster, "post" | "close">
  log: Logger
  metrics?: Metrics | undefined
  /** Records attempts; absent: tracing is off. */
  tracer?: Tracer | undefined
  timeoutMs: number
  /** Signals that notifications may wait. The deliverer announces those that wait for a signature. */
  signals?: WorkSignals
  now?: () => number
  random?: () => number
}

/** Pause between polls, the longest rest without a signal, the pause after a fault, and that between deletions of ended deliveries. */
const POLL_MS = 200
const REST_MS = 4000
const FAULT_PAUSE_MS = 2000
const CLEANING_MS = 60_000

/** Targets that this worker serves side by side, and those of one top-level organization over all workers. */
const MAX_TARGETS = 64
const MAX_OF_TOP_LEVEL = 4

/** Deferred notifications that this worker sends side by side, at most MAX_OF_TOP_LEVEL for each top-level organization. */
const MAX_DEFERRED = 16

/** Notifications that one target gets at a time, each of another organization. */
const MAX_PARALLEL = 16

/** Notifications and bytes read at once for one target. */
const WINDOW = { limit: 64, maxBytes: 4 * 1024 * 1024 }

/** Time for which ended deliveries are kept. */
const DELIVERED_MS = 7 * 24 * 3600 * 1000
const DEAD_MS = 30 * 24 * 3600 * 1000

/** Delivers notifications: at least once, and those of one organization in the order of its events. */
export class WebhookDeliverer {
  readonly #parts: DeliveryParts
  readonly #now: () => number
  readonly #random: () => number
  readonly #stop = new AbortController()
  readonly #serving = new Set<Promise<void>>()
  /** Targets that are served. */
  #targets = 0
  readonly #backlogRests = new BacklogRests()
  readonly #signals: WorkSignals
  readonly #rests: WorkRests
  /** Deferred notifications that are being sent. */
  readonly #deferred = new Set<DeferredDelivery>()
  /** The top-level organization that the last poll visited last. */
  #lastTopLevel: string | undefined
  #running: Promise<void> | undefined
  #cleanedMs = 0

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#random = parts.random ?? Math.random
    this.#signals = parts.signals ?? new WorkSignals()
    this.#rests = new WorkRests(this.#signals)
  }

  start(): void {
    const { metrics, sql } = this.#parts
    if (this.#running === undefined && metrics) provideBacklog(metrics, () => readBacklog(sql), this.#now)
    this.#running ??= this.#run()
  }

  /** Ends the attempts under way. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await Promise.all(this.#serving)
    this.#parts.poster.close()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        const mostMs = await this.#pollIfDue()
        await this.#rests.rest({ leastMs: POLL_MS, mostMs }, signal)
      } catch (error) {
        this.#parts.log.warn({ err: error }, "the queue of webhooks cannot be read")
        await this.#rest(FAULT_PAUSE_MS)
      }
    }
  }

  /** Polls if there is something to do, and returns the longest time until the next look. */
  async #pollIfDue(): Promise<number> {
    const nowMs = this.#now()
    const nextMs = await nextWebhookWork(this.#parts.sql, nowMs)
    const isDue = nextMs !== undefined && nextMs <= nowMs
    if (isDue || nowMs - this.#cleanedMs >= CLEANING_MS) await this.#poll(nowMs)
    if (isDue) return POLL_MS
    return Math.min(REST_MS, nextMs === undefined ? REST_MS : Math.max(POLL_MS, nextMs - nowMs))
  }

  /** Pauses, until the deliverer closes at most. */
  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined)
  }

  async #poll(nowMs: number): Promise<void> {
    const { sql } = this.#parts
    for (const target of await this.#lease(nowMs)) {
      this.#targets += 1
      this.#serve(() => this.#deliver(target).finally(() => this.#ended(target)))
    }
    for (const delivery of await this.#takeDeferred(nowMs)) {
      this.#deferred.add(delivery)
      this.#serve(() => this.#deliverDeferred(delivery).finally(() => this.#deferred.delete(delivery)))
    }
    if (await redeliverNext(sql)) this.#signals.announce()
    await endNext(sql, nowMs)
    if (nowMs - this.#cleanedMs < CLEANING_MS) return
    const ended = { deliveredBeforeMs: nowMs - DELIVERED_MS, deadBeforeMs: nowMs - DEAD_MS }
    // The next polls delete the rest: notifications do not wait.
    if (!(await deleteEnded(sql, ended))) this.#cleanedMs = nowMs
  }

  async #lease(nowMs: number): Promise<LeasedTarget[]> {
    const limit = MAX_TARGETS - this.#targets
    if (limit === 0) return []
    const lease = { limit, topLevelLimit: MAX_OF_TOP_LEVEL, leaseMs: this.#leaseMs, nowMs }
    return leaseTargets(this.#parts.sql, lease)
  }

  async #takeDeferred(nowMs: number): Promise<DeferredDelivery[]> {
    const limit = MAX_DEFERRED - this.#deferred.size
    if (limit === 0) return []
    const busy = [...this.#deferred].map(({ topLevelId }) => topLevelId)
    const take = {
      limit,
      topLevelLimit: MAX_OF_TOP_LEVEL,
      busy,
      leaseMs: this.#leaseMs,
      nowMs,
      after: this.#lastTopLevel,
    }
    const { deliveries, last, hasUnsigned } = await deferredDeliveries(this.#parts.sql, take)
    this.#lastTopLevel = last
    if (hasUnsigned) this.#signals.announce()
    return deliveries
  }

  /** Longer than a window takes: the last attempt of a window begins before `timeoutMs`, and ends as much later. */
  get #leaseMs(): number {
    return 2 * this.#parts.timeoutMs + 5_000
  }

  #ended({ endpointId }: LeasedTarget): void {
    this.#targets -= 1
    this.#backlogRests.ended(endpointId)
  }

  #serve(work: () => Promise<void>): void {
    const served = work()
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, "deliveries of a webhook failed"))
      .finally(() => this.#serving.delete(served))
    this.#serving.add(served)
  }

  /** Sends what waits for a target until nothing does, an attempt fails, or others have waited long enough. */
  async #deliver(leased: LeasedTarget): Promise<void> {
    const { sql, timeoutMs } = this.#parts
    const endMs = this.#now() + timeoutMs
    let target = leased
    let { failures } = target
    let retryMs = 0
    while (!this.#stop.signal.aborted && this.#now() < endMs) {
      const startedAt = performance.now()
      const renewed = await renewLease(sql, target, this.#leaseMs)
      if (renewed === undefined) break
      target = renewed
      const { deliveries, isWaiting } = await nextDeliveries(sql, target, WINDOW)
      if (!isWaiting) break
      // The API signs them meanwhile.
      if (deliveries.length === 0) {
        this.#signals.announce()
        await this.#rest(POLL_MS)
        continue
      }
      const attempts = await this.#sendWindow(target, deliveries)
      await storeAttempts(sql, attempts, this.#now())
      const hasFailed = attempts.some(({ state }) => state === "WAITING" || state === "DEFERRED")
      failures = hasFailed ? failures + 1 : 0
      retryMs = hasFailed ? this.#now() + pauseAfter(failures, this.#random) : 0
      if (hasFailed) break
      if (deliveries.length === WINDOW.limit)
        await this.#rest(this.#backlogRests.after(target.endpointId, performance.now() - startedAt))
    }
    // Without a failure it rejoins the queue at the end.
    await releaseTarget(sql, target, { failures, retryMs: retryMs || this.#now() })
  }

  /** Organizations side by side, each in its order; an organization's first failure ends its turn. */
  async #sendWindow({ url }: LeasedTarget, deliveries: readonly Delivery[]): Promise<Attempt[]> {
    const endMs = this.#now() + this.#parts.timeoutMs
    const lanes = [...Map.groupBy(deliveries, ({ sourceId }) => sourceId).values()]
    const attempts: Attempt[] = []
    const isOver = () => this.#stop.signal.aborted || this.#now() > endMs
    const serveLanes = async () => {
      for (let lane = lanes.shift(); lane !== undefined && !isOver(); lane = lanes.shift()) {
        for (const delivery of lane) {
          if (isOver()) return
          const attempt = await this.#send(url, delivery)
          attempts.push(attempt)
          if (attempt.state === "WAITING" || attempt.state === "DEFERRED") break
        }
      }
    }
    await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, lanes.length) }, serveLanes))
    return attempts
  }

  async #deliverDeferred(delivery: DeferredDelivery): Promise<void> {
    const attempt = await this.#send(delivery.url, delivery)
    // A deferred notification stays deferred after any failure.
    const again = { state: "DEFERRED" as const, retryMs: this.#now() + pauseAfter(10, this.#random) }
    const stored = attempt.state === "WAITING" ? { ...attempt, ...again } : attempt
    await storeAttempts(this.#parts.sql, [stored], this.#now())
  }

  async #send(url: string, delivery: Delivery): Promise<Attempt> {
    const { poster, metrics, tracer } = this.#parts
    const startedMs = this.#now()
    const post = () => poster.post(url, headersOf(delivery), delivery.body)
    const result = await recorded(tracer, "attempt to deliver a notification", post)
    const nowMs = this.#now()
    const end = afterAttempt(delivery, result, { nowMs, random: this.#random })
    metrics?.count("countersign_worker_webhook_attempts_total", { attempt: ATTEMPTS[end.state] })
    return { ...end, startedMs, durationMs: Math.max(0, nowMs - startedMs) }
  }
}

const ATTEMPTS = { DELIVERED: "delivered", WAITING: "failed", DEFERRED: "failed", DEAD: "dead" } as const

function headersOf({ organizationId, eventType, id: eventId, keyId, timestampMs, signature }: Delivery) {
  return {
    "X-Turnkey-Organization-Id": organizationId,
    "X-Turnkey-Event-Type": eventType,
    "X-Turnkey-Webhook-Version": "1",
    ...webhookSignatureHeaders({ keyId, timestampMs, eventId }, signature),
  }
}

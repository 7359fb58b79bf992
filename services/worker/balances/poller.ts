import { setTimeout as pause } from "node:timers/promises"
import { assetsOfChain, type ListedTokens } from "../../chains/assets.ts"
import type { Chains } from "../../chains/chains.ts"
import type { Finality } from "../../chains/finality.ts"
import { NodeUnavailable } from "../../chains/json-rpc.ts"
import type { Logger } from "../../common/logger.ts"
import type { Database } from "../../database/database.ts"
import type { WorkSignals } from "../../database/work-signals.ts"
import {
  deferWatch,
  dueWatches,
  isAnyWatched,
  leaseWatches,
  storePoll,
  type Watch,
} from "../store/balance-watches.ts"
import { LOWEST } from "../store/remains.ts"
import { pauseAfter } from "../webhooks/schedule.ts"
import { CallPace } from "./call-pace.ts"
import { type BalanceChain, balanceChain, type ChainState } from "./chains.ts"
import { pollWatch } from "./poll.ts"

type PollerParts = {
  sql: Database
  log: Logger
  /** Announces notifications that wait for a signature. */
  signals: Pick<WorkSignals, "announce">
  chains: Chains
  /** Tokens that the operator lists. */
  tokens: ListedTokens
  confirmations: number
  finality: Finality
  /** Pause between two polls of an address, milliseconds. */
  everyMs: number
  /** Calls of nodes a second, of all chains together. */
  callsPerSecond: number
  /** Absent: a minute. */
  longestPollMs?: number
  now?: () => number
}

/** Pauses between looks: while addresses are followed, and while none is. */
const LOOK_MS = 1_000
const IDLE_MS = 5_000

/** Organizations that are polled side by side on a chain, and addresses of each at a time. */
const ORGANIZATIONS = 16
const ADDRESSES = 5

/** After so many calls, or so long, an organization's other addresses wait for its next turn. */
const MOST_CALLS = 10
const LONGEST_TURN_MS = 10_000

/**
 * A poll that waits longer for nodes has failed: one contract that answers slowly must not hold up a chain. Its turns among the calls of
 * all chains do not count: with many tokens they alone can take longer, and no poll would ever end.
 */
const LONGEST_POLL_MS = 60_000
/** Addresses of a worker that was killed are polled by another one after this time. */
const LEASE_MS = 3 * 60_000

/** A chain that is polled. `retryMs`: nodes that did not answer are left alone until then. */
type Polling = { chain: BalanceChain; after: string; isBusy: boolean; failures: number; retryMs: number }

/**
 * Polls the addresses whose balances webhook endpoints follow, and queues a notification for each change. Organizations take turns
 * on each chain, and chains do not wait for each other.
 */
export class BalancePoller {
  readonly #parts: PollerParts
  readonly #now: () => number
  readonly #chains = new Map<string, Polling>()
  readonly #pace: CallPace
  readonly #stop = new AbortController()
  readonly #passes = new Set<Promise<void>>()
  #running: Promise<void> | undefined

  constructor(parts: PollerParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
    this.#pace = new CallPace(parts.callsPerSecond)
    for (const chain of parts.chains.values())
      this.#chains.set(chain.caip2, {
        chain: balanceChain(chain, parts),
        after: LOWEST,
        isBusy: false,
        failures: 0,
        retryMs: 0,
      })
  }

  start(): void {
    if (this.#chains.size > 0) this.#running ??= this.#run()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    await Promise.all(this.#passes)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      const isAny = await isAnyWatched(this.#parts.sql).catch(() => false)
      if (isAny) for (const [caip2, polling] of this.#chains) this.#begin(caip2, polling)
      await pause(isAny ? LOOK_MS : IDLE_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  #begin(caip2: string, polling: Polling): void {
    if (polling.isBusy || this.#now() < polling.retryMs) return
    polling.isBusy = true
    const pass = this.#poll(caip2, polling)
      .catch((error: unknown) => this.#failed(caip2, polling, error))
      .finally(() => {
        polling.isBusy = false
        this.#passes.delete(pass)
      })
    this.#passes.add(pass)
  }

  #failed(caip2: string, polling: Polling, error: unknown): void {
    if (this.#stop.signal.aborted) return
    polling.failures += 1
    polling.retryMs = this.#now() + pauseAfter(polling.failures, Math.random)
    // A lasting fault is logged once.
    if (polling.failures === 1)
      this.#parts.log.warn({ err: error, chain: caip2 }, "balances cannot be read yet")
  }

  /** One turn of the organizations that are next. */
  async #poll(caip2: string, polling: Polling): Promise<void> {
    const { sql } = this.#parts
    const nowMs = this.#now()
    const turn = { caip2, nowMs, after: polling.after, addresses: ADDRESSES }
    const { visited, isRound } = await dueWatches(sql, turn)
    const due = visited.filter(({ watches }) => watches.length > 0)
    const next = due.slice(0, ORGANIZATIONS)
    const isWhole = next.length === due.length
    const last = isWhole ? visited.at(-1) : next.at(-1)
    polling.after = isWhole && isRound ? LOWEST : (last?.organizationId ?? LOWEST)
    if (next.length === 0) return
    await this.#pace.take(this.#stop.signal)
    const state = await polling.chain.open()
    polling.failures = 0
    const leased = await leaseWatches(
      sql,
      next.flatMap(({ watches }) => watches),
      nowMs + LEASE_MS,
    )
    const turns = Map.groupBy(leased, ({ organizationId }) => organizationId)
    await Promise.all([...turns.values()].map((watches) => this.#pollOrganization(watches, state)))
  }

  /** Addresses that are left when the turn is over are due again at once. */
  async #pollOrganization(watches: readonly Watch[], state: ChainState): Promise<void> {
    const startedMs = performance.now()
    let calls = 0
    for (const watch of watches) {
      const isOver = calls >= MOST_CALLS || performance.now() - startedMs > LONGEST_TURN_MS
      if (isOver || this.#stop.signal.aborted)
        await deferWatch(this.#parts.sql, watch, { dueMs: this.#now(), failures: watch.failures })
      else calls += await this.#pollOne(watch, state)
    }
  }

  /** @returns the number of calls that it took */
  async #pollOne(watch: Watch, state: ChainState): Promise<number> {
    const { sql, tokens, everyMs, signals, log, longestPollMs = LONGEST_POLL_MS } = this.#parts
    let untilMs = performance.now() + longestPollMs
    let calls = 0
    const pace = async () => {
      calls += 1
      const askedMs = performance.now()
      await this.#pace.take(this.#stop.signal)
      untilMs += performance.now() - askedMs
      if (performance.now() > untilMs) throw new NodeUnavailable("the address has taken too long")
    }
    try {
      const assets = assetsOfChain(watch.caip2, tokens.get(watch.caip2) ?? [], watch.tokens)
      const polled = await pollWatch(watch, { state, assets, pace })
      const nowMs = this.#now()
      const isStored = await storePoll(sql, watch, polled, { dueMs: nowMs + everyMs, nowMs })
      if (isStored && polled.bodies.length > 0) signals.announce()
    } catch (error) {
      const isFault = !this.#stop.signal.aborted
      const failures = watch.failures + (isFault ? 1 : 0)
      const waitMs = isFault ? Math.max(everyMs, pauseAfter(failures, Math.random)) : 0
      await deferWatch(sql, watch, { dueMs: this.#now() + waitMs, failures })
      if (isFault && failures === 1)
        log.warn({ err: error, chain: watch.caip2, endpointId: watch.endpointId }, "a balance cannot be read")
    }
    return calls
  }
}

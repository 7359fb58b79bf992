import { ApiError, GrpcCode } from "../../../common/api-error.ts"
import { inSpan } from "../../../common/tracing/tracer.ts"
import { sqlState } from "../../../database/database.ts"

/** Queries that read at a time, fewer than the connections of their pool: the others serve authentication. */
const MAX_RUNNING = 6
/** Queries of one organization's users that read at a time, so that one organization does not hold all slots. */
const MAX_RUNNING_PER_ORGANIZATION = 3
/** Time for a query, its wait for a slot included, milliseconds. */
const MAX_QUERY_MS = 8_000
/** Time after which a slot is free although its query has not ended. No query should take it: each of its parts has a bound. */
const MAX_HELD_MS = 30_000

/** The server cancelled a statement (PostgreSQL, query_canceled): it exceeded its statement_timeout. */
const CANCELLED = "57014"

type Limits = { running: number; perOrganization: number; queryMs: number; heldMs: number }
type Waiting = { organizationId: string; start: () => void }

/** Bounds how many queries read at a time and how long a caller waits for one. */
export class QuerySlots {
  readonly #limits: Limits
  /** Running queries by the caller's organization. */
  readonly #running = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #total = 0

  constructor(limits: Partial<Limits> = {}) {
    this.#limits = {
      running: MAX_RUNNING,
      perOrganization: MAX_RUNNING_PER_ORGANIZATION,
      queryMs: MAX_QUERY_MS,
      heldMs: MAX_HELD_MS,
      ...limits,
    }
  }

  /**
   * Runs a query of an organization's user as soon as there is a slot. A slot is free when its query has ended, also
   * if its caller was answered before.
   *
   * @throws ApiError 504 QUERY_TIMEOUT when the time is over, or the database ended a statement
   */
  run<Answer>(organizationId: string, query: () => Promise<Answer>): Promise<Answer> {
    return inSpan("wait for a slot and read", () => this.#runWaiting(organizationId, query), "client")
  }

  #runWaiting<Answer>(organizationId: string, query: () => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const waiting = { organizationId, start: () => void run() }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(queryTimeout())
      }, this.#limits.queryMs)
      const run = async () => {
        const release = this.#holdSlot(organizationId)
        try {
          resolve(await query())
        } catch (error) {
          reject(sqlState(error) === CANCELLED ? queryTimeout(error) : (error as Error))
        } finally {
          clearTimeout(timer)
          release()
        }
      }
      this.#waiting.add(waiting)
      this.#startNext()
    })
  }

  /** Queries that read. */
  get running(): number {
    return this.#total
  }

  /** Queries that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Starts the queries that have a slot, the longest waiting first. */
  #startNext(): void {
    for (const waiting of this.#waiting) {
      if (this.#total === this.#limits.running) return
      const own = this.#running.get(waiting.organizationId) ?? 0
      if (own === this.#limits.perOrganization) continue
      this.#waiting.delete(waiting)
      this.#running.set(waiting.organizationId, own + 1)
      this.#total++
      waiting.start()
    }
  }

  /** Returns the function that frees the slot, which may be called twice. */
  #holdSlot(organizationId: string): () => void {
    let isHeld = true
    const release = () => {
      clearTimeout(timer)
      if (isHeld) this.#end(organizationId)
      isHeld = false
    }
    const timer = setTimeout(release, this.#limits.heldMs).unref()
    return release
  }

  #end(organizationId: string): void {
    const own = (this.#running.get(organizationId) ?? 1) - 1
    if (own === 0) this.#running.delete(organizationId)
    else this.#running.set(organizationId, own)
    this.#total--
    this.#startNext()
  }
}

function queryTimeout(cause?: unknown): ApiError {
  const sentence = "the query took too long and was stopped: ask for a smaller page, or send it again later"
  return new ApiError(GrpcCode.deadlineExceeded, sentence, {
    publicCode: "INTERNAL",
    reason: "QUERY_TIMEOUT",
    cause,
  })
}

import { ActivityStatus, ActivityStatusSchema } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { refusedError } from "../errors.ts"
import type { Database } from "../../database/database.ts"
import { listPending, type PendingRow } from "../store/pending.ts"
import { endPending } from "../store/restored.ts"
import type { Signer } from "./signer.ts"

const INTERVAL_MS = 60_000

type ExpiryDeps = {
  signer: Pick<Signer, "expireActivities">
  sql: Database
  log: Logger
  now: () => number
}

/**
 * Ends activities in the database that have waited for votes longer than the signer's setting allows, also those that
 * nobody touches. This process only finds candidates by its own clock: the signer decides and says which have ended.
 */
export class ActivityExpiry {
  readonly #deps: ExpiryDeps
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isClosed = false
  #fault = ""

  constructor(deps: ExpiryDeps) {
    this.#deps = deps
  }

  /** Runs now and every minute. A second call changes nothing. */
  start(): void {
    if (this.#timer !== undefined || this.#isClosed) return
    this.#timer = setInterval(() => this.#runLogged(), INTERVAL_MS).unref()
    this.#runLogged()
  }

  /** @throws when the signer or the database cannot be reached */
  async run(): Promise<void> {
    const { signer, sql, log, now } = this.#deps
    const { pendingLifetimeMs } = await signer.expireActivities("", [])
    if (pendingLifetimeMs === 0n) return
    const untilMs = now() - Number(pendingLifetimeMs)
    let ended = 0
    for (let page = await listPending(sql, untilMs); page.length > 0 && !this.#isClosed; ) {
      const byOrganization = Map.groupBy(page, ({ organizationId }) => organizationId)
      for (const [organizationId, rows] of byOrganization)
        if (!this.#isClosed) ended += await this.#tryEnd(organizationId, rows)
      page = await listPending(sql, untilMs, page.at(-1))
    }
    if (ended > 0) log.info({ activities: ended }, "activities that waited too long for votes have ended")
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#running
  }

  #runLogged(): void {
    this.#running ??= this.#tryRun().finally(() => {
      this.#running = undefined
    })
  }

  /** A lasting fault is logged once, such as a signer of an earlier release, which does not know the call. */
  async #tryRun(): Promise<void> {
    try {
      await this.run()
      this.#fault = ""
    } catch (error) {
      const fault = error instanceof Error ? error.message : String(error)
      if (fault !== this.#fault)
        this.#deps.log.warn({ err: error }, "activities that waited too long cannot be ended yet")
      this.#fault = fault
    }
  }

  /** A fault of one organization leaves its rows for the next run, and the others go on. */
  async #tryEnd(organizationId: string, rows: readonly PendingRow[]): Promise<number> {
    try {
      return await this.#end(organizationId, rows)
    } catch (error) {
      this.#deps.log.warn({ organizationId, err: error }, "activities of an organization cannot be ended yet")
      return 0
    }
  }

  /** Returns how many of the rows have ended. */
  async #end(organizationId: string, rows: readonly PendingRow[]): Promise<number> {
    const { signer, sql } = this.#deps
    const named = rows.map(({ fingerprint }) => fingerprint)
    const { activities } = await signer.expireActivities(organizationId, named)
    let ended = 0
    for (const [index, { status, failure }] of activities.entries()) {
      const row = rows[index]
      if (row === undefined || isPending(status)) continue
      await endPending(sql, row, {
        status: status === ActivityStatus.UNSPECIFIED ? undefined : ActivityStatusSchema.value[status]?.name,
        ...(failure && { failure: JSON.stringify(refusedError(failure).body()) }),
      })
      ended += 1
    }
    return ended
  }
}

function isPending(status: ActivityStatus): boolean {
  return status === ActivityStatus.CONSENSUS_NEEDED || status === ActivityStatus.AUTHENTICATORS_NEEDED
}

import { setTimeout as pause } from "node:timers/promises"
import { counted } from "../../../signer/core/counted.ts"
import { ApiError } from "../../common/api-error.ts"
import type { Logger } from "../../common/logger.ts"
import { databaseFault } from "../../database/faults.ts"
import { olderThanLedger } from "../store/compare.ts"
import type { Database } from "../../database/database.ts"
import type { DeploymentCheck } from "./deployment-check.ts"
import type { LedgerSync } from "./ledger-sync.ts"
import type { Signer } from "./signer.ts"

/** Pause after an attempt that the database or the signer cut short. */
const RETRY_MS = 500
/** Organizations that are restored at a time; requests need the signer meanwhile. */
const PARALLEL = 4
/** Progress is logged after as many organizations. */
const LOG_EVERY = 1000

type HealingDeps = {
  signer: Pick<Signer, "listOrganizations">
  sql: Database
  deployment: Pick<DeploymentCheck, "run">
  ledgerSync: Pick<LedgerSync, "recover" | "restore">
  log: Logger
}
export type HealingResult = { compared: number; restored: number; failed: number }

/**
 * Compares the database with the ledger at start and after each lost connection, which may have been a failover or a restore.
 * Every organization that is older is restored. Until then this process is not ready.
 */
export class DatabaseHealing {
  readonly #deps: HealingDeps
  #progress = "waiting for the signer"
  /** Lost connections so far, the start included, and how many of them the latest comparison came after. */
  #losses = 1
  #healed = 0
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(deps: HealingDeps) {
    this.#deps = deps
  }

  /** "ok" or what is under way, for /readyz. */
  get state(): string {
    return this.#isDue ? this.#progress : "ok"
  }

  get #isDue(): boolean {
    return this.#healed < this.#losses
  }

  /** Compares again, in the background, until it succeeds. */
  connectionLost(): void {
    if (this.#isClosed) return
    this.#losses += 1
    this.#progress = "comparing the database with the ledger"
    this.#running ??= this.#healUntilDone().finally(() => {
      this.#running = undefined
    })
  }

  /**
   * Stores unacknowledged outcomes, compares and restores. Resolves once the database is as new as the ledger.
   *
   * @param all restores every organization, not only those that are older
   * @throws when the signer or the database cannot be reached
   */
  async heal(all = false): Promise<HealingResult> {
    const { deployment, log, ledgerSync } = this.#deps
    const losses = this.#losses
    await deployment.run()
    await ledgerSync.recover("")
    const { compared, older } = await this.#compare(all)
    let restored = 0
    let failed = 0
    for (let next = 0; next < older.length && !this.#isClosed; next += PARALLEL) {
      const batch = older.slice(next, next + PARALLEL)
      const results = await Promise.all(batch.map((id) => this.#restore(id)))
      restored += results.filter(Boolean).length
      failed += results.filter((isRestored) => !isRestored).length
      this.#progress = `restoring ${next + batch.length} of ${counted(older.length, "organization")} from the ledger`
      if (next % LOG_EVERY === 0) log.warn({ done: next + batch.length, of: older.length }, "restoring")
    }
    this.#healed = losses
    if (older.length > 0) log.warn({ compared, restored, failed }, "the database was older than the ledger")
    return { compared, restored, failed }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #healUntilDone(): Promise<void> {
    while (this.#isDue && !this.#isClosed) {
      try {
        await this.heal()
      } catch (error) {
        this.#deps.log.warn({ err: error }, "the database cannot be compared with the ledger yet")
        await pause(RETRY_MS)
      }
    }
  }

  async #compare(all: boolean): Promise<{ compared: number; older: string[] }> {
    const { signer, sql } = this.#deps
    const older: string[] = []
    let compared = 0
    for (let after = "", more = true; more; ) {
      const page = await signer.listOrganizations(after)
      const ids = page.organizations.map(({ organizationId }) => organizationId)
      older.push(...(all ? ids : await olderThanLedger(sql, page.organizations)))
      compared += ids.length
      this.#progress = `comparing the database with the ledger: ${counted(compared, "organization")}`
      const last = ids.at(-1)
      more = page.more && last !== undefined
      after = last ?? after
    }
    return { compared, older }
  }

  /** False: only this organization cannot be restored, such as one whose rows in the ledger are damaged. */
  async #restore(organizationId: string): Promise<boolean> {
    try {
      await this.#deps.ledgerSync.restore(organizationId)
      return true
    } catch (error) {
      if (databaseFault(error) !== undefined || error instanceof ApiError) throw error
      this.#deps.log.error(
        { organizationId, err: error },
        "an organization could not be restored from the ledger",
      )
      return false
    }
  }
}

import type { RecoveredOutcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { isDatabaseUnavailable } from "../../database/faults.ts"
import { sqlState } from "../../database/database.ts"
import type { Signer } from "./signer.ts"

const RETRY_MS = 60_000

/** Stores an outcome of the ledger; returns the request by which the signer names it. */
export type OutcomeWriter = {
  storeRecovered(recovered: RecoveredOutcome): Promise<RecoveredRequest>
}
export type RecoveredRequest = { organizationId: string; fingerprint: Uint8Array; credential: string }

/** Runs a function once after a time, unless it is cancelled before. */
export type Schedule = (run: () => void, afterMs: number) => { cancel: () => void }

type OutcomeRecoveryDeps = {
  signer: Pick<Signer, "recover" | "acknowledge">
  outcomes: OutcomeWriter
  log: Logger
  schedule?: Schedule | undefined
}

/** Stores outcomes that were never acknowledged to the signer. */
export class OutcomeRecovery {
  readonly #deps: OutcomeRecoveryDeps
  readonly #schedule: Schedule
  #retry: { cancel: () => void } | undefined
  #background = Promise.resolve()
  #isClosed = false

  constructor(deps: OutcomeRecoveryDeps) {
    this.#deps = deps
    this.#schedule = deps.schedule ?? unrefTimer
  }

  /** As LedgerSync.recover. */
  async recover(organizationId: string): Promise<void> {
    const { signer, log } = this.#deps
    const skipped = new Set<string>()
    let stored = 0
    let after = ""
    for (let more = true; more && !this.#isClosed; ) {
      const page = await signer.recover(organizationId, after)
      for (const recovered of page.outcomes) if (await this.#tryStore(recovered, skipped)) stored++
      const last = page.outcomes.at(-1)?.outcome?.decision?.voteId ?? ""
      more = page.more && last > after
      after = last
    }
    if (stored > 0)
      log.info({ outcomes: stored, organizationId }, "stored outcomes found in the signer's ledger")
    if (skipped.size > 0) this.#retryLater()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#retry?.cancel()
    await this.#background
  }

  /**
   * False: the outcome was skipped. Later outcomes of the same activity are skipped as well: a vote must not be stored
   * before its opening.
   */
  async #tryStore(recovered: RecoveredOutcome, skipped: Set<string>): Promise<boolean> {
    const { organizationId = "", activityFingerprint = NO_BYTES, decision } = recovered.outcome ?? {}
    const activity = `${organizationId}/${Buffer.from(activityFingerprint).toString("hex")}`
    let fault = "EARLIER_OUTCOME_SKIPPED"
    if (!skipped.has(activity)) {
      try {
        await this.#store(recovered)
        return true
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        fault = faultOf(error)
      }
    }
    skipped.add(activity)
    const { activityId, voteId } = decision ?? {}
    this.#deps.log.error(
      { organizationId, activityId, voteId, fault },
      "an outcome could not be stored; skipped it",
    )
    return false
  }

  async #store(recovered: RecoveredOutcome): Promise<void> {
    const { organizationId, fingerprint, credential } = await this.#deps.outcomes.storeRecovered(recovered)
    this.#deps.signer.acknowledge(organizationId, fingerprint, credential)
  }

  #retryLater(): void {
    if (this.#isClosed || this.#retry !== undefined) return
    this.#retry = this.#schedule(() => {
      this.#retry = undefined
      this.#background = this.#retryAll()
    }, RETRY_MS)
  }

  async #retryAll(): Promise<void> {
    try {
      await this.recover("")
    } catch (error) {
      this.#deps.log.warn({ fault: faultOf(error) }, "skipped outcomes could not be tried again")
      this.#retryLater()
    }
  }
}

const NO_BYTES = new Uint8Array(0)

/** A code or a class. The message is left out: the database quotes refused values in it. */
function faultOf(error: unknown): string {
  return sqlState(error) ?? (error instanceof Error ? error.name : "unknown")
}

function unrefTimer(run: () => void, afterMs: number): ReturnType<Schedule> {
  const timer = setTimeout(run, afterMs).unref()
  return { cancel: () => clearTimeout(timer) }
}

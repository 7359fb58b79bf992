import { activityTypes } from "../../../proto/catalog.ts"
import type { RecoveredOutcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { isDatabaseGone } from "../errors.ts"
import type { Signer } from "./signer.ts"
import { sqlState } from "../store/database.ts"
import { readSubmission } from "../submit/envelope.ts"
import type { OutcomeStore } from "../submit/outcome-store.ts"

/** What was skipped is tried again after this time. */
const AGAIN_MS = 60_000
/** A statement that took too long may do so for one outcome alone. */
const STATEMENT_CANCELLED = "57014"

export type RecoveryDeps = {
  signer: Pick<Signer, "recover" | "acknowledge">
  outcomes: Pick<OutcomeStore, "store">
  log: Logger
  againMs?: number | undefined
}

/** Stores what the signer decided and was never told is stored. */
export class Recovery {
  readonly #deps: RecoveryDeps
  #timer: NodeJS.Timeout | undefined
  #background = Promise.resolve()
  #isClosed = false

  constructor(deps: RecoveryDeps) {
    this.#deps = deps
  }

  /**
   * One pass over the outcomes of one organization or, with "", of all. What cannot be stored is logged, passed
   * over and tried again later: it holds up no other.
   *
   * @throws when the signer cannot be asked or the database cannot be reached
   */
  async pass(organizationId: string): Promise<void> {
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
    if (skipped.size > 0) this.#tryAgainLater()
  }

  /** Nothing is tried again; what is under way is finished. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#background
  }

  /** False: it was skipped. So is what came after it in its activity, which would stand there without it. */
  async #tryStore(recovered: RecoveredOutcome, skipped: Set<string>): Promise<boolean> {
    const { organizationId = "", activityFingerprint = NOTHING, decision } = recovered.outcome ?? {}
    const activity = `${organizationId}/${Buffer.from(activityFingerprint).toString("hex")}`
    let fault = "EARLIER_OUTCOME_SKIPPED"
    if (!skipped.has(activity)) {
      try {
        await this.#store(recovered)
        return true
      } catch (error) {
        if (isDatabaseGone(error) && sqlState(error) !== STATEMENT_CANCELLED) throw error
        fault = kindOf(error)
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

  async #store({ outcome, body, stamp }: RecoveredOutcome): Promise<void> {
    if (!outcome || !stamp) throw new TypeError("the signer sent a recovered outcome without its request")
    const submission = readSubmission(Buffer.from(body), [...activityTypes.values()])
    await this.#deps.outcomes.store(outcome, { ...submission, stamp })
    this.#deps.signer.acknowledge(submission.organizationId, submission.fingerprint, stamp.credential)
  }

  #tryAgainLater(): void {
    if (this.#isClosed || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#background = this.#tryAgain()
    }, this.#deps.againMs ?? AGAIN_MS).unref()
  }

  async #tryAgain(): Promise<void> {
    try {
      await this.pass("")
    } catch (error) {
      this.#deps.log.warn({ fault: kindOf(error) }, "skipped outcomes could not be tried again")
      this.#tryAgainLater()
    }
  }
}

const NOTHING = new Uint8Array(0)

/** Never the message: the database puts what it refuses into it. */
function kindOf(error: unknown): string {
  return sqlState(error) ?? (error instanceof Error ? error.name : "unknown")
}

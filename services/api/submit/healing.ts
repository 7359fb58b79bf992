import { activityTypes } from "../../../proto/catalog.ts"
import type { RecoveredOutcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import { recordChange } from "../record-change.ts"
import type { Signer } from "../signer.ts"
import { restoreState } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import type { Evidence } from "./activity-rows.ts"
import { readSubmission } from "./envelope.ts"
import type { Healing } from "./executor.ts"
import { organizationChange, type OutcomeStore } from "./outcome-store.ts"

export type HealerDeps = {
  signer: Signer
  sql: Database
  organizations: Organizations
  outcomes: OutcomeStore
  log: Logger
}

/** Acknowledgements travel on another stream than the question for more; so often a page may come again. */
const MAX_REPEATED_PAGES = 50
const REPEATED_PAGE_PAUSE_MS = 20

/** Brings the database up to what the signer knows: after a crash, or after it was set back or lost. */
export class Healer implements Healing {
  readonly #deps: HealerDeps

  constructor(deps: HealerDeps) {
    this.#deps = deps
  }

  /** Stores every outcome that was not acknowledged, of one organization or, with "", of all. */
  async recover(organizationId: string): Promise<void> {
    const { signer, log } = this.#deps
    const done = new Set<string>()
    for (let repeated = 0; repeated < MAX_REPEATED_PAGES; ) {
      const { outcomes } = await signer.recover(organizationId)
      if (outcomes.length === 0) break
      const before = done.size
      for (const recovered of outcomes) done.add(await this.#store(recovered))
      if (done.size > before) continue
      repeated++
      await new Promise((resolve) => setTimeout(resolve, REPEATED_PAGE_PAUSE_MS))
    }
    if (done.size > 0)
      log.info({ outcomes: done.size, organizationId }, "stored outcomes found in the signer's ledger")
  }

  /** Stores the signer's copy of an organization's document and records, as far as it is newer. */
  async restore(organizationId: string): Promise<void> {
    const { signer, sql, organizations, log } = this.#deps
    let afterRecordId = ""
    let count = 0
    for (let more = true; more; ) {
      const page = await signer.readArchive(organizationId, afterRecordId)
      const organization = page.document.length > 0 ? new Organization(page.document.slice()) : undefined
      const records = page.records.map(recordChange)
      await restoreState(sql, {
        organizationId,
        organization: organization && organizationChange(organization),
        createdMs: Number(organization?.document.createdAtMs ?? 0),
        records,
      })
      if (organization) organizations.put(organization)
      count += records.length
      const last = records.at(-1)
      more = page.more && last !== undefined
      if (last) afterRecordId = last.id
    }
    log.warn({ organizationId, records: count }, "restored an organization from the signer's archive")
  }

  async #store({ outcome, body, stamp }: RecoveredOutcome): Promise<string> {
    if (!outcome || !stamp) throw new Error("the signer sent a recovered outcome without its request")
    const { scheme, publicKey, signature } = stamp
    const submission = readSubmission(Buffer.from(body), [...activityTypes.values()])
    const evidence: Evidence = { ...submission, stamp: { scheme, publicKey, signature } }
    await this.#deps.outcomes.store(outcome, evidence)
    this.#deps.signer.acknowledge(outcome.organizationId, submission.fingerprint, publicKey)
    return submission.fingerprint.toString("hex")
  }
}

import type { Logger } from "../../common/logger.ts"
import { Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import { recordChange } from "../record-change.ts"
import type { Signer } from "../signer.ts"
import { restoreState } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import type { Healing } from "./executor.ts"
import { organizationChange } from "./outcome-store.ts"
import type { Recovery } from "./recovery.ts"

export type HealerDeps = {
  signer: Pick<Signer, "readArchive">
  sql: Database
  organizations: Organizations
  recovery: Recovery
  log: Logger
}

/** Brings the database up to what the signer knows: after a crash, or after it was set back or lost. */
export class Healer implements Healing {
  readonly #deps: HealerDeps

  constructor(deps: HealerDeps) {
    this.#deps = deps
  }

  recover(organizationId: string): Promise<void> {
    return this.#deps.recovery.pass(organizationId)
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
}

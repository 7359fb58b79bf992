import { fromBinary } from "@bufbuild/protobuf"
import { RecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { Logger } from "../../common/logger.ts"
import { Organization } from "../authentication/stored-organization.ts"
import type { Organizations } from "../authentication/organization-store.ts"
import { recordChanges } from "../store/record-changes.ts"
import type { Signer } from "./signer.ts"
import { restoreState } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import type { Healing } from "../submit/executor.ts"
import { organizationChange } from "../submit/outcome-store.ts"
import type { Recovery } from "./recovery.ts"

export type HealerDeps = {
  signer: Pick<Signer, "readArchive" | "readSession">
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
      const { records, sessions } = recordChanges(page.records)
      await restoreState(sql, {
        organizationId,
        organization: organization && organizationChange(organization),
        createdMs: Number(organization?.document.createdAtMs ?? 0),
        records,
        sessions,
      })
      if (organization) organizations.put(organization)
      count += page.records.length
      const last = page.records.at(-1)
      more = page.more && last !== undefined
      if (last) afterRecordId = fromBinary(RecordSchema, last).id
    }
    log.warn({ organizationId, records: count }, "restored an organization from the signer's archive")
  }

  /** Stores the session that a key stamps in, if the signer knows one. */
  async restoreSession(organizationId: string, publicKey: string): Promise<boolean> {
    const { signer, sql, log } = this.#deps
    const found = await signer.readSession(organizationId, publicKey)
    if (found.length === 0) return false
    await restoreState(sql, { organizationId, ...recordChanges(found), createdMs: 0 })
    log.warn({ organizationId }, "restored a session from the signer's archive")
    return true
  }
}

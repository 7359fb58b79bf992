import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { identitiesOf } from "../identities.ts"
import { Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import { recordChange } from "../record-change.ts"
import type { ActivityBatcher, ActivityRow } from "../store/activities.ts"
import { applyChange, type OrganizationChange } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import { type Evidence, mergedRow, openedRow } from "./activity-rows.ts"

export type OutcomeStoreDeps = { sql: Database; batcher: ActivityBatcher; organizations: Organizations }

/** Writes what the signer decided; nothing is answered to a caller before it is on disk. */
export class OutcomeStore {
  readonly #deps: OutcomeStoreDeps

  constructor(deps: OutcomeStoreDeps) {
    this.#deps = deps
  }

  /** The activity as it stands afterwards. What is stored already changes nothing, so this may be repeated. */
  async store(outcome: Outcome, evidence: Evidence): Promise<ActivityRow> {
    const { decision } = outcome
    if (decision === undefined) throw new Error("the signer sent an outcome without its decision")
    const row = openedRow(outcome, decision, evidence)
    if (!isSignature(outcome)) return this.#apply(outcome, row)
    const insertion = await this.#deps.batcher.insert(row)
    return insertion === "inserted" ? row : insertion
  }

  /** Should the database have lost the activity voted on, the vote's own request stands in for it. */
  async #apply(outcome: Outcome, activity: ActivityRow): Promise<ActivityRow> {
    const { organizationId, document, records, opened } = outcome
    const organization = document.length > 0 ? new Organization(document.slice()) : undefined
    const stored = await applyChange(this.#deps.sql, {
      organizationId,
      organization: organization && organizationChange(organization),
      records: records.map(recordChange),
      activity,
      merge: (there) => mergedRow(there, activity, opened),
    })
    if (organization) this.#deps.organizations.put(organization)
    return stored
  }
}

export function organizationChange(organization: Organization): OrganizationChange {
  const { parentId, name, deletedAtMs } = organization.document
  return {
    ...(parentId ? { parentId } : {}),
    name,
    version: organization.version,
    document: organization.notarized,
    deleted: deletedAtMs !== 0n,
    identities: identitiesOf(organization.document),
  }
}

/** Nothing but a row to insert: the hot path, many rows to a statement. */
function isSignature({ opened, unacknowledged, document, records, result }: Outcome): boolean {
  return opened && !unacknowledged && document.length === 0 && records.length === 0 && result !== undefined
}

import type { Outcome } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { Organization } from "../organization.ts"
import type { Organizations } from "../organizations.ts"
import { recordChange } from "../record-change.ts"
import { type ActivityBatcher, type ActivityRow, getActivityByFingerprint } from "../store/activities.ts"
import { applyChange, type OrganizationChange } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import { type Evidence, openedRow, votedRow } from "./activity-rows.ts"
import { Queues } from "./queues.ts"

export type OutcomeStoreDeps = { sql: Database; batcher: ActivityBatcher; organizations: Organizations }

/** Writes what the signer decided; nothing is answered to a caller before it is on disk. */
export class OutcomeStore {
  readonly #deps: OutcomeStoreDeps
  /** Two votes on one activity must not overwrite each other's list. */
  readonly #queues = new Queues()

  constructor(deps: OutcomeStoreDeps) {
    this.#deps = deps
  }

  /** The activity as it stands afterwards. What is stored already changes nothing, so this may be repeated. */
  async store(outcome: Outcome, evidence: Evidence): Promise<ActivityRow> {
    const { decision } = outcome
    if (decision === undefined) throw new Error("the signer sent an outcome without its decision")
    if (isSignature(outcome)) {
      const row = openedRow(outcome, decision, evidence)
      const insertion = await this.#deps.batcher.insert(row)
      return insertion === "inserted" ? row : insertion
    }
    const activity = `${outcome.organizationId}/${Buffer.from(outcome.activityFingerprint).toString("hex")}`
    return this.#queues.run(activity, async () => {
      const row = outcome.opened
        ? openedRow(outcome, decision, evidence)
        : votedRow(await this.#target(outcome, evidence), outcome, decision, evidence)
      return this.#apply(outcome, row)
    })
  }

  async #apply({ organizationId, document, records }: Outcome, activity: ActivityRow): Promise<ActivityRow> {
    const organization = document.length > 0 ? new Organization(document.slice()) : undefined
    const stored = await applyChange(this.#deps.sql, {
      organizationId,
      organization: organization && organizationChange(organization),
      records: records.map(recordChange),
      activity,
    })
    if (organization) this.#deps.organizations.put(organization)
    return stored
  }

  /** The activity voted on. Should the database have lost it, the vote's own request stands in for it. */
  async #target(outcome: Outcome, evidence: Evidence): Promise<ActivityRow> {
    const { organizationId, activityFingerprint, decision } = outcome
    const found = await getActivityByFingerprint(this.#deps.sql, organizationId, activityFingerprint)
    if (found !== undefined || decision === undefined) return found as ActivityRow
    return { ...openedRow(outcome, decision, evidence), votes: "[]" }
  }
}

export function organizationChange(organization: Organization): OrganizationChange {
  const { parentId, name } = organization.document
  return {
    ...(parentId ? { parentId } : {}),
    name,
    version: organization.version,
    document: organization.notarized,
    credentials: organization.credentials(),
  }
}

/** Nothing but a row to insert: the hot path, many rows to a statement. */
function isSignature({ opened, unacknowledged, document, records, result }: Outcome): boolean {
  return opened && !unacknowledged && document.length === 0 && records.length === 0 && result !== undefined
}

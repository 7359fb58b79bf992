import type { AppProof } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Decision, Outcome, Refused } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { ErrorBody } from "../../common/api-error.ts"
import type { BootProofs } from "../signer/boot-proofs.ts"
import { identitiesOf } from "../store/identity-keys.ts"
import { Organization } from "../authentication/stored-organization.ts"
import type { Organizations } from "../authentication/organization-store.ts"
import { recordChanges } from "../store/record-changes.ts"
import type { ActivityBatcher, ActivityRow } from "../store/activities.ts"
import { applyChange, type OrganizationChange, type StateChange } from "../store/changes.ts"
import type { Database } from "../store/database.ts"
import { deniedRow, type Evidence, isDenied, mergedRow, openedRow } from "./activity-rows.ts"

export type OutcomeStoreDeps = {
  sql: Database
  batcher: ActivityBatcher
  organizations: Organizations
  bootProofs: Pick<BootProofs, "keep">
}

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
    if (outcome.appProofs.length > 0) await this.#keepBootProof(outcome.appProofs)
    if (!isSignature(outcome)) return this.#apply(outcome, row)
    const insertion = await this.#deps.batcher.insert(row)
    if (insertion === "inserted") return row
    // Rare: somebody was denied the same body. Read again under its lock, for others may replace it as well.
    return isDenied(insertion) ? this.#apply(outcome, row) : insertion
  }

  /** An activity that was denied, as it stands afterwards: the row that was there before stays. */
  async storeDenial(
    { appProofs }: Pick<Refused, "appProofs">,
    denial: Decision,
    evidence: Evidence,
    failure: ErrorBody,
  ): Promise<ActivityRow> {
    await this.#keepBootProof(appProofs)
    const row = deniedRow(denial, evidence, failure, appProofs)
    const insertion = await this.#deps.batcher.insert(row)
    return insertion === "inserted" ? row : insertion
  }

  async #keepBootProof([proof]: readonly AppProof[]): Promise<void> {
    if (proof) await this.#deps.bootProofs.keep(proof.publicKey)
  }

  /** Should the database have lost the activity voted on, the vote's own request stands in for it. */
  async #apply(outcome: Outcome, activity: ActivityRow): Promise<ActivityRow> {
    const own = readState(outcome)
    const born = outcome.born.map(readState)
    const stored = await applyChange(this.#deps.sql, {
      ...stateChange(own),
      born: born.map(stateChange),
      activity,
      merge: (there) => mergedRow(there, activity, outcome.opened),
    })
    for (const { organization } of [own, ...born]) {
      if (organization) this.#deps.organizations.put(organization)
    }
    return stored
  }
}

/** What an outcome says of one organization. */
function readState({
  organizationId,
  document,
  records,
}: Pick<Outcome, "organizationId" | "document" | "records">) {
  const organization = document.length > 0 ? new Organization(document.slice()) : undefined
  return { organizationId, organization, ...recordChanges(records) }
}

function stateChange({ organization, ...state }: ReturnType<typeof readState>): StateChange {
  return { ...state, organization: organization && organizationChange(organization) }
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
function isSignature({ opened, unacknowledged, document, records, born, result }: Outcome): boolean {
  const changesNothing = document.length === 0 && records.length === 0 && born.length === 0
  return opened && !unacknowledged && changesNothing && result !== undefined
}

import { createHash, randomBytes } from "node:crypto"
import { type StoredIdentity, identityKey } from "../../../../services/api/store/identity-keys.ts"
import type { ActivityRow } from "../../../../services/api/store/activities.ts"
import type {
  ActivityChange,
  OrganizationChange,
  RecordChange,
} from "../../../../services/api/store/changes.ts"
import { allRecords, type RecordRow } from "../../../../services/api/store/records.ts"
import type { StoredVote } from "../../../../services/api/store/stored-vote.ts"
import type { Queries } from "../../../../services/database/database.ts"

let counter = 0

/** Ascending UUIDs, as UUIDv7 are. */
export function nextId(): string {
  const count = (++counter).toString(16).padStart(12, "0")
  return `01900000-${count.slice(0, 4)}-7${count.slice(4, 7)}-8000-${count.slice(7).padStart(12, "0")}`
}

export function sampleActivity(given: Partial<ActivityRow> = {}): ActivityRow {
  return {
    organizationId: nextId(),
    id: nextId(),
    fingerprint: randomBytes(32),
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    userId: nextId(),
    deniedUserId: null,
    intent: '{"createWalletIntent":{"walletName":"Ünïcode \\\\u0000 \\n"}}',
    result: null,
    failure: null,
    votes: [],
    appProofs: null,
    createdMs: 1_700_000_000_123,
    updatedMs: 1_700_000_000_123,
    ...given,
  }
}

/** Stores an activity as 0.1.0 did. */
export async function insertAsBefore(sql: Queries, { votes, ...row }: ActivityRow): Promise<void> {
  await sql`
    insert into activities (organization_id, id, fingerprint, type, status, user_id, denied_user_id, intent, result,
      failure, votes, app_proofs, created_ms, updated_ms)
    values (${row.organizationId}, ${row.id}, ${row.fingerprint}, ${row.type}, ${row.status}, ${row.userId},
      ${row.deniedUserId}, ${row.intent}, ${row.result}, ${row.failure}, ${JSON.stringify(votes)}, ${row.appProofs},
      ${row.createdMs}, ${row.updatedMs})`
}

export function sampleVote(given: Partial<StoredVote> = {}): StoredVote {
  return {
    id: nextId(),
    userId: nextId(),
    selection: "VOTE_SELECTION_APPROVED",
    message: '{"type":"ACTIVITY_TYPE_CREATE_WALLET"}',
    publicKey: randomBytes(33).toString("hex"),
    signature: randomBytes(71).toString("hex"),
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    createdMs: 1_700_000_000_123,
    ...given,
  }
}

export function sampleRecord(given: Partial<RecordChange> = {}): RecordChange {
  return { kind: 1, id: nextId(), version: 1n, deleted: false, bytes: randomBytes(300), ...given }
}

/** A public key as an identity. */
export function sampleKey(publicKey: string): StoredIdentity {
  return { ...identityKey.publicKey(publicKey), verified: false, onlyLoginMethod: false }
}

/** A change of an organization; the stored rows show its version. */
export function sampleChange(
  organizationId: string,
  version: bigint,
  given: Partial<ActivityChange> = {},
): ActivityChange {
  return {
    organizationId,
    organization: sampleOrganization(version),
    records: [],
    activity: sampleActivity({ organizationId, status: "ACTIVITY_STATUS_COMPLETED", result: "{}" }),
    ...given,
  }
}

export function sampleOrganization(
  version: bigint,
  given: Partial<OrganizationChange> = {},
): OrganizationChange {
  return {
    name: `version ${version}`,
    version,
    document: createHash("sha256").update(`${version}`).digest(),
    deleted: false,
    identities: [sampleKey(`key of ${version}`)],
    ...given,
  }
}

/** All records of a kind, in their order. */
export async function everyRecord(sql: Queries, organizationId: string, kind: number): Promise<RecordRow[]> {
  const all: RecordRow[] = []
  for await (const rows of allRecords(sql, organizationId, kind)) all.push(...rows)
  return all
}

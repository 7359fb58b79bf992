import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { StoredIdentity } from "./identity-keys.ts"
import { type ActivityRow, type Merge, storeActivity } from "./activities.ts"
import { hex } from "./activity-row.ts"
import { type Database, sqlState, type Transaction } from "../../database/database.ts"
import { together } from "../../database/together.ts"
import { replaceIdentities } from "./identities.ts"
import { storeAuthProxyConfig } from "./auth-proxy-configs.ts"
import { recordSlices } from "./record-slices.ts"
import { type SessionChange, storeSessions } from "./sessions.ts"
import { storeWebhookTargets, type WebhookTarget } from "./webhook-targets.ts"

/** All rows that one activity changes. */
export type ActivityChange = StateChange & {
  /** Organizations that the activity created. */
  createdOrganizations?: StateChange[]
  activity: ActivityRow
  /** Combines the activity with a stored one; by default a newer one replaces one that is not final. */
  merge?: Merge
}

/** New state of one organization. */
export type StateChange = {
  /** Owner of the document and the records. */
  organizationId: string
  organization?: OrganizationChange | undefined
  records: RecordChange[]
  sessions?: SessionChange[]
  /** Sequence of the ledger's transaction that changed the organization; absent or 0: unknown. */
  ledgerSequence?: bigint
}

export type OrganizationChange = {
  /** Never changes. */
  parentId?: string | undefined
  name: string
  version: bigint
  document: Uint8Array
  deleted: boolean
  /** Names, contacts and credentials by which the organization is found. */
  identities: readonly StoredIdentity[]
  /** Id of its auth proxy's configuration; absent: it has none. */
  authProxyConfigId?: string | undefined
  /** URLs that receive its events; absent: none. */
  webhookTargets?: readonly WebhookTarget[]
}

export type RecordChange = {
  kind: number
  id: string
  parentId?: string | undefined
  /** Canonical form. */
  address?: string | undefined
  /** An account's path. */
  path?: string | undefined
  version: bigint
  deleted: boolean
  bytes: Uint8Array
}

/** Deadlock, serialization failure: nothing was written, and the transaction is repeated. */
const COLLISIONS = ["40P01", "40001"]
const ATTEMPTS = 3

/**
 * Stores a change in one transaction; `also` adds statements to it. State that is older than the stored state is left
 * out, so changes may arrive twice and in any order. Returns the activity as it is stored afterwards.
 */
export async function applyChange(
  sql: Database,
  change: ActivityChange,
  also?: (tx: Transaction) => Promise<unknown>,
): Promise<ActivityRow> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await sql.begin(async (tx) => {
        // Statements that need no other's result are sent together, and run in this order, so every process locks rows in the same order.
        const states = [change, ...(change.createdOrganizations ?? [])].map((state) =>
          storeState(tx, state, change.activity.createdMs),
        )
        const { merge } = change
        const activity = storeActivity(tx, change.activity, { ledgerSequence: latestSequence(change), merge })
        await together([...states, activity])
        await also?.(tx)
        return activity
      })
    } catch (error) {
      if (attempt === ATTEMPTS || !COLLISIONS.includes(sqlState(error) ?? "")) throw error
    }
  }
}

/** An activity that only created organizations has their sequence: its own organization did not change. */
function latestSequence({ ledgerSequence = 0n, createdOrganizations = [] }: ActivityChange): bigint {
  const sequences = [ledgerSequence, ...createdOrganizations.map((created) => created.ledgerSequence ?? 0n)]
  return sequences.reduce((highest, sequence) => (sequence > highest ? sequence : highest))
}

/** State of an organization without an activity, for a database that was lost or set back. */
type RestoredState = StateChange & {
  /** Creation of the organization, Unix milliseconds. */
  createdMs: number
}

/** Stores document and records, as far as they are newer than the stored ones. */
export async function restoreState(sql: Database, state: RestoredState): Promise<void> {
  await sql.begin((tx) => storeState(tx, state, state.createdMs))
}

/** Statements are sent together. The organization's row is locked first, so each of the others sees what earlier changes left. */
async function storeState(tx: Transaction, state: StateChange, createdMs: number): Promise<void> {
  const { organizationId, organization, records, sessions = [], ledgerSequence = 0n } = state
  const parts: Promise<unknown>[] = []
  if (organization) {
    parts.push(storeOrganization(tx, { organizationId, createdMs, ledgerSequence }, organization))
    const { version, webhookTargets = [] } = organization
    // Before the activity: its row queues notifications for the targets, which are those after the change.
    if (webhookTargets.length > 0 || version > 1n)
      parts.push(storeWebhookTargets(tx, organizationId, { version, targets: webhookTargets }))
  }
  // An activity that only creates organizations leaves its own one as it is, and others that do so need not wait for it.
  else if (ledgerSequence > 0n || records.length + sessions.length > 0)
    parts.push(noteState(tx, organizationId, ledgerSequence))
  for (const slice of recordSlices(records)) parts.push(storeRecords(tx, organizationId, slice))
  if (sessions.length > 0) parts.push(storeSessions(tx, organizationId, sessions))
  await together(parts)
}

/**
 * Notes the sequence of stored state, 0: unknown. Rows that are stored after their organization was deleted remain, and the worker
 * removes them. Transactions of an organization wait here for each other, so none of them misses a deletion. An organization that is
 * not stored yet gets its sequence with a later restoration.
 */
export async function noteState(tx: Transaction, organizationId: string, sequence: bigint): Promise<void> {
  await tx`
    update organizations set ledger_sequence = greatest(ledger_sequence, ${sequence}), rows_remain = deleted
    where id = ${organizationId}`
}

/**
 * Identities change only with a newer document: an older one must not restore a removed key. Those of a deleted organization
 * remain, with its sessions and records, until the worker has removed them: its keys are destroyed.
 */
async function storeOrganization(
  tx: Transaction,
  {
    organizationId,
    createdMs,
    ledgerSequence,
  }: Pick<RestoredState, "organizationId" | "createdMs"> & {
    ledgerSequence: bigint
  },
  change: Nullable<OrganizationChange>,
): Promise<void> {
  const { parentId = null, name, version, document, deleted, identities, authProxyConfigId } = change
  // Records may be stored before their organization: its insertion sets their family_id.
  const stored = await tx<{ parentId: string | null }[]>`
    with stored as (
      insert into organizations (id, parent_id, name, version, deleted, rows_remain, document, created_ms, ledger_sequence)
      values (${organizationId}, ${parentId}, ${name}, ${version}, ${deleted}, ${deleted}, ${document}, ${createdMs},
        ${ledgerSequence})
      on conflict (id) do update set name = excluded.name, version = excluded.version, deleted = excluded.deleted,
        rows_remain = excluded.rows_remain, document = excluded.document,
        ledger_sequence = greatest(organizations.ledger_sequence, excluded.ledger_sequence)
        where organizations.version < excluded.version
      returning id, parent_id, xmax = 0 as created
    ), adopted as (
      update records set family_id = stored.parent_id from stored
      where created and stored.parent_id is not null and organization_id = stored.id
    )
    select parent_id as "parentId" from stored`
  const [organization] = stored
  // A newer document is stored, and its sequence may be of an older transaction.
  if (!organization) return noteState(tx, organizationId, ledgerSequence)
  const parts: Promise<unknown>[] = []
  if (authProxyConfigId) parts.push(storeAuthProxyConfig(tx, organizationId, authProxyConfigId))
  if (organization.parentId && !deleted)
    parts.push(replaceIdentities(tx, organizationId, organization.parentId, identities))
  await together(parts)
}

type Nullable<T> = Omit<T, "parentId"> & { parentId?: string | null | undefined }

/** Stores records with one statement. An account that arrives after its wallet was deleted is stored as deleted. */
async function storeRecords(tx: Transaction, organizationId: string, records: RecordChange[]): Promise<void> {
  const list = records.map((record) => ({
    ...record,
    version: record.version.toString(),
    bytes: hex(record.bytes),
  }))
  const inserted = tx`
    insert into records
      (organization_id, kind, id, parent_id, address, path_digest, family_id, version, deleted, bytes)
    select distinct on (kind, id) ${organizationId}::uuid, kind, id, "parentId", address,
      sha256(convert_to(path, 'UTF8')), (select parent_id from organizations where id = ${organizationId}), version,
      deleted or exists (select 1 from records as parent where parent.organization_id = ${organizationId}
        and parent.kind = ${RecordKind.WALLET} and parent.id = list."parentId" and parent.deleted),
      decode(bytes, 'hex')
    from jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb) as list (kind smallint, id uuid, "parentId" uuid,
      address text, path text, version bigint, deleted boolean, bytes text)
    order by kind, id, version desc
    on conflict (organization_id, kind, id) do update set version = excluded.version, deleted = excluded.deleted,
      bytes = excluded.bytes, address = coalesce(excluded.address, records.address),
      path_digest = coalesce(excluded.path_digest, records.path_digest),
      parent_id = coalesce(excluded.parent_id, records.parent_id)
    where records.version < excluded.version`
  const deleted = records.filter((record) => record.deleted).map(({ id }) => id)
  if (deleted.length === 0) return void (await inserted)
  // Deleting a wallet deletes its accounts, though only the wallet's record changes.
  const cascaded = tx`
    update records set deleted = true
    where organization_id = ${organizationId} and parent_id = any (${deleted}::uuid[]) and not deleted`
  await together([inserted, cascaded])
}

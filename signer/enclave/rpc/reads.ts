import { ActivityStatus } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ExpireActivitiesRequest,
  type ListOrganizationsRequest,
  type ReadArchiveRequest,
  type ReadSessionRequest,
  type RecoverRequest,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { inSlices } from "../../core/turns/steps.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { archiveKey } from "../execution/state/archived-records.ts"
import { writeRefused } from "../execution/steps/refused.ts"
import { readRecovered } from "../execution/steps/log-decision.ts"
import { activityExpired, lifetimeOf, readEnding } from "../execution/voting/pending-activities.ts"
import {
  changedAt,
  OUTCOMES,
  type Ledger,
  type LedgerPage,
  type LedgerRow,
  type PageLimits,
  REMOVED,
  type RowName,
} from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-fields.ts"
import { requireWitnessed } from "./witnessed.ts"

/** Compressed point of P-256, in lower-case hexadecimal. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

/** The archived record of one session; empty where the organization has no such session. */
export async function readSession(
  { organizationId, sessionPublicKey }: ReadSessionRequest,
  context: SignerContext,
): Promise<{ record?: Uint8Array }> {
  const { ledger, sessions } = context.state()
  const id = readId(organizationId, "organizationId")
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  if (!SESSION_KEY.test(sessionPublicKey)) {
    const sentence = "sessionPublicKey must be a compressed P-256 key in hex"
    throw refuse("REQUEST_INVALID", sentence, { field: "sessionPublicKey" })
  }
  const session = sessions.find(id, sessionPublicKey)
  const record = session && ledger.row(id, "archive-record", archiveKey(RecordKind.SESSION, session.id))
  return record ? { record } : {}
}

type Page = {
  document?: Uint8Array
  records: Uint8Array[]
  more: boolean
  nextCursor: string
  ledgerSequence: bigint
  activityStatuses: ActivityStatus[]
}

/** Records in one page. */
const MAX_RECORDS = 500

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext): Promise<Page> {
  const { ledger, turns } = context.state()
  const id = readId(request.organizationId, "organizationId")
  const after = readOptionalId(request.afterRecordId, "afterRecordId")
  const cursor = request.cursor === undefined ? undefined : readCursor(request.cursor)
  const fingerprints = readFingerprints(request.activityFingerprints)
  await inSlices(ledger.prepare(id, fingerprints.map(fingerprintRow)), id, turns)
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  const document = (cursor ?? after) === "" ? ledger.row(id, "archive-document", "") : undefined
  const limits = { rows: MAX_RECORDS, bytes: PAGE_BYTES - (document?.length ?? 0) }
  const isRemoved = ledger.row(id, REMOVED.kind, REMOVED.key) !== undefined
  const { rows, next } = isRemoved
    ? { rows: [], next: "" }
    : cursor === undefined
      ? pageById(ledger.rows(id, "archive-record"), after, limits)
      : ledger.page(id, "archive-record", cursor, limits)
  const records = rows.map(({ value }) => value)
  const nextCursor = cursor === undefined ? "" : next
  const activityStatuses = fingerprints.map((key) => endingOf(ledger, id, key).status)
  const page = {
    records,
    more: next !== "",
    nextCursor,
    ledgerSequence: changedAt(ledger, id),
    activityStatuses,
  }
  return { ...page, ...(document && { document }) }
}

/** A suffix of a shard's name, `/`, and the key of an archived record. */
const CURSOR = /^(?:#[a-z]{1,8}-[0-9a-f]{1,8})?\/[0-9]{1,4}\/[0-9a-f-]{36}$/

/** @throws REQUEST_INVALID */
function readCursor(text: string): string {
  if (text === "" || CURSOR.test(text)) return text
  throw refuse("REQUEST_INVALID", "cursor must be next_cursor of the page before", { field: "cursor" })
}

/** A page in the order of ids, for callers that know no cursor. */
function pageById(all: LedgerRow[], after: string, limits: PageLimits): LedgerPage {
  const rows = all
    .map((row) => ({ recordId: row.key.slice(row.key.indexOf("/") + 1), row }))
    .filter(({ recordId }) => recordId > after)
    .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
    .map(({ row }) => row)
  const sizes = rows.map(({ value }) => value.length)
  const page = rows.slice(0, pageLength(sizes, limits))
  return { rows: page, next: page.length < rows.length ? page.at(-1)!.key : "" }
}

const MAX_FINGERPRINTS = 1000
const FINGERPRINT_BYTES = 32

/** @throws REQUEST_INVALID */
function readFingerprints(given: readonly Uint8Array[]): string[] {
  if (given.length > MAX_FINGERPRINTS || given.some(({ length }) => length !== FINGERPRINT_BYTES)) {
    const sentence = `activityFingerprints must be at most ${MAX_FINGERPRINTS}, each of 32 bytes`
    throw refuse("REQUEST_INVALID", sentence, { field: "activityFingerprints" })
  }
  return given.map((bytes) => Buffer.from(bytes).toString("hex"))
}

const fingerprintRow = (key: string): RowName => ({ kind: "fingerprint", key })

/** The state of an activity that was pending once; such a fingerprint is a row of its organization. */
function endingOf(
  ledger: Ledger,
  organizationId: string,
  fingerprint: string,
): ReturnType<typeof readEnding> {
  const row = ledger.row(organizationId, "fingerprint", fingerprint)
  return row === undefined ? { status: ActivityStatus.UNSPECIFIED, hasExpired: false } : readEnding(row)
}

/** Ends activities that have waited too long. */
export async function expireActivities(request: ExpireActivitiesRequest, context: SignerContext) {
  const { ledger, executor, limits, turns } = context.state()
  const pendingLifetimeMs = BigInt(lifetimeOf(limits))
  const id = readOptionalId(request.organizationId, "organizationId")
  const fingerprints = readFingerprints(request.activityFingerprints)
  if (id === "") return { pendingLifetimeMs, activities: [] }
  await inSlices(ledger.prepare(id, fingerprints.map(fingerprintRow)), id, turns)
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  await executor.endExpired(id)
  const activities = fingerprints.map((key) => {
    const { status, hasExpired } = endingOf(ledger, id, key)
    return hasExpired ? { status, failure: writeRefused(activityExpired()) } : { status }
  })
  return { pendingLifetimeMs, activities }
}

/** Organizations in one page. */
const MAX_ORGANIZATIONS = 1000

/** Every organization with the version and the sequence of its current state. */
export async function listOrganizations(request: ListOrganizationsRequest, context: SignerContext) {
  const after = readOptionalId(request.afterOrganizationId, "afterOrganizationId")
  const { ledger, rollback } = context.state()
  const found = ledger.organizations(after, MAX_ORGANIZATIONS + 1)
  const organizations = found.slice(0, MAX_ORGANIZATIONS).map(({ organizationId, version, sequence }) => ({
    organizationId,
    documentVersion: version,
    ledgerSequence: sequence,
  }))
  const { givenUpVersion } = rollback
  return { organizations, more: found.length > MAX_ORGANIZATIONS, givenUpVersion }
}

/** Unacknowledged outcomes, oldest first: vote ids grow with time, even within a millisecond. */
export async function recover(request: RecoverRequest, context: SignerContext) {
  const organizationId = readOptionalId(request.organizationId, "organizationId")
  const after = readOptionalId(request.after, "after")
  await requireWitnessed(context.state(), context, WITNESSED_MS)
  const state = context.state()
  const waiting = state.ledger
    .rows(OUTCOMES, "outcome")
    .filter(({ key }) => organizationId === "" || key.startsWith(`${organizationId}/`))
    .map(({ value }) => ({ bytes: value.length, recovered: readRecovered(value, state) }))
    .map((row) => ({ ...row, voteId: row.recovered.outcome?.decision?.voteId ?? "" }))
    .filter(({ voteId }) => after === "" || voteId > after)
    .toSorted((a, b) => (a.voteId < b.voteId ? -1 : 1))
  const page = waiting.slice(
    0,
    pageLength(
      waiting.map(({ bytes }) => bytes),
      { rows: Infinity, bytes: PAGE_BYTES },
    ),
  )
  return { outcomes: page.map(({ recovered }) => recovered), more: page.length < waiting.length }
}

/** Less than the deadline of the API's call. */
const WITNESSED_MS = 8_000

/** Bytes in one page: well under the limit of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Items that fit into a page; at least one, so that the caller can continue after it. */
function pageLength(sizes: readonly number[], { rows, bytes }: PageLimits): number {
  let free = bytes
  const beyond = sizes.findIndex((size, index) => {
    free -= size
    return index > 0 && (index >= rows || free < 0)
  })
  return beyond === -1 ? sizes.length : beyond
}

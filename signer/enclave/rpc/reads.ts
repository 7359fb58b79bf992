import { fromBinary } from "@bufbuild/protobuf"
import { ActivityStatus } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ListOrganizationsRequest,
  type ReadArchiveRequest,
  type ReadSessionRequest,
  type RecoverRequest,
  RecoveredOutcomeSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { archiveKey } from "../execution/state/archived-records.ts"
import { changedAt, DEPLOYMENT, type Ledger } from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-fields.ts"

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
  ledgerSequence: bigint
  activityStatuses: ActivityStatus[]
}

/** Records in one page. */
const MAX_RECORDS = 500

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext): Promise<Page> {
  const { ledger } = context.state()
  const id = readId(request.organizationId, "organizationId")
  const after = readOptionalId(request.afterRecordId, "afterRecordId")
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  const rows = ledger
    .rows(id, "archive-record")
    .map(({ key, value }) => ({ recordId: key.slice(key.indexOf("/") + 1), value }))
    .filter(({ recordId }) => recordId > after)
    .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  const document = after === "" ? ledger.row(id, "archive-document", "") : undefined
  const sizes = rows.map(({ value }) => value.length)
  const records = rows.slice(0, pageLength(sizes, MAX_RECORDS, document?.length)).map(({ value }) => value)
  const activityStatuses = readFingerprints(request.activityFingerprints).map((key) =>
    statusOf(ledger, id, key),
  )
  const more = records.length < rows.length
  const page = { records, more, ledgerSequence: changedAt(ledger, id), activityStatuses }
  return { ...page, ...(document && { document }) }
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

/** The status of an activity that was pending once; such a fingerprint is a row of its organization. */
function statusOf(ledger: Ledger, organizationId: string, fingerprint: string): ActivityStatus {
  const value = ledger.row(organizationId, "fingerprint", fingerprint)
  return value === undefined
    ? ActivityStatus.UNSPECIFIED
    : (Number(Buffer.from(value).toString()) as ActivityStatus)
}

/** Organizations in one page. */
const MAX_ORGANIZATIONS = 1000

/** Every organization with the version and the sequence of its current state. */
export async function listOrganizations(request: ListOrganizationsRequest, context: SignerContext) {
  const after = readOptionalId(request.afterOrganizationId, "afterOrganizationId")
  const found = context.state().ledger.organizations(after, MAX_ORGANIZATIONS + 1)
  const organizations = found.slice(0, MAX_ORGANIZATIONS).map(({ organizationId, version, sequence }) => ({
    organizationId,
    documentVersion: version,
    ledgerSequence: sequence,
  }))
  return { organizations, more: found.length > MAX_ORGANIZATIONS }
}

/** Unacknowledged outcomes, oldest first: vote ids grow with time, even within a millisecond. */
export async function recover(request: RecoverRequest, context: SignerContext) {
  const organizationId = readOptionalId(request.organizationId, "organizationId")
  const after = readOptionalId(request.after, "after")
  const waiting = context
    .state()
    .ledger.rows(DEPLOYMENT, "outcome")
    .filter(({ key }) => organizationId === "" || key.startsWith(`${organizationId}/`))
    .map(({ value }) => ({ bytes: value.length, recovered: fromBinary(RecoveredOutcomeSchema, value) }))
    .map((row) => ({ ...row, voteId: row.recovered.outcome?.decision?.voteId ?? "" }))
    .filter(({ voteId }) => after === "" || voteId > after)
    .toSorted((a, b) => (a.voteId < b.voteId ? -1 : 1))
  const page = waiting.slice(0, pageLength(waiting.map(({ bytes }) => bytes)))
  return { outcomes: page.map(({ recovered }) => recovered), more: page.length < waiting.length }
}

/** Bytes in one page: well under the limit of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Items that fit into a page beside `reserved` bytes; at least one, so that the caller can continue after it. */
function pageLength(sizes: readonly number[], maxItems = Infinity, reserved = 0): number {
  let total = reserved
  const beyond = sizes.findIndex((size, index) => {
    total += size
    return index > 0 && (index >= maxItems || total > PAGE_BYTES)
  })
  return beyond === -1 ? sizes.length : beyond
}

import type { ReadArchiveRequest } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { unknownOrganization } from "../execution/organizations.ts"
import { archiveKey } from "../execution/records.ts"
import { requirePhase } from "../phase.ts"
import { refuse } from "../refusal.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-id.ts"

type Page = { document?: Uint8Array; records: Uint8Array[]; more: boolean }

/** Records in one page. */
const PAGE = 500

/** Compressed point of P-256, in lower-case hexadecimal. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext): Promise<Page> {
  requirePhase("readArchive", context.phase())
  const { ledger } = context.work()
  const id = readId(request.organizationId, "organizationId")
  const after = readOptionalId(request.afterRecordId, "afterRecordId")
  if (ledger.head(id) === undefined) throw unknownOrganization(id)
  if (request.sessionPublicKey) return readSession(id, request.sessionPublicKey, context)
  const rows = ledger
    .rows(id, "archive-record")
    .map(({ key, value }) => ({ recordId: key.slice(key.indexOf("/") + 1), value }))
    .filter(({ recordId }) => recordId > after)
    .toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  const document = after === "" ? ledger.row(id, "archive-document", "") : undefined
  return {
    ...(document && { document }),
    records: rows.slice(0, PAGE).map(({ value }) => value),
    more: rows.length > PAGE,
  }
}

/** The record of one session, for whoever finds a key in no document: no page of others has to be read for it. */
function readSession(organizationId: string, publicKey: string, context: SignerContext): Page {
  if (!SESSION_KEY.test(publicKey)) {
    throw refuse("REQUEST_INVALID", "sessionPublicKey must be a compressed P-256 key in hex", {
      field: "sessionPublicKey",
    })
  }
  const { ledger, sessions } = context.work()
  const session = sessions.find(organizationId, publicKey)
  const key = session && archiveKey(RecordKind.SESSION, session.id)
  const record = key && ledger.row(organizationId, "archive-record", key)
  return { records: record ? [record] : [], more: false }
}

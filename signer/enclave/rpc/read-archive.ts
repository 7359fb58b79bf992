import type { ReadArchiveRequest } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import { archiveKey } from "../execution/state/record-names.ts"
import { refuse } from "../../core/refusal.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-fields.ts"

type Page = { document?: Uint8Array; records: Uint8Array[]; more: boolean }

/** Records in one page. */
const PAGE = 500

/** Bytes in one page: well under the bound of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Compressed point of P-256, in lower-case hexadecimal. */
const SESSION_KEY = /^0[23][0-9a-f]{64}$/

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext): Promise<Page> {
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
  const records = firstThatFit(
    rows.map(({ value }) => value),
    PAGE_BYTES - (document?.length ?? 0),
  )
  return { ...(document && { document }), records, more: records.length < rows.length }
}

/** The first in any case, or nobody could go on after it. */
function firstThatFit(records: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let total = 0
  const tooMany = records.findIndex(({ length }, index) => {
    total += length
    return index > 0 && (index >= PAGE || total > bytes)
  })
  return tooMany === -1 ? [...records] : records.slice(0, tooMany)
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

import type { ReadArchiveRequest } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import type { SignerContext } from "./context.ts"
import { pageLength } from "./page.ts"
import { readId, readOptionalId } from "./read-fields.ts"

type Page = { document?: Uint8Array; records: Uint8Array[]; more: boolean }

/** Records in one page. */
const MAX_RECORDS = 500

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext): Promise<Page> {
  const { ledger } = context.work()
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
  return { ...(document && { document }), records, more: records.length < rows.length }
}

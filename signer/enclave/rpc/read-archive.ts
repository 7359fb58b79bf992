import type { ReadArchiveRequest } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unknownOrganization } from "../execution/state/organizations.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-fields.ts"

type Page = { document?: Uint8Array; records: Uint8Array[]; more: boolean }

/** Records in one page. */
const PAGE = 500

/** Bytes in one page: well under the bound of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

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
  const records = firstThatFit(
    rows.map(({ value }) => value),
    PAGE_BYTES - (document?.length ?? 0),
  )
  return { ...(document && { document }), records, more: records.length < rows.length }
}

/** Records up to the bounds of a page; always the first one, so that the caller can continue after it. */
function firstThatFit(records: readonly Uint8Array[], bytes: number): Uint8Array[] {
  let total = 0
  const tooMany = records.findIndex(({ length }, index) => {
    total += length
    return index > 0 && (index >= PAGE || total > bytes)
  })
  return tooMany === -1 ? [...records] : records.slice(0, tooMany)
}

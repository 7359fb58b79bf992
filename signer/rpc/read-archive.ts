import type { ReadArchiveRequest } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { unknownOrganization } from "../execution/organizations.ts"
import { requirePhase } from "../phase.ts"
import type { SignerContext } from "./context.ts"
import { readId, readOptionalId } from "./read-id.ts"

/** Records in one page. */
const PAGE = 500

/** An organization's current document and records, as the database should hold them. */
export async function readArchive(request: ReadArchiveRequest, context: SignerContext) {
  requirePhase("readArchive", context.phase())
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
  return {
    ...(document && { document }),
    records: rows.slice(0, PAGE).map(({ value }) => value),
    more: rows.length > PAGE,
  }
}

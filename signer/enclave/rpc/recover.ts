import { fromBinary } from "@bufbuild/protobuf"
import {
  RecoveredOutcomeSchema,
  type RecoverRequest,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { DEPLOYMENT } from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { readOptionalId } from "./read-fields.ts"

/** Outcomes in one page, bytes: well under the bound of a message. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Outcomes that were not acknowledged, oldest first: vote ids grow with time, also within a millisecond. */
export async function recover(request: RecoverRequest, context: SignerContext) {
  const organizationId = readOptionalId(request.organizationId, "organizationId")
  const after = readOptionalId(request.after, "after")
  const waiting = context
    .work()
    .ledger.rows(DEPLOYMENT, "outcome")
    .filter(({ key }) => organizationId === "" || key.startsWith(`${organizationId}/`))
    .map(({ value }) => ({ bytes: value.length, recovered: fromBinary(RecoveredOutcomeSchema, value) }))
    .map((row) => ({ ...row, voteId: row.recovered.outcome?.decision?.voteId ?? "" }))
    .filter(({ voteId }) => after === "" || voteId > after)
    .toSorted((a, b) => (a.voteId < b.voteId ? -1 : 1))
  const page = waiting.slice(0, lengthOfPage(waiting))
  return { outcomes: page.map(({ recovered }) => recovered), more: page.length < waiting.length }
}

/** As many as fit, and the first in any case. */
function lengthOfPage(rows: readonly { bytes: number }[]): number {
  let length = 0
  let total = 0
  for (const { bytes } of rows) {
    total += bytes
    if (length > 0 && total > PAGE_BYTES) break
    length += 1
  }
  return length
}

import { fromBinary } from "@bufbuild/protobuf"
import {
  RecoveredOutcomeSchema,
  type RecoverRequest,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { DEPLOYMENT } from "../ledger/ledger.ts"
import type { SignerContext } from "./context.ts"
import { pageLength } from "./page.ts"
import { readOptionalId } from "./read-fields.ts"

/** Unacknowledged outcomes, oldest first: vote ids grow with time, even within a millisecond. */
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
  const page = waiting.slice(0, pageLength(waiting.map(({ bytes }) => bytes)))
  return { outcomes: page.map(({ recovered }) => recovered), more: page.length < waiting.length }
}

import { fromBinary } from "@bufbuild/protobuf"
import type { OrderOnRampStatusRequest } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  OnRampTransactionRecordSchema,
  type Record,
  RecordKind,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { makeOrder, withoutRequest } from "../../../../core/fetch-orders/order.ts"
import { refuse } from "../../../../core/refusal.ts"
import { ContextNeeded, SuppliedDocuments } from "../../../execution/state/organizations.ts"
import { governingOf } from "../../../execution/steps/authenticate.ts"
import { requireOnRampKeys } from "../on-ramp-credentials.ts"
import { openRecord } from "../../../records/record.ts"
import type { ServingState, SignerContext } from "../../../rpc/context.ts"

/** An order to the fetcher to ask for the status of a recorded purchase, or the documents that it needs. */
export async function orderOnRampStatus(request: OrderOnRampStatusRequest, context: SignerContext) {
  const state = context.state()
  const record = openPurchase(request.record, state)
  try {
    return {
      order: await state.turns.run(record.organizationId, () => makeStatusOrder(record, request, state)),
    }
  } catch (error) {
    if (!(error instanceof ContextNeeded)) throw error
    return { documents: error.needed.documents ?? [] }
  }
}

/** @throws RECORD_FORGED */
function openPurchase(bytes: Uint8Array, { keyring }: ServingState): Record {
  const record = openRecord(bytes, keyring.records)
  if (record.kind === RecordKind.ON_RAMP_TRANSACTION) return record
  throw refuse("RECORD_FORGED", "the record is of no purchase")
}

function makeStatusOrder(
  { organizationId, id: transactionId, payload }: Record,
  { record: bytes, documents }: OrderOnRampStatusRequest,
  { keyring, organizations, random, nowMs }: ServingState,
) {
  const { provider, sandbox } = fromBinary(OnRampTransactionRecordSchema, payload)
  const supplied = new SuppliedDocuments(documents, keyring.notary)
  const organization = organizations.openRelated(organizationId, supplied)
  const keys = requireOnRampKeys(
    governingOf(organization, supplied, organizations)().document,
    provider,
    sandbox,
  )
  const request = withoutRequest(organizationId, bytes)
  const sign = (tag: string, message: Uint8Array) => keyring.notary.sign(tag, message)
  const task = { case: "onRampStatus", value: { keys, transactionId } } as const
  return makeOrder(task, request, nowMs(), { sign, random })
}

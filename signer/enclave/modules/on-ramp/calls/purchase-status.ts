import { fromBinary } from "@bufbuild/protobuf"
import type { OrderOnRampStatusRequest } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import {
  OnRampTransactionRecordSchema,
  type Record,
  RecordKind,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { makeOrder, withoutRequest } from "../../../../core/fetch-orders/order.ts"
import { refuse } from "../../../../core/refusal.ts"
import { SuppliedDocuments } from "../../../execution/state/organizations.ts"
import { requireOnRampKeys } from "../on-ramp-credentials.ts"
import { openRecord } from "../../../records/record.ts"
import type { ServingState, SignerContext } from "../../../rpc/context.ts"

/** An order to the fetcher to ask for the status of a recorded purchase, or the documents that it needs. */
export async function orderOnRampStatus(request: OrderOnRampStatusRequest, context: SignerContext) {
  const state = context.state()
  const record = openPurchase(request.record, state)
  return state.turns.run(record.organizationId, () => makeStatusOrder(record, request, state))
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
  const organization = organizations.findRelated(organizationId, supplied)
  if (organization === undefined) return { documents: [organizations.documentNeeded(organizationId)] }
  const parentId = organization.document.parentId || organizationId
  const governing = organizations.findRelated(parentId, supplied)
  if (governing === undefined) return { documents: [organizations.documentNeeded(parentId)] }
  const keys = requireOnRampKeys(governing.document, provider, sandbox)
  const request = withoutRequest(organizationId, bytes)
  const sign = (tag: string, message: Uint8Array) => keyring.notary.sign(tag, message)
  const task = { case: "onRampStatus", value: { keys, transactionId } } as const
  return { order: makeOrder(task, request, nowMs(), { sign, random }) }
}

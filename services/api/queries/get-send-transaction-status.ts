import {
  type GetSendTransactionStatusRequest,
  GetSendTransactionStatusResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { revertedContract, sameNonceId, sendStatusResource } from "../resources/send-status.ts"
import { interfaceText } from "../resources/smart-contract-interface.ts"
import { getRecord } from "../store/records.ts"
import { getSameNonceSend, getSendStatus } from "../store/sends.ts"
import type { Query, QueryContext } from "./shared/query.ts"

export const getSendTransactionStatus: Query<GetSendTransactionStatusRequest> = async (
  { sendTransactionStatusId: id },
  context,
) => {
  const { sql, organization } = context
  const row = await getSendStatus(sql, organization.id, id)
  if (row === undefined)
    throw notFound(`unable to find send transaction status ${id} in organization ${organization.id}`)
  const abis = await interfacesAt(revertedContract(row), context)
  const otherId = sameNonceId(row)
  const other = otherId === undefined ? undefined : await getSameNonceSend(sql, organization.id, otherId)
  return jsonText(GetSendTransactionStatusResponseSchema, sendStatusResource(row, abis, other))
}

/** Texts of the organization's interfaces of a contract, by which its errors are named. */
async function interfacesAt(
  address: string | undefined,
  { sql, organization }: QueryContext,
): Promise<string[]> {
  if (address === undefined) return []
  const references = organization.document.interfaces.filter(
    (reference) => reference.address.toLowerCase() === address.toLowerCase(),
  )
  const rows = await Promise.all(
    references.map(({ interfaceId }) =>
      getRecord(sql, organization.id, RecordKind.SMART_CONTRACT_INTERFACE, interfaceId),
    ),
  )
  return rows.flatMap((row) => (row === undefined ? [] : [interfaceText(row)]))
}

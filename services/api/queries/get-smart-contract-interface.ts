import {
  type GetSmartContractInterfaceRequest,
  GetSmartContractInterfaceResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { getRecord } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { smartContractInterfaceResource } from "../resources/smart-contract-interface.ts"

export const getSmartContractInterface: Query<GetSmartContractInterfaceRequest> = async (
  { smartContractInterfaceId: id },
  { sql, organization },
) => {
  const row = await getRecord(sql, organization.id, RecordKind.SMART_CONTRACT_INTERFACE, id)
  if (row === undefined) {
    throw notFound(`unable to find smart contract interface ${id} in organization ${organization.id}`)
  }
  return jsonText(GetSmartContractInterfaceResponseSchema, {
    smartContractInterface: smartContractInterfaceResource(row),
  })
}

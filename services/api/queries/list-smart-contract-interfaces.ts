import {
  type ListSmartContractInterfacesRequest,
  ListSmartContractInterfacesResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listAllRecords } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { smartContractInterfaceResource } from "../resources/smart-contract-interface.ts"

/** All smart contract interfaces with their texts, oldest first. */
export const listSmartContractInterfaces: Query<ListSmartContractInterfacesRequest> = async (
  _request,
  { sql, organization },
) => {
  const rows = await listAllRecords(sql, organization.id, RecordKind.SMART_CONTRACT_INTERFACE)
  return jsonText(ListSmartContractInterfacesResponseSchema, {
    smartContractInterfaces: rows.map(smartContractInterfaceResource),
  })
}

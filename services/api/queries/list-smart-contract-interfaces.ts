import type { ListSmartContractInterfacesRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { SmartContractInterfaceSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { listAllRecords, type RecordRow } from "../store/records.ts"
import type { Query } from "./shared/query.ts"
import { textInSlices } from "./shared/text-in-slices.ts"
import { smartContractInterfaceResource } from "../resources/smart-contract-interface.ts"

/** All smart contract interfaces with their texts, oldest first. */
export const listSmartContractInterfaces: Query<ListSmartContractInterfacesRequest> = async (
  _request,
  context,
) => {
  const { sql, organization } = context
  const rows = await listAllRecords(sql, organization.id, RecordKind.SMART_CONTRACT_INTERFACE)
  return `{"smartContractInterfaces":[${await textInSlices(rows, textOf, context)}]}`
}

function textOf(row: RecordRow): string {
  return jsonText(SmartContractInterfaceSchema, smartContractInterfaceResource(row))
}

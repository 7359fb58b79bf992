import type { ListSmartContractInterfacesRequest } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { SmartContractInterfaceSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { jsonText } from "../resources/json-text.ts"
import { smartContractInterfaceResource } from "../resources/smart-contract-interface.ts"
import type { RecordRow } from "../store/records.ts"
import { AnswerSize } from "./shared/answer-size.ts"
import type { Query } from "./shared/query.ts"
import { recordsText } from "./shared/records-text.ts"

/** All smart contract interfaces with their texts, oldest first. */
export const listSmartContractInterfaces: Query<ListSmartContractInterfacesRequest> = async (
  _request,
  context,
) => {
  const size = new AnswerSize(
    "get_smart_contract_interface with an id of get_organization's smartContractInterfaceReferences",
  )
  const text = await recordsText(RecordKind.SMART_CONTRACT_INTERFACE, textOf, context, size)
  return `{"smartContractInterfaces":[${text}]}`
}

function textOf(row: RecordRow): string {
  return jsonText(SmartContractInterfaceSchema, smartContractInterfaceResource(row))
}

import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { removeInterface } from "./contract-interfaces.ts"
import type { Activity } from "../../activities/activity.ts"

const FIELD = "parameters.smartContractInterfaceId"

export const deleteSmartContractInterface: Activity<"deleteSmartContractInterface"> = {
  run({ smartContractInterfaceId }, { organization, changes }) {
    const id = smartContractInterfaceId.toLowerCase()
    changes.deleteRecord(RecordKind.SMART_CONTRACT_INTERFACE, id, FIELD)
    removeInterface(organization, id, FIELD)
    return { smartContractInterfaceId: id }
  },
}

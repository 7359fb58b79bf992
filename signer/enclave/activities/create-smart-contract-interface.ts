import { create, toBinary } from "@bufbuild/protobuf"
import { SmartContractInterfaceType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  SmartContractInterfaceRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import {
  type InterfaceChain,
  interfaceDigest,
  requireContractAddress,
  requireInterface,
} from "../../core/contract-interface/index.ts"
import { addInterface } from "../organization/interfaces.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity } from "./activity.ts"

/** Reference in the document, text in a record: what reads calls is as certain as who may make them. */
export const createSmartContractInterface: Activity<
  "createSmartContractInterfaceIntent",
  "createSmartContractInterfaceResult"
> = {
  run(parameters, { organization, changes, newId, nowMs }) {
    const {
      smartContractAddress: address,
      smartContractInterface: text,
      type,
      label,
      notes = "",
    } = parameters
    const chain = chainOf(type)
    const contract = requireContractAddress(chain, address, "parameters.smartContractAddress")
    requireInterface(chain, text, "parameters.smartContractInterface")
    const interfaceId = newId()
    const reference = { interfaceId, type, address: contract, digest: interfaceDigest(text) }
    addInterface(organization, reference, "parameters.smartContractAddress")
    const times = { createdAtMs: BigInt(nowMs), updatedAtMs: BigInt(nowMs) }
    const record = create(SmartContractInterfaceRecordSchema, { address, type, text, label, notes, ...times })
    const payload = toBinary(SmartContractInterfaceRecordSchema, record)
    changes.addRecord({ kind: RecordKind.SMART_CONTRACT_INTERFACE, id: interfaceId, payload })
    return { smartContractInterfaceId: interfaceId }
  },
}

function chainOf(type: SmartContractInterfaceType): InterfaceChain {
  if (type === SmartContractInterfaceType.ETHEREUM) return "ethereum"
  if (type === SmartContractInterfaceType.SOLANA) return "solana"
  throw refuse("REQUEST_INVALID", "type is no type of smart contract interfaces", {
    field: "parameters.type",
  })
}

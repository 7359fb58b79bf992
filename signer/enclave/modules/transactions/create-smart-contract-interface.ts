import { create, toBinary } from "@bufbuild/protobuf"
import { SmartContractInterfaceType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  SmartContractInterfaceRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import {
  type InterfaceChain,
  interfaceDigest,
  requireContractAddress,
  requireInterface,
} from "../../../core/contract-interface/index.ts"
import { addInterface } from "./contract-interfaces.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Activity } from "../../activities/activity.ts"

/** Adds a reference to the document and the text as a record, so both are authenticated like policies. */
export const createSmartContractInterface: Activity<"createSmartContractInterface"> = {
  run(parameters, { organization, changes, newId, nowMs }) {
    const { smartContractAddress: address, smartContractInterface: text } = parameters
    const { type, label, notes = "" } = parameters
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
  const sentence = "type: unknown type of smart contract interface; use ETHEREUM or SOLANA"
  throw refuse("REQUEST_INVALID", sentence, { field: "parameters.type" })
}

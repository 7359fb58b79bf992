import { fromBinary } from "@bufbuild/protobuf"
import {
  RecordSchema,
  SmartContractInterfaceRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { interfaceResource } from "./resources.ts"
import type { RecordRow } from "../store/records.ts"

/** A stored interface as it is shown. */
export function interfaceOf(row: RecordRow) {
  const { payload } = fromBinary(RecordSchema, row.bytes)
  return interfaceResource(row, fromBinary(SmartContractInterfaceRecordSchema, payload))
}

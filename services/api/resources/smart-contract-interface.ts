import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type {
  SmartContractInterfaceReferenceSchema,
  SmartContractInterfaceSchema,
} from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { InterfaceReference } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  RecordSchema,
  type SmartContractInterfaceRecord,
  SmartContractInterfaceRecordSchema,
} from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RecordRow } from "../store/records.ts"
import { timestamps } from "./time.ts"

export function smartContractInterfaceResource({
  id,
  organizationId,
  bytes,
}: RecordRow): MessageInitShape<typeof SmartContractInterfaceSchema> {
  const stored = storedInterface(bytes)
  return {
    organizationId,
    smartContractInterfaceId: id,
    smartContractAddress: stored.address,
    smartContractInterface: stored.text,
    type: stored.type,
    label: stored.label,
    notes: stored.notes,
    ...timestamps(stored),
  }
}

/** JSON text of the ABI or IDL. */
export function interfaceText({ bytes }: Pick<RecordRow, "bytes">): string {
  return storedInterface(bytes).text
}

function storedInterface(record: Uint8Array): SmartContractInterfaceRecord {
  return fromBinary(SmartContractInterfaceRecordSchema, fromBinary(RecordSchema, record).payload)
}

/** The address in canonical form, the digest in hexadecimal. */
export function interfaceReferenceResource(
  reference: InterfaceReference,
): MessageInitShape<typeof SmartContractInterfaceReferenceSchema> {
  return {
    smartContractInterfaceId: reference.interfaceId,
    smartContractAddress: reference.address,
    digest: Buffer.from(reference.digest).toString("hex"),
  }
}

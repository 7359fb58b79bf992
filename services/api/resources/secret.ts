import { fromBinary, type MessageInitShape } from "@bufbuild/protobuf"
import type { SecretMetadataSchema } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import { RecordSchema, SecretRecordSchema } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RecordRow } from "../store/records.ts"

/** A secret without its content, which only an export returns. */
export function secretResource({ id, bytes }: RecordRow): MessageInitShape<typeof SecretMetadataSchema> {
  const record = fromBinary(SecretRecordSchema, fromBinary(RecordSchema, bytes).payload)
  return {
    secretId: id,
    ...(record.name === "" ? {} : { name: record.name }),
    staticProperties: record.staticProperties.map(({ key, value }) => ({ key, value })),
    createdAtUnixMs: String(record.createdAtMs),
  }
}

import { fromBinary } from "@bufbuild/protobuf"
import { RecordKind, SecretRecordSchema } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { LongActivity } from "../../activities/activity.ts"

/** Deletes secrets with their names. An id that is named twice counts once. */
export const deleteSecrets: LongActivity<"deleteSecrets"> = {
  *run({ secretIds }, context) {
    const { changes } = context
    const records = yield* context.records.openAll(RecordKind.SECRET, secretIds, "parameters.secretIds")
    const distinct = new Map(records.map((record) => [record.id, record]))
    for (const { id, payload } of distinct.values()) {
      const { name } = fromBinary(SecretRecordSchema, payload)
      if (name !== "") changes.releaseName("secret", name)
      changes.deleteRecord(RecordKind.SECRET, id)
      yield
    }
    return { secretIds: [...distinct.keys()] }
  },
}

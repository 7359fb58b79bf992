import { fromBinary } from "@bufbuild/protobuf"
import { PrivateKeyRecordSchema, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { removePrivateKeysFromTags } from "../../organization/tags.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { removeCountersOf } from "../../activities/counters.ts"
import { requireExported } from "./import-export.ts"

const FIELD = "parameters.privateKeyIds"

/** Deletes private keys with their names and addresses, and removes them from tags. */
export const deletePrivateKeys: LongActivity<"deletePrivateKeys"> = {
  *run({ privateKeyIds, deleteWithoutExport }, context) {
    const { changes, organization } = context
    const records = yield* context.records.openAll(RecordKind.PRIVATE_KEY, privateKeyIds, FIELD)
    const keys = records.map(({ id, payload }) => ({ id, ...fromBinary(PrivateKeyRecordSchema, payload) }))
    if (deleteWithoutExport !== true) requireExported("private key", keys, FIELD)
    const distinct = new Map(keys.map((key) => [key.id, key]))
    for (const { id, name, addresses } of distinct.values()) {
      const names = [{ kind: "private key", name }] as const
      yield* changes.prepare({ names, addresses: addresses.map(({ address }) => address) })
      changes.releaseName("private key", name)
      for (const { address } of addresses) changes.releaseAddress(address, id)
      changes.deleteRecord(RecordKind.PRIVATE_KEY, id)
      yield
    }
    const ids = [...distinct.keys()]
    removePrivateKeysFromTags(organization, ids)
    removeCountersOf("wallet", ids, context)
    return { privateKeyIds: ids }
  },
}

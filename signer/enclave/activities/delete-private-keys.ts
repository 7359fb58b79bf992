import { fromBinary } from "@bufbuild/protobuf"
import { PrivateKeyRecordSchema, RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { forgetPrivateKeys } from "../organization/private-key-tags.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity } from "./activity.ts"

const FIELD = "parameters.privateKeyIds"

/** Ends private keys for good, with their names, addresses and places in tags. */
export const deletePrivateKeys: Activity<"deletePrivateKeysIntent", "deletePrivateKeysResult"> = {
  run({ privateKeyIds, deleteWithoutExport }, context) {
    const { changes, organization } = context
    const keys = context
      .records(RecordKind.PRIVATE_KEY, privateKeyIds, FIELD)
      .map(({ id, payload }) => ({ id, ...fromBinary(PrivateKeyRecordSchema, payload) }))
    if (deleteWithoutExport !== true) requireExported(keys)
    const doomed = new Map(keys.map((key) => [key.id, key]))
    for (const { id, name, addresses } of doomed.values()) {
      changes.releaseName("private key", name)
      for (const { address } of addresses) changes.releaseAddress(address, id)
      changes.deleteRecord(RecordKind.PRIVATE_KEY, id)
    }
    const ids = [...doomed.keys()]
    forgetPrivateKeys(organization, ids)
    return { privateKeyIds: ids }
  },
}

/** @throws PRIVATE_KEY_NOT_EXPORTED */
function requireExported(keys: readonly { id: string; exported: boolean }[]): void {
  const index = keys.findIndex(({ exported }) => !exported)
  if (index === -1) return
  const sentence = `private key has not been exported: ${keys[index]?.id}; set deleteWithoutExport where it may be lost`
  throw refuse("PRIVATE_KEY_NOT_EXPORTED", sentence, { field: `${FIELD}[${index}]` })
}

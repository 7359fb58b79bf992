import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { renameTag, requireTag, tagPrivateKeys, untagPrivateKeys } from "../../organization/tags.ts"
import { refuse } from "../../../core/refusal.ts"
import type { LongActivity } from "../../activities/activity.ts"

const ADD = "parameters.addPrivateKeyIds"
const REMOVE = "parameters.removePrivateKeyIds"

/** Renames a tag, and adds it to private keys or removes it from them. */
export const updatePrivateKeyTag: LongActivity<"updatePrivateKeyTag"> = {
  *run({ privateKeyTagId, newPrivateKeyTagName, addPrivateKeyIds, removePrivateKeyIds }, context) {
    const { organization } = context
    const tagId = privateKeyTagId.toLowerCase()
    const tag = requireTag(organization, TagType.PRIVATE_KEY, tagId, "parameters.privateKeyTagId")
    const removed = yield* context.records.requireAlive(RecordKind.PRIVATE_KEY, removePrivateKeyIds, REMOVE)
    const added = yield* context.records.requireAlive(RecordKind.PRIVATE_KEY, addPrivateKeyIds, ADD)
    const both = added.find((id) => removed.includes(id))
    if (both !== undefined) {
      const sentence = `private key ${both} is in both addPrivateKeyIds and removePrivateKeyIds`
      throw refuse("REQUEST_INVALID", sentence, { field: ADD })
    }
    if (newPrivateKeyTagName !== undefined)
      renameTag(organization, tag, newPrivateKeyTagName, "parameters.newPrivateKeyTagName")
    if (removed.length > 0) untagPrivateKeys(organization, tag, removed)
    if (added.length > 0) tagPrivateKeys(organization, tag, added, ADD)
    return { privateKeyTagId: tagId }
  },
}

import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { addTag, tagPrivateKeys } from "../../organization/tags.ts"
import type { LongActivity } from "../../activities/activity.ts"

export const createPrivateKeyTag: LongActivity<"createPrivateKeyTag"> = {
  *run({ privateKeyTagName: name, privateKeyIds }, context) {
    const { organization } = context
    const field = "parameters.privateKeyIds"
    const ids = yield* context.records.requireAlive(RecordKind.PRIVATE_KEY, privateKeyIds, field)
    const created = { tagId: context.newId(), name, type: TagType.PRIVATE_KEY }
    const tag = addTag(organization, created, "parameters.privateKeyTagName")
    tagPrivateKeys(organization, tag, ids, field)
    return { privateKeyTagId: tag.tagId, privateKeyIds: ids }
  },
}

import { removePrivateKeyTags } from "../../organization/tags.ts"
import type { Activity } from "../../activities/activity.ts"

export const deletePrivateKeyTags: Activity<"deletePrivateKeyTags"> = {
  run({ privateKeyTagIds }, { organization }) {
    const ids = privateKeyTagIds.map((id) => id.toLowerCase())
    return removePrivateKeyTags(organization, ids, "parameters.privateKeyTagIds")
  },
}

import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Draft } from "./draft.ts"
import { removeTags, requireTags } from "./tags.ts"

/** Adds a tag to users that do not have it yet. */
export function tagUsers(draft: Draft, tag: Tag, users: readonly User[]): void {
  for (const user of users) {
    if (user.tagIds.includes(tag.tagId)) continue
    user.tagIds.push(tag.tagId)
    draft.touch(user)
  }
  draft.touch(tag)
}

/** Removes a tag from the users that have it. */
export function untagUsers(draft: Draft, tag: Tag, users: readonly User[]): void {
  for (const user of users) removeFromUser(draft, user, [tag.tagId])
  draft.touch(tag)
}

/** Replaces the tags of a user. @throws RESOURCE_UNKNOWN */
export function setTagsOfUser(draft: Draft, user: User, tagIds: readonly string[], field: string): void {
  user.tagIds = requireTags(draft, TagType.USER, tagIds, field).map(({ tagId }) => tagId)
  draft.touch(user)
}

/** Deletes tags; returns their ids and the users that had any of them. @throws RESOURCE_UNKNOWN */
export function removeUserTags(
  draft: Draft,
  userTagIds: readonly string[],
  field: string,
): { userTagIds: string[]; userIds: string[] } {
  const tags = requireTags(draft, TagType.USER, userTagIds, field)
  const tagIds = tags.map(({ tagId }) => tagId)
  const untagged = draft.document.users.filter((user) => removeFromUser(draft, user, tagIds))
  removeTags(draft, tags)
  return { userTagIds: tagIds, userIds: untagged.map(({ userId }) => userId) }
}

/** Returns whether the user had any of the tags. */
function removeFromUser(draft: Draft, user: User, tagIds: readonly string[]): boolean {
  const kept = user.tagIds.filter((tagId) => !tagIds.includes(tagId))
  if (kept.length === user.tagIds.length) return false
  user.tagIds = kept
  draft.touch(user)
  return true
}

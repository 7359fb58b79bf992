import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag, User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { OrganizationDraft } from "./draft.ts"
import { dropTags, requireTags, touchTag } from "./tags.ts"
import { touchUser } from "./users.ts"

/** Gives a tag to users; who has it keeps it. */
export function tagUsers(draft: OrganizationDraft, tag: Tag, users: readonly User[]): void {
  for (const user of users) {
    if (user.tagIds.includes(tag.tagId)) continue
    user.tagIds.push(tag.tagId)
    touchUser(draft, user)
  }
  touchTag(draft, tag)
}

/** Takes a tag from users; from who has it not, nothing is taken. */
export function untagUsers(draft: OrganizationDraft, tag: Tag, users: readonly User[]): void {
  for (const user of users) withdraw(draft, user, [tag.tagId])
  touchTag(draft, tag)
}

/** Makes these the tags of a user, whatever he had before. @throws RESOURCE_UNKNOWN */
export function setTagsOfUser(
  draft: OrganizationDraft,
  user: User,
  tagIds: readonly string[],
  field: string,
): void {
  user.tagIds = requireTags(draft, TagType.USER, tagIds, field).map(({ tagId }) => tagId)
  touchUser(draft, user)
}

/**
 * Deletes tags of users.
 *
 * @returns ids of the tags, and of the users who carried any of them
 * @throws RESOURCE_UNKNOWN
 */
export function removeUserTags(
  draft: OrganizationDraft,
  userTagIds: readonly string[],
  field: string,
): { userTagIds: string[]; userIds: string[] } {
  const tags = requireTags(draft, TagType.USER, userTagIds, field)
  const tagIds = tags.map(({ tagId }) => tagId)
  const untagged = draft.document.users.filter((user) => withdraw(draft, user, tagIds))
  dropTags(draft, tags)
  return { userTagIds: tagIds, userIds: untagged.map(({ userId }) => userId) }
}

/** Whether the user carried any of the tags. */
function withdraw(draft: OrganizationDraft, user: User, tagIds: readonly string[]): boolean {
  const kept = user.tagIds.filter((tagId) => !tagIds.includes(tagId))
  if (kept.length === user.tagIds.length) return false
  user.tagIds = kept
  touchUser(draft, user)
  return true
}

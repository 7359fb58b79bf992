import { create } from "@bufbuild/protobuf"
import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Tag, TagSchema, type User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireUniqueName } from "./checks.ts"
import type { Draft } from "./draft.ts"
import { MAX_KEY_TAGGINGS } from "./limits.ts"

export type NewTag = Pick<Tag, "tagId" | "name" | "type">

/** Names of tag types in refusals. */
const KINDS: ReadonlyMap<TagType, string> = new Map([
  [TagType.USER, "user tag"],
  [TagType.PRIVATE_KEY, "private key tag"],
])

/** A tag of this type; tags of the other type are unknown here. @throws RESOURCE_UNKNOWN */
export function requireTag(draft: Draft, type: TagType, tagId: string, field: string): Tag {
  const tag = draft.document.tags.find((candidate) => candidate.tagId === tagId && candidate.type === type)
  return tag ?? unknownTag(draft, type, tagId, field)
}

/** @throws RESOURCE_UNKNOWN */
function unknownTag(draft: Draft, type: TagType, tagId: string, field: string): never {
  const sentence = `unable to find ${KINDS.get(type)} ${tagId} in organization ${draft.id}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

/** The tags with these ids, each once. @throws RESOURCE_UNKNOWN, naming the index */
export function requireTags(draft: Draft, type: TagType, tagIds: readonly string[], field: string): Tag[] {
  if (tagIds.length === 0) return []
  // One pass over all tags: a request may name a hundred of a thousand tags for each of a thousand keys.
  const known = new Map(draft.document.tags.filter((tag) => tag.type === type).map((tag) => [tag.tagId, tag]))
  const named = tagIds.map(
    (tagId, index) => known.get(tagId) ?? unknownTag(draft, type, tagId, `${field}[${index}]`),
  )
  return [...new Set(named)]
}

/** Creates an unused tag. Tags of both types count together against the limit. @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addTag(draft: Draft, tag: NewTag, field: string): Tag {
  const { tags } = draft.document
  const { tags: max } = draft.limits
  if (tags.length >= max) throw refuse("LIMIT_EXCEEDED", `an organization has at most ${max} tags`)
  const added = create(TagSchema, { ...tag, ...draft.created })
  requireFreeName(draft, added, tag.name, field)
  tags.push(added)
  draft.markChanged()
  return added
}

/** @throws NAME_TAKEN */
export function renameTag(draft: Draft, tag: Tag, name: string, field: string): void {
  requireFreeName(draft, tag, name, field)
  tag.name = name
  draft.touch(tag)
}

/** Deletes tags. The caller removes their ids from users. */
function removeTags(draft: Draft, tags: readonly Tag[]): void {
  const { document } = draft
  document.tags = document.tags.filter((tag) => !tags.includes(tag))
  draft.markChanged()
}

function requireFreeName({ document }: Draft, tag: Tag, name: string, field: string): void {
  const others = document.tags.filter((other) => other !== tag && other.type === tag.type)
  requireUniqueName(others, name, `${KINDS.get(tag.type)} name`, field)
}

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

/** Deletes tags; returns their ids and the users that had any of them. Invitations lose them too. @throws RESOURCE_UNKNOWN */
export function removeUserTags(draft: Draft, userTagIds: readonly string[], field: string) {
  const tags = requireTags(draft, TagType.USER, userTagIds, field)
  const tagIds = tags.map(({ tagId }) => tagId)
  const untagged = draft.document.users.filter((user) => removeFromUser(draft, user, tagIds))
  for (const invitation of draft.document.invitations)
    invitation.tagIds = invitation.tagIds.filter((tagId) => !tagIds.includes(tagId))
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

/** Adds a tag to private keys; the caller has checked that these records exist. @throws LIMIT_EXCEEDED */
export function tagPrivateKeys(draft: Draft, tag: Tag, ids: readonly string[], field: string): void {
  tag.privateKeyIds = [...new Set([...tag.privateKeyIds, ...ids])]
  const taggings = draft.document.tags.reduce((sum, each) => sum + each.privateKeyIds.length, 0)
  if (taggings > MAX_KEY_TAGGINGS) {
    const sentence = `the tags of an organization may be on private keys ${MAX_KEY_TAGGINGS} times together`
    throw refuse("LIMIT_EXCEEDED", sentence, { field })
  }
  draft.touch(tag)
}

/** Removes a tag from the private keys that have it. */
export function untagPrivateKeys(draft: Draft, tag: Tag, privateKeyIds: readonly string[]): void {
  removeFromTag(tag, new Set(privateKeyIds))
  draft.touch(tag)
}

/** Deletes tags; returns their ids and the private keys that had any of them. @throws RESOURCE_UNKNOWN */
export function removePrivateKeyTags(draft: Draft, privateKeyTagIds: readonly string[], field: string) {
  const tags = requireTags(draft, TagType.PRIVATE_KEY, privateKeyTagIds, field)
  const privateKeyIds = [...new Set(tags.flatMap((tag) => tag.privateKeyIds))]
  removeTags(draft, tags)
  return { privateKeyTagIds: tags.map(({ tagId }) => tagId), privateKeyIds }
}

/** Removes deleted private keys from all tags. */
export function removePrivateKeysFromTags(draft: Draft, privateKeyIds: readonly string[]): void {
  const removed = new Set(privateKeyIds)
  for (const tag of draft.document.tags) if (removeFromTag(tag, removed)) draft.touch(tag)
}

/** Returns whether any of the keys had the tag. */
function removeFromTag(tag: Tag, privateKeyIds: ReadonlySet<string>): boolean {
  const kept = tag.privateKeyIds.filter((id) => !privateKeyIds.has(id))
  if (kept.length === tag.privateKeyIds.length) return false
  tag.privateKeyIds = kept
  return true
}

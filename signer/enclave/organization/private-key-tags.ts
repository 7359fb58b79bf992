import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { Draft } from "./draft.ts"
import { MAX_KEY_TAGGINGS } from "./limits.ts"
import { removeTags, requireTags } from "./tags.ts"

/** Adds a tag to private keys; the caller has checked that these exist, for they are records. @throws LIMIT_EXCEEDED */
export function tagPrivateKeys(
  draft: Draft,
  tag: Tag,
  privateKeyIds: readonly string[],
  field: string,
): void {
  tag.privateKeyIds = [...new Set([...tag.privateKeyIds, ...privateKeyIds])]
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
export function removePrivateKeyTags(
  draft: Draft,
  privateKeyTagIds: readonly string[],
  field: string,
): { privateKeyTagIds: string[]; privateKeyIds: string[] } {
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

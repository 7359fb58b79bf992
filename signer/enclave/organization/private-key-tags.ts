import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_KEY_TAGGINGS } from "./limits.ts"
import { dropTags, requireTags, touchTag } from "./tags.ts"

/**
 * Gives a tag to private keys; what has it keeps it. That they exist is for the caller to know: they are records.
 *
 * @throws LIMIT_EXCEEDED
 */
export function tagPrivateKeys(
  draft: OrganizationDraft,
  tag: Tag,
  privateKeyIds: readonly string[],
  field: string,
): void {
  tag.privateKeyIds = [...new Set([...tag.privateKeyIds, ...privateKeyIds])]
  const taggings = draft.document.tags.reduce((sum, each) => sum + each.privateKeyIds.length, 0)
  if (taggings > MAX_KEY_TAGGINGS) {
    const sentence = `the tags of an organization are given to private keys ${MAX_KEY_TAGGINGS} times at most, all together`
    throw refuse("LIMIT_EXCEEDED", sentence, { field })
  }
  touchTag(draft, tag)
}

/** Takes a tag from private keys; from what has it not, nothing is taken. */
export function untagPrivateKeys(draft: OrganizationDraft, tag: Tag, privateKeyIds: readonly string[]): void {
  withdraw(tag, new Set(privateKeyIds))
  touchTag(draft, tag)
}

/**
 * Deletes tags of private keys.
 *
 * @returns ids of the tags, and of the private keys that carried any of them
 * @throws RESOURCE_UNKNOWN
 */
export function removePrivateKeyTags(
  draft: OrganizationDraft,
  privateKeyTagIds: readonly string[],
  field: string,
): { privateKeyTagIds: string[]; privateKeyIds: string[] } {
  const tags = requireTags(draft, TagType.PRIVATE_KEY, privateKeyTagIds, field)
  const privateKeyIds = [...new Set(tags.flatMap((tag) => tag.privateKeyIds))]
  dropTags(draft, tags)
  return { privateKeyTagIds: tags.map(({ tagId }) => tagId), privateKeyIds }
}

/** Takes private keys that are deleted out of every tag; where nothing carries one, the document stays as it is. */
export function removePrivateKeysFromTags(draft: OrganizationDraft, privateKeyIds: readonly string[]): void {
  const gone = new Set(privateKeyIds)
  for (const tag of draft.document.tags) {
    if (withdraw(tag, gone)) touchTag(draft, tag)
  }
}

/** Whether any of the keys carried the tag. */
function withdraw(tag: Tag, privateKeyIds: ReadonlySet<string>): boolean {
  const kept = tag.privateKeyIds.filter((id) => !privateKeyIds.has(id))
  if (kept.length === tag.privateKeyIds.length) return false
  tag.privateKeyIds = kept
  return true
}

import { TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { OrganizationDraft } from "./draft.ts"
import { dropTags, requireTags, touchTag } from "./tags.ts"

/** Gives a tag to private keys; what has it keeps it. That they exist is for the caller to know: they are records. */
export function tagPrivateKeys(draft: OrganizationDraft, tag: Tag, privateKeyIds: readonly string[]): void {
  tag.privateKeyIds = [...new Set([...tag.privateKeyIds, ...privateKeyIds])]
  touchTag(draft, tag)
}

/** Takes a tag from private keys; from what has it not, nothing is taken. */
export function untagPrivateKeys(draft: OrganizationDraft, tag: Tag, privateKeyIds: readonly string[]): void {
  tag.privateKeyIds = tag.privateKeyIds.filter((id) => !privateKeyIds.includes(id))
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

/** Takes private keys that are deleted out of every tag. */
export function forgetPrivateKeys(draft: OrganizationDraft, privateKeyIds: readonly string[]): void {
  for (const tag of draft.document.tags) {
    if (tag.privateKeyIds.some((id) => privateKeyIds.includes(id)))
      untagPrivateKeys(draft, tag, privateKeyIds)
  }
}

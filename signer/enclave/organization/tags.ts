import { create } from "@bufbuild/protobuf"
import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Tag, TagSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_TAGS_OF_PARENT, MAX_TAGS_OF_SUB_ORGANIZATION } from "./limits.ts"

export type NewTag = Pick<Tag, "tagId" | "name" | "type">

/** How refusals speak of tags of a type. */
const KINDS: ReadonlyMap<TagType, string> = new Map([
  [TagType.USER, "user tag"],
  [TagType.PRIVATE_KEY, "private key tag"],
])

/**
 * A tag of this type: the id of a tag of the other type is unknown here.
 *
 * @throws RESOURCE_UNKNOWN
 */
export function requireTag(draft: OrganizationDraft, type: TagType, tagId: string, field: string): Tag {
  const tag = draft.document.tags.find((candidate) => candidate.tagId === tagId && candidate.type === type)
  if (tag !== undefined) return tag
  const sentence = `unable to find ${KINDS.get(type)} ${tagId} in organization ${draft.id}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

/** Tags of this type, each once; the field of a refusal names the place in the list. @throws RESOURCE_UNKNOWN */
export function requireTags(
  draft: OrganizationDraft,
  type: TagType,
  tagIds: readonly string[],
  field: string,
): Tag[] {
  return [...new Set(tagIds.map((tagId, index) => requireTag(draft, type, tagId, `${field}[${index}]`)))]
}

/**
 * Makes a tag that nothing carries yet. Tags of both types count together against the limit.
 *
 * @throws LIMIT_EXCEEDED, NAME_TAKEN
 */
export function addTag(draft: OrganizationDraft, tag: NewTag, field: string): Tag {
  const { tags, parentId } = draft.document
  const most = parentId === "" ? MAX_TAGS_OF_PARENT : MAX_TAGS_OF_SUB_ORGANIZATION
  if (tags.length >= most) {
    const kind = parentId === "" ? "an organization" : "a sub-organization"
    throw refuse("LIMIT_EXCEEDED", `${kind} has at most ${most} tags`)
  }
  requireFreeName(draft, tag, field)
  const added = create(TagSchema, { ...tag, createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs })
  tags.push(added)
  draft.markChanged()
  return added
}

/** @throws NAME_TAKEN */
export function renameTag(draft: OrganizationDraft, tag: Tag, name: string, field: string): void {
  requireFreeName(draft, { ...tag, name }, field)
  tag.name = name
  touchTag(draft, tag)
}

/** Deletes tags. Who carries them is told by the caller's own file: user-tags.ts for users; keys go along with it. */
export function dropTags(draft: OrganizationDraft, tags: readonly Tag[]): void {
  const { document } = draft
  document.tags = document.tags.filter((tag) => !tags.includes(tag))
  draft.markChanged()
}

/** To be called with every change of a tag. */
export function touchTag(draft: OrganizationDraft, tag: Tag): void {
  tag.updatedAtMs = draft.nowMs
  draft.markChanged()
}

/** Names are compared as they are, code unit by code unit; a tag does not stand in its own way. */
function requireFreeName({ document }: OrganizationDraft, tag: NewTag, field: string): void {
  const taken = document.tags.some(
    ({ tagId, type, name }) => type === tag.type && name === tag.name && tagId !== tag.tagId,
  )
  if (!taken) return
  const sentence = `${KINDS.get(tag.type)} name must be unique: ${tag.name} is taken`
  throw refuse("NAME_TAKEN", sentence, { field })
}

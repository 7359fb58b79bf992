import { create } from "@bufbuild/protobuf"
import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Tag, TagSchema } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireUniqueName } from "./checks.ts"
import type { Draft } from "./draft.ts"
import { MAX_TAGS_OF_PARENT, MAX_TAGS_OF_SUB_ORGANIZATION } from "./limits.ts"

export type NewTag = Pick<Tag, "tagId" | "name" | "type">

/** Names of tag types in refusals. */
const KINDS: ReadonlyMap<TagType, string> = new Map([
  [TagType.USER, "user tag"],
  [TagType.PRIVATE_KEY, "private key tag"],
])

/** A tag of this type; tags of the other type are unknown here. @throws RESOURCE_UNKNOWN */
export function requireTag(draft: Draft, type: TagType, tagId: string, field: string): Tag {
  const tag = draft.document.tags.find((candidate) => candidate.tagId === tagId && candidate.type === type)
  if (tag !== undefined) return tag
  const sentence = `unable to find ${KINDS.get(type)} ${tagId} in organization ${draft.id}`
  throw refuse("RESOURCE_UNKNOWN", sentence, { field })
}

/** The tags with these ids, each once. @throws RESOURCE_UNKNOWN, naming the place in the list */
export function requireTags(draft: Draft, type: TagType, tagIds: readonly string[], field: string): Tag[] {
  return [...new Set(tagIds.map((tagId, index) => requireTag(draft, type, tagId, `${field}[${index}]`)))]
}

/** Creates an unused tag. Tags of both types count together against the limit. @throws LIMIT_EXCEEDED, NAME_TAKEN */
export function addTag(draft: Draft, tag: NewTag, field: string): Tag {
  const { tags, parentId } = draft.document
  const max = parentId === "" ? MAX_TAGS_OF_PARENT : MAX_TAGS_OF_SUB_ORGANIZATION
  if (tags.length >= max) {
    const kind = parentId === "" ? "an organization" : "a sub-organization"
    throw refuse("LIMIT_EXCEEDED", `${kind} has at most ${max} tags`)
  }
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

/** Deletes tags. Users keep the ids of their tags in the document; user-tags.ts removes those. */
export function removeTags(draft: Draft, tags: readonly Tag[]): void {
  const { document } = draft
  document.tags = document.tags.filter((tag) => !tags.includes(tag))
  draft.markChanged()
}

function requireFreeName({ document }: Draft, tag: Tag, name: string, field: string): void {
  const others = document.tags.filter((other) => other !== tag && other.type === tag.type)
  requireUniqueName(others, name, `${KINDS.get(tag.type)} name`, field)
}

import { type ActivityEntry, activityTypes } from "../../proto/catalog.ts"
import { TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { KnownNames } from "./warning.ts"

/** Ids and names that expressions may use. Without a document: those that every organization has. */
export function knownNamesOf(effect: "allow" | "deny", document?: OrganizationDocument): KnownNames {
  if (document === undefined) return { effect, existing: BUILT_IN }
  const tags = (type: TagType) => document.tags.filter((tag) => tag.type === type)
  const ids = (type: TagType) => new Set(tags(type).map(({ tagId }) => tagId))
  const names = (type: TagType) =>
    new Map(tags(type).map(({ name, tagId }) => [name, `that is the name of tag ${tagId}: write the id`]))
  const existing = new Map([
    ...BUILT_IN,
    ["user-id", new Set(document.users.map(({ userId }) => userId))],
    ["user-tag-id", ids(TagType.USER)],
    ["private-key-tag-id", ids(TagType.PRIVATE_KEY)],
  ])
  const mistaken = new Map([
    ["user-tag-id", names(TagType.USER)],
    ["private-key-tag-id", names(TagType.PRIVATE_KEY)],
  ])
  return { effect, existing, mistaken }
}

const BUILT_IN: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["activity-type", valuesOf("type")],
  ["activity-kind", valuesOf("kind")],
  ["resource", valuesOf("resource")],
  ["action", valuesOf("action")],
])

function valuesOf(member: "type" | "kind" | "resource" | "action"): Set<string> {
  return new Set([...activityTypes.values()].map((entry: ActivityEntry) => entry[member]))
}

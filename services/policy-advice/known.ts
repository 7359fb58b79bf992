import { type ActivityEntry, activityTypes } from "../../proto/catalog.ts"
import { FeatureName, TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OrganizationDocument } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf } from "../../signer/core/organization/organization.ts"
import { Voters } from "../../signer/core/policy/decision/voters.ts"
import { Budget } from "../../signer/core/policy/language/frame.ts"
import type { OrganizationNames, SearchMeasure } from "./warning.ts"

/** Resources that expressions name by id. */
type Named = readonly { readonly id: string; readonly name: string }[]

/** Steps in which one piece of advice measures what policies cost: some milliseconds. */
const MAX_MEASURED_STEPS = 100_000

/** Measures what searches for voters cost in an organization, for all policies that are checked together. */
export function searchMeasureOf(document: OrganizationDocument): SearchMeasure {
  // At the beginning of time no credential has expired.
  return { voters: new Voters(document, 0), budget: new Budget(MAX_MEASURED_STEPS) }
}

/** Ids and names that expressions may use. Without a document: those that every organization has. */
export function knownNamesOf(
  effect: "allow" | "deny",
  document: OrganizationDocument | undefined,
  nowMs: number,
  searches?: SearchMeasure,
): OrganizationNames {
  if (document === undefined) return { effect, existing: BUILT_IN, nowMs }
  const kinds = resourcesOf(document)
  const ids = kinds.map(([kind, , all]) => [kind, new Set(all.map(({ id }) => id))] as const)
  const existing = new Map([...BUILT_IN, ...ids])
  return {
    effect,
    isStrict: featureOf(document, FeatureName.STRICT_DENY) !== undefined,
    existing,
    nowMs,
    ...(searches && { searches }),
    mistaken: new Map(kinds.map(([kind, word, all]) => [kind, namesForIds(word, all)])),
  }
}

function resourcesOf(document: OrganizationDocument): [kind: string, word: string, all: Named][] {
  const tags = (type: TagType): Named =>
    document.tags.filter((tag) => tag.type === type).map(({ tagId: id, name }) => ({ id, name }))
  const users = document.users.map(({ userId: id, name }) => ({ id, name }))
  // A login without a profile has an empty id.
  const profiles = document.sessionProfiles.map(({ sessionProfileId: id, name }) => ({ id, name }))
  return [
    ["user-id", "user", users],
    ["user-tag-id", "tag", tags(TagType.USER)],
    ["private-key-tag-id", "tag", tags(TagType.PRIVATE_KEY)],
    // A sub-organization uses its parent's profiles, which its document does not have.
    ...(document.parentId === ""
      ? ([["session-profile-id", "session profile", [...profiles, { id: "", name: "" }]]] as [
          string,
          string,
          Named,
        ][])
      : []),
  ]
}

function namesForIds(word: string, all: Named): Map<string, string> {
  const named = all.filter(({ name }) => name !== "")
  return new Map(named.map(({ id, name }) => [name, `that is the name of ${word} ${id}: write the id`]))
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

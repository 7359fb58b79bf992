import { activityTypes } from "../../proto/catalog.ts"
import { TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Organization } from "../../signer/core/organization/organization.ts"
import type { Known } from "../../signer/core/policy/expression.ts"

type Document = Organization["document"]

/** What is asked for by id: ids with the names that people know them by. */
type Named = readonly { readonly id: string; readonly name: string }[]

/**
 * What warnings about expressions go by, of what a document shows: which ids there are, and which texts are names where
 * ids belong. Wallets and private keys are no part of it; nothing is said of theirs.
 *
 * @param profilesOf the document whose session profiles hold: that of the parent, or the organization's own
 */
export function knownOf(document: Document, profilesOf: Pick<Document, "sessionProfiles"> = document): Known {
  const tags = (wanted: TagType): Named =>
    document.tags.filter(({ type }) => type === wanted).map(({ tagId: id, name }) => ({ id, name }))
  const named: readonly (readonly [meaning: string, what: string, all: Named])[] = [
    ["user-id", "user", document.users.map(({ userId: id, name }) => ({ id, name }))],
    ["user-tag-id", "user tag", tags(TagType.USER)],
    ["private-key-tag-id", "private key tag", tags(TagType.PRIVATE_KEY)],
    [
      "session-profile-id",
      "session profile",
      profilesOf.sessionProfiles.map(({ sessionProfileId: id, name }) => ({ id, name })),
    ],
  ]
  const ids = named.map(([meaning, , all]) => [meaning, all.map(({ id }) => id)] as const)
  const existing = new Map([...ids, ...WORDS].map(([meaning, texts]) => [meaning, new Set(texts)]))
  // Of a login without profile the profile's id is empty: no id of any, and a text that may well be meant.
  existing.get("session-profile-id")?.add("")
  return {
    existing,
    mistaken: new Map(named.map(([meaning, what, all]) => [meaning, namesForIds(what, all)])),
  }
}

const activities = [...activityTypes.values()]

/** Texts that have a meaning in every organization. */
const WORDS: readonly (readonly [meaning: string, texts: readonly string[]])[] = [
  ["activity-type", activities.map(({ type }) => type)],
  ["activity-kind", activities.map(({ kind }) => kind)],
  ["resource", activities.map(({ resource }) => resource)],
  ["action", activities.map(({ action }) => action)],
]

function namesForIds(what: string, all: Named): Map<string, string> {
  return new Map(
    all.map(({ id, name }) => [name, `never equal: this is the name of a ${what}; its id is ${id}`]),
  )
}

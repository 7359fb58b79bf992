import { type ActivityEntry, activityTypes } from "../../proto/catalog.ts"
import type { Compiled } from "../../signer/core/policy/language/compile.ts"
import { comparedLiterals } from "./comparisons.ts"
import type { OrganizationNames, Warning } from "./warning.ts"

/** Versions that a sentence names. */
const MAX_NAMED = 3

/**
 * Comparisons of activity.type with one type that other types of its kind pass. In a DENY the type is named, in an ALLOW it is
 * excluded. Types of one kind are the versions of an activity, and sends in place of waiting ones.
 */
export function* lintVersions(
  { syntax }: Pick<Compiled, "syntax">,
  { effect }: Pick<OrganizationNames, "effect">,
): Generator<Warning> {
  if (effect === undefined) return
  const named = [...comparedLiterals(syntax)].flatMap(({ subject, literal, isNegated }) => {
    const isType = subject.type.kind === "string" && subject.type.refersTo === "activity-type"
    const entry = isType ? activityTypes.get(String(literal.value)) : undefined
    return entry === undefined || isNegated !== (effect === "allow") ? [] : [{ entry, literal }]
  })
  const types = new Set(named.map(({ entry }) => entry.type))
  for (const { entry, literal } of named) {
    const others = otherVersions(entry).filter(({ type }) => !types.has(type))
    if (others.length === 0) continue
    const { offset, length } = literal
    yield { offset, length, sentence: sentenceAbout(entry, others) }
  }
}

/** Other types of the kind that this release serves. */
function otherVersions({ type, kind }: ActivityEntry): ActivityEntry[] {
  if (kind === "") return []
  return [...activityTypes.values()].filter((one) => one.kind === kind && one.type !== type && one.served)
}

function sentenceAbout({ kind }: ActivityEntry, others: readonly ActivityEntry[]): string {
  const names = others.slice(0, MAX_NAMED).map(({ type }) => type)
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : ""
  return `other types of this kind pass it: ${names.join(", ")}${more}; compare activity.kind with '${kind}', which is all of them`
}

import { change, planned, type PlannedChange, type Part, type PlannedActivity, Stage } from "./change.ts"

/** Rights and objects that a change gives and takes, and members that differ. */
type Effect = Parameters<typeof change>[3]

/** An object that no activity changes: with --prune it is deleted, and a later round creates it again. */
export type ObjectReplacement = { replace: Effect }

/** A list of the file, and the objects of the organization that it is about, paired by name. */
export type Section<Wanted, There> = {
  /** The noun for one object of the section. */
  kind: string
  /** Objects of the file. Undefined: the file does not manage this kind. */
  wanted: readonly Wanted[] | undefined
  there: readonly There[]
  /** The name by which an object of the file is one of the organization. */
  nameOf: (one: Wanted | There) => string
  create: (wanted: Wanted) => PlannedActivity | PlannedActivity[]
  /** By default objects of one name are the same. */
  update?: (wanted: Wanted, before: There) => Part | ObjectReplacement
  /** An object that the file does not list, in words; by default its kind and name. */
  titleOf?: (there: There) => string
  /** Permissions that the deletion gives or takes, members, and warnings. */
  effectOf?: (there: There) => Effect
} & (
  | {
      /** Type without prefix, and the member with the object's id. */
      deletion: readonly [type: string, id: keyof There & string]
    }
  | { remove: (there: There, words: PlannedChange) => PlannedActivity }
  | { removeAll: (there: readonly There[], words: (there: There) => PlannedChange) => PlannedActivity[] }
)

/** Creations and changes in the order of the file, then deletions. Without `prune`, objects outside the file are kept. */
export function planSection<Wanted, There>(section: Section<Wanted, There>, prune: boolean): Part {
  const { kind, wanted, there, nameOf, create, update } = section
  const { titleOf = (one: There) => `${kind} ${nameOf(one)}`, effectOf = () => ({}) } = section
  if (wanted === undefined) return { activities: [] }
  const deletionOf = (one: There) => change("delete", kind, nameOf(one), effectOf(one))
  const removeAll = (all: readonly There[], wordsOf: (one: There) => PlannedChange) => {
    if ("removeAll" in section) return section.removeAll(all, wordsOf)
    if ("remove" in section) return all.map((one) => section.remove(one, wordsOf(one)))
    const [type, id] = section.deletion
    return all.map((one) => planned(type, Stage.remove, wordsOf(one), { [id]: one[id] }))
  }
  const parts = wanted.map((one): Part => {
    const name = nameOf(one)
    const before = there.find((other) => nameOf(other) === name)
    if (before === undefined) return { activities: [create(one)].flat() }
    const difference = update === undefined ? { activities: [] } : update(one, before)
    if ("activities" in difference) return difference
    const sentence = `${kind} ${name} as it is: it cannot be changed; --prune deletes it and creates it again`
    if (!prune) return { activities: [], kept: [sentence] }
    const removals = removeAll([before], () => change("replace", kind, name, difference.replace))
    return { activities: removals.map((removal) => ({ ...removal, stage: Stage.change })) }
  })
  const names = new Set(wanted.map(nameOf))
  const extra = there.filter((one) => !names.has(nameOf(one)))
  const rest = prune
    ? { activities: removeAll(extra, deletionOf) }
    : { activities: [], kept: extra.map(titleOf) }
  return mergeParts([...parts, rest])
}

export function mergeParts(parts: readonly Part[]): Required<Part> {
  return {
    activities: parts.flatMap(({ activities }) => activities),
    kept: parts.flatMap(({ kept = [] }) => kept),
    byHand: parts.flatMap(({ byHand = [] }) => byHand),
  }
}

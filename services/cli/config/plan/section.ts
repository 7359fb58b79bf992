import { change, type Change, type Part, type PlannedActivity, Stage } from "./change.ts"

/** A list of the file, and the objects of the organization that it is about, paired by name. */
export type Section<Wanted, There> = {
  /** One of them, in words. */
  kind: string
  /** Undefined: the file does not manage them. */
  wanted: readonly Wanted[] | undefined
  there: readonly There[]
  nameOf: (wanted: Wanted) => string
  nameOfThere: (there: There) => string
  create: (wanted: Wanted) => PlannedActivity | PlannedActivity[]
  update: (wanted: Wanted, before: There) => Part
  /** Deletes objects that the file does not list. */
  remove: (extra: readonly There[]) => PlannedActivity[]
  /** An object that the file does not list, in words; by default its kind and name. */
  titleOf?: (there: There) => string
}

/** Creations and changes in the order of the file, then deletions. Without `prune` what the file does not list is kept. */
export function planSection<Wanted, There>(section: Section<Wanted, There>, prune: boolean): Part {
  const { kind, wanted, there, nameOf, nameOfThere, create, update, remove } = section
  const { titleOf = (one: There) => `${kind} ${nameOfThere(one)}` } = section
  if (wanted === undefined) return { activities: [] }
  const parts = wanted.map((one): Part => {
    const before = there.find((other) => nameOfThere(other) === nameOf(one))
    return before === undefined ? { activities: [create(one)].flat() } : update(one, before)
  })
  const names = new Set(wanted.map(nameOf))
  const extra = there.filter((one) => !names.has(nameOfThere(one)))
  const rest = prune ? { activities: remove(extra) } : { activities: [], kept: extra.map(titleOf) }
  return mergeParts([...parts, rest])
}

export function mergeParts(parts: readonly Part[]): Required<Part> {
  return {
    activities: parts.flatMap(({ activities }) => activities),
    kept: parts.flatMap(({ kept = [] }) => kept),
    byHand: parts.flatMap(({ byHand = [] }) => byHand),
  }
}

/** An object that differs and that no activity changes: with `prune` it is deleted, and a later round creates it again. */
export function replaced(
  { kind, name, prune }: { kind: string; name: string; prune: boolean },
  remove: (words: Change) => PlannedActivity,
  more: Parameters<typeof change>[3] = {
    lost: ["the object of this name: it cannot be changed, so it is deleted and created again"],
  },
): Part {
  if (prune) return { activities: [{ ...remove(change("replace", kind, name, more)), stage: Stage.change }] }
  const sentence = `${kind} ${name} as it is: it cannot be changed; --prune deletes it and creates it again`
  return { activities: [], kept: [sentence] }
}

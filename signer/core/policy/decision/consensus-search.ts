import type { Approval } from "./decision-input.ts"

/** A vote, the votes cast, and those that users can still cast, for a consensus that compares votes with each other. */
export type CombinationSearch = {
  readonly vote: Approval
  /** Votes cast, in their order, among them the vote. */
  readonly cast: readonly Approval[]
  /** Votes that others can still cast: a list for each user, who casts one. */
  readonly possible: readonly (readonly Approval[])[]
  /** Charges steps. */
  readonly isMetBy: (votes: readonly Approval[]) => boolean
}

/**
 * True if users can vote so that the consensus holds with the vote and fails without it. Every set of possible votes is
 * tried, few votes first.
 */
export function contributesInSomeSet({ vote, cast, possible, isMetBy }: CombinationSearch): boolean {
  const without = cast.filter((one) => one !== vote)
  for (let size = 0; size <= possible.length; size++)
    for (const added of setsOf(possible, size))
      if (isMetBy([...cast, ...added]) && !isMetBy([...without, ...added])) return true
  return false
}

/** Every way in which `size` of the users at `from` and later vote. */
function* setsOf(
  possible: readonly (readonly Approval[])[],
  size: number,
  from = 0,
): Generator<readonly Approval[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let user = from; user <= possible.length - size; user++)
    for (const vote of possible[user] ?? [])
      for (const others of setsOf(possible, size - 1, user + 1)) yield [vote, ...others]
}

/** A vote that was cast or could be: whose it is does not matter here. */
export type Ballot<Voter> = {
  /** Those who have approved, the one asked about among them. */
  cast: readonly Voter[]
  /** The votes that others could still cast: for each user his, one for each of his credentials. He casts one. */
  open: readonly (readonly Voter[])[]
  /** Whether these votes together are consent. */
  holds: (voters: readonly Voter[]) => boolean
  /** Votes of one kind are as good as each other; "": a vote that makes no difference at all. */
  kindOf: (voter: Voter) => string
  /** More votes of one kind than this make no further difference. */
  most: number
}

export type Answer = "yes" | "no" | "undecided"

/**
 * Whether a vote contributes: some votes still open would, with those that were cast, be consent that it is no consent
 * without this one. Votes of one kind are interchangeable, so that numbers of each kind are tried, few votes first.
 *
 * @param attempts how many combinations are tried; "undecided" when they are used up
 */
export function contributes<Voter>(ballot: Ballot<Voter>, voter: Voter, attempts: number): Answer {
  const { cast, holds, kindOf } = ballot
  if (kindOf(voter) === "") return "no"
  const without = cast.filter((one) => one !== voter)
  const groups = groupsOf(ballot)
  const all = groups.reduce((sum, group) => sum + group.most, 0)
  let left = attempts
  for (let size = 0; size <= all; size++) {
    for (const added of choices(groups, size)) {
      if (left === 0) return "undecided"
      left -= 1
      const others = [...without, ...added]
      if (holds([...others, voter]) && !holds(others)) return "yes"
    }
  }
  return "no"
}

/** Users who have the same kinds of votes to cast. */
type Group<Voter> = {
  /** Of each kind the votes, no two of one user at the same place. */
  kinds: readonly (readonly Voter[])[]
  /** The most that it makes sense to take of one kind, of all kinds. */
  mostOfKind: number
  most: number
}

function groupsOf<Voter>({ open, kindOf, most }: Ballot<Voter>): Group<Voter>[] {
  const groups = new Map<string, Map<string, Voter>[]>()
  for (const votes of open) {
    const byKind = new Map(votes.map((vote) => [kindOf(vote), vote] as const))
    byKind.delete("")
    if (byKind.size === 0) continue
    const name = JSON.stringify([...byKind.keys()].toSorted())
    const users = groups.get(name) ?? []
    groups.set(name, [...users, byKind])
  }
  return [...groups.values()].map((users) => {
    const kinds = [...users[0]!.keys()].map((kind) => users.map((votes) => votes.get(kind)!))
    const mostOfKind = Math.min(most, users.length)
    return { kinds, mostOfKind, most: Math.min(mostOfKind * kinds.length, users.length) }
  })
}

/** Every way of taking so many votes from the groups, one of each user at most. */
function* choices<Voter>(groups: readonly Group<Voter>[], size: number): Generator<Voter[]> {
  const [group, ...rest] = groups
  if (group === undefined) {
    if (size === 0) yield []
    return
  }
  const room = rest.reduce((sum, { most }) => sum + most, 0)
  for (let taken = Math.max(0, size - room); taken <= Math.min(size, group.most); taken++) {
    for (const own of ofGroup(group, taken, 0)) {
      for (const others of choices(rest, size - taken)) yield [...own, ...others]
    }
  }
}

/** Every way of sharing so many users of a group out among its kinds from this one on; the first users come first. */
function* ofGroup<Voter>(
  { kinds, mostOfKind }: Group<Voter>,
  taken: number,
  from: number,
  kind = 0,
): Generator<Voter[]> {
  const votes = kinds[kind]
  if (votes === undefined) {
    if (taken === 0) yield []
    return
  }
  for (let count = Math.min(taken, mostOfKind); count >= 0; count--) {
    const own = votes.slice(from, from + count)
    for (const others of ofGroup({ kinds, mostOfKind, most: 0 }, taken - count, from + count, kind + 1)) {
      yield [...own, ...others]
    }
  }
}

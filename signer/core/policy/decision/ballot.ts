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
  /** Pays for so many steps of the search. False: there is nothing left to pay with, and it ends undecided. */
  spend: (steps: number) => boolean
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
  if (groups === undefined) return "undecided"
  const all = groups[0]?.room ?? 0
  const stepsOfOne = cast.length + groups.reduce((sum, { kinds }) => sum + kinds.length, 1)
  let left = attempts
  for (let size = 0; size <= all; size++) {
    for (const added of choices(groups, size)) {
      if (left === 0 || !ballot.spend(stepsOfOne)) return "undecided"
      left -= 1
      if (holds([...cast, ...added]) && !holds([...without, ...added])) return "yes"
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
  /** The most of this group and all behind it. */
  room: number
}

/** Undefined: to tell the votes' kinds was too dear. */
function groupsOf<Voter>({ open, kindOf, most, spend }: Ballot<Voter>): Group<Voter>[] | undefined {
  const groups = new Map<string, Map<string, Voter>[]>()
  for (const votes of open) {
    if (!spend(votes.length)) return undefined
    const byKind = new Map(votes.map((vote) => [kindOf(vote), vote] as const))
    byKind.delete("")
    if (byKind.size === 0) continue
    const name = JSON.stringify([...byKind.keys()].toSorted())
    const users = groups.get(name)
    if (users === undefined) groups.set(name, [byKind])
    else users.push(byKind)
  }
  let room = 0
  const backwards = [...groups.values()].toReversed().map((users) => {
    const kinds = [...users[0]!.keys()].map((kind) => users.map((votes) => votes.get(kind)!))
    const mostOfKind = Math.min(most, users.length)
    const mostOfAll = Math.min(mostOfKind * kinds.length, users.length)
    room += mostOfAll
    return { kinds, mostOfKind, most: mostOfAll, room }
  })
  return backwards.toReversed()
}

/** Every way of taking so many votes from the groups from this one on, one of each user at most. */
function* choices<Voter>(groups: readonly Group<Voter>[], size: number, from = 0): Generator<Voter[]> {
  const group = groups[from]
  if (size === 0 || group === undefined) {
    if (size === 0) yield []
    return
  }
  const behind = groups[from + 1]?.room ?? 0
  for (let taken = Math.max(0, size - behind); taken <= Math.min(size, group.most); taken++) {
    for (const own of ofGroup(group, taken)) {
      for (const others of choices(groups, size - taken, from + 1)) yield [...own, ...others]
    }
  }
}

/** Every way of sharing so many users of a group out among its kinds from this one on; the first users come first. */
function* ofGroup<Voter>(group: Group<Voter>, taken: number, from = 0, kind = 0): Generator<Voter[]> {
  const { kinds, mostOfKind } = group
  const votes = kinds[kind]
  if (taken === 0 || votes === undefined) {
    if (taken === 0) yield []
    return
  }
  const least = Math.max(0, taken - mostOfKind * (kinds.length - kind - 1))
  for (let count = Math.min(taken, mostOfKind); count >= least; count--) {
    const own = votes.slice(from, from + count)
    for (const others of ofGroup(group, taken - count, from + count, kind + 1)) yield [...own, ...others]
  }
}

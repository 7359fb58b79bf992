/** Votes that were cast and votes that users could still cast. */
export type ConsensusSearch<Voter> = {
  /** Votes cast, among them the vote that the search is about. */
  cast: readonly Voter[]
  /** Votes that others could still cast: a list for each user, one vote for each credential. A user casts one. */
  possible: Iterable<readonly Voter[]>
  isMetBy: (voters: readonly Voter[]) => boolean
  /** Votes of one class are interchangeable; "": the vote makes no difference. */
  classOf: (voter: Voter) => string
  /** More votes of one class than this make no further difference. */
  maxPerClass: number
  /** Charges steps to the budget. False: the budget is used up, and the search ends undecided. */
  spend: (steps: number) => boolean
}

export type SearchResult = "yes" | "no" | "undecided"

/**
 * Searches for a contribution of a vote: together with some possible votes, the cast votes meet the consensus, but not
 * without this vote. Only the number of votes of each class matters, so numbers are tried, few votes first.
 * @param attempts combinations tried at most; then the result is "undecided"
 */
export function canContribute<Voter>(
  search: ConsensusSearch<Voter>,
  voter: Voter,
  attempts: number,
): SearchResult {
  const { cast, isMetBy, classOf } = search
  if (classOf(voter) === "") return "no"
  const without = cast.filter((one) => one !== voter)
  const groups = groupsOf(search)
  if (groups === undefined) return "undecided"
  const all = groups[0]?.maxFromHere ?? 0
  const stepsPerAttempt = cast.length + groups.reduce((sum, { votesByClass }) => sum + votesByClass.length, 1)
  let left = attempts
  for (let size = 0; size <= all; size++) {
    for (const added of combinations(groups, size)) {
      if (left === 0 || !search.spend(stepsPerAttempt)) return "undecided"
      left -= 1
      if (isMetBy([...cast, ...added]) && !isMetBy([...without, ...added])) return "yes"
    }
  }
  return "no"
}

/** Users whose possible votes have the same classes. */
type VoterGroup<Voter> = {
  /** The votes of each class, in the same order of users. */
  votesByClass: readonly (readonly Voter[])[]
  /** Votes of one class worth trying. */
  maxPerClass: number
  /** Votes of all classes worth trying. */
  max: number
  /** Votes of this group and all later ones worth trying. */
  maxFromHere: number
}

/** Undefined: the budget ran out before all votes were classified. */
function groupsOf<Voter>(search: ConsensusSearch<Voter>): VoterGroup<Voter>[] | undefined {
  const groups = new Map<string, Map<string, Voter>[]>()
  for (const votes of search.possible) {
    if (!search.spend(1 + votes.length)) return undefined
    const byClass = new Map(votes.map((vote) => [search.classOf(vote), vote] as const))
    byClass.delete("")
    if (byClass.size === 0) continue
    const name = JSON.stringify([...byClass.keys()].toSorted())
    const users = groups.get(name)
    if (users === undefined) groups.set(name, [byClass])
    else users.push(byClass)
  }
  let maxFromHere = 0
  const backwards = [...groups.values()].toReversed().map((users) => {
    const votesByClass = [...users[0]!.keys()].map((name) => users.map((votes) => votes.get(name)!))
    const maxPerClass = Math.min(search.maxPerClass, users.length)
    const max = Math.min(maxPerClass * votesByClass.length, users.length)
    maxFromHere += max
    return { votesByClass, maxPerClass, max, maxFromHere }
  })
  return backwards.toReversed()
}

/** Every way to take `size` votes from the groups at `from` and later, one vote of each user at most. */
function* combinations<Voter>(
  groups: readonly VoterGroup<Voter>[],
  size: number,
  from = 0,
): Generator<Voter[]> {
  const group = groups[from]
  if (size === 0 || group === undefined) {
    if (size === 0) yield []
    return
  }
  const later = groups[from + 1]?.maxFromHere ?? 0
  for (let taken = Math.max(0, size - later); taken <= Math.min(size, group.max); taken++) {
    for (const own of combinationsOfGroup(group, taken)) {
      for (const others of combinations(groups, size - taken, from + 1)) yield [...own, ...others]
    }
  }
}

/** Every way to share `taken` users of a group among its classes at `index` and later, the first users first. */
function* combinationsOfGroup<Voter>(
  group: VoterGroup<Voter>,
  taken: number,
  from = 0,
  index = 0,
): Generator<Voter[]> {
  const { votesByClass, maxPerClass } = group
  const votes = votesByClass[index]
  if (taken === 0 || votes === undefined) {
    if (taken === 0) yield []
    return
  }
  const least = Math.max(0, taken - maxPerClass * (votesByClass.length - index - 1))
  for (let count = Math.min(taken, maxPerClass); count >= least; count--) {
    const own = votes.slice(from, from + count)
    for (const others of combinationsOfGroup(group, taken - count, from + count, index + 1))
      yield [...own, ...others]
  }
}

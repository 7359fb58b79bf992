/** Votes that were cast and votes that users could still cast. */
export type ConsensusSearch<Voter> = {
  /** Votes cast, among them the vote that the search is about. */
  cast: readonly Voter[]
  /** Votes that others could still cast: a list for each user, one vote for each credential. A user casts one. */
  possible: Iterable<readonly Voter[]>
  /** Groups of the possible votes, shared by searches that have the same ones and the same classes. */
  grouped?: GroupedVotes<Voter>
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
  const grouped = search.grouped ?? {}
  grouped.groups ??= groupVotes(search)
  if (grouped.groups === undefined) return "undecided"
  const groups = boundGroups(grouped.groups, search.maxPerClass)
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

/** Possible votes of users whose votes have the same classes: those of each class, in the same order of users. */
type VotesByClass<Voter> = readonly (readonly Voter[])[]

/** Possible votes in groups. `groups` is absent until a search has grouped them. */
export type GroupedVotes<Voter> = { groups?: readonly VotesByClass<Voter>[] | undefined }

type VoterGroup<Voter> = {
  votesByClass: VotesByClass<Voter>
  /** Votes of one class worth trying. */
  maxPerClass: number
  /** Votes of all classes worth trying. */
  max: number
  /** Votes of this group and all later ones worth trying. */
  maxFromHere: number
}

/** Undefined: the budget ran out before all votes were classified. */
function groupVotes<Voter>({
  possible,
  classOf,
  spend,
}: ConsensusSearch<Voter>): VotesByClass<Voter>[] | undefined {
  const groups = new Map<string, Voter[][]>()
  for (const votes of possible) {
    if (!spend(1 + votes.length)) return undefined
    const byClass = new Map<string, Voter>()
    for (const vote of votes) {
      const name = classOf(vote)
      if (name !== "") byClass.set(name, vote)
    }
    if (byClass.size === 0) continue
    // Most users' votes are of one class. No class begins with a space.
    const names = [...byClass.keys()].toSorted()
    const name = names.length === 1 ? names[0]! : ` ${JSON.stringify(names)}`
    let group = groups.get(name)
    if (group === undefined) {
      group = names.map(() => [])
      groups.set(name, group)
    }
    for (const [index, votesOfClass] of group.entries()) votesOfClass.push(byClass.get(names[index]!)!)
  }
  return [...groups.values()]
}

function boundGroups<Voter>(groups: readonly VotesByClass<Voter>[], max: number): VoterGroup<Voter>[] {
  let maxFromHere = 0
  const backwards = groups.toReversed().map((votesByClass) => {
    const users = votesByClass[0]!.length
    const maxPerClass = Math.min(max, users)
    const ofGroup = Math.min(maxPerClass * votesByClass.length, users)
    maxFromHere += ofGroup
    return { votesByClass, maxPerClass, max: ofGroup, maxFromHere }
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

import { editDistance } from "../../proto/edit-distance.ts"

/** A name with more edits than this is not suggested. */
const MAX_EDITS = 6

/** Letters that a shortened name must have: with fewer, too many names begin with it. */
const MIN_PREFIX = 3

/**
 * The known name that `name` probably misspells; undefined if none is similar. Leading words that both share, up to an
 * underscore, do not count: at most a third of the rest may differ.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const shared = sharedWords(name, candidate)
    const [wanted, offered] = [name.slice(shared), candidate.slice(shared)]
    const distance = isPrefix(wanted, offered) ? 1 : editDistance(wanted, offered)
    if (distance < least && distance <= Math.min(MAX_EDITS, Math.floor(wanted.length / 3))) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Length of the shared leading words: `A_B_` of A_B_CD and A_B_CE. */
function sharedWords(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return left.lastIndexOf("_", length - 1) + 1
}

/** One name is the start of the other: this counts as one edit. */
function isPrefix(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  return short.length >= MIN_PREFIX && long.startsWith(short)
}

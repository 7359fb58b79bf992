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

/** Levenshtein's distance, one row at a time. */
export function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const substituted = at(above, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(substituted, at(above, column) + 1, at(current, column - 1) + 1))
    }
    above = current
  }
  return at(above, right.length)
}

const at = (row: number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY

/** More edits than this and a suggestion would be a guess. */
const MAX_EDITS = 6

/** Fewer letters begin too much. */
const LEAST_CUT = 3

/**
 * The known name that `name` was probably meant to be; undefined when none is near. Words that both begin with, up to
 * an underscore, say nothing about that: what is behind them must be alike, but for a third of it.
 */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const shared = sharedWords(name, candidate)
    const [wanted, offered] = [name.slice(shared), candidate.slice(shared)]
    const distance = isSameCutShort(wanted, offered) ? 1 : editDistance(wanted, offered)
    if (distance < least && distance <= Math.min(MAX_EDITS, Math.floor(wanted.length / 3))) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Length of what both begin with, in whole words: `A_B_` of A_B_CD and A_B_CE. */
function sharedWords(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length++
  return left.lastIndexOf("_", length - 1) + 1
}

/** A name cut short, or written out, is one edit away, however many letters that makes. */
function isSameCutShort(left: string, right: string): boolean {
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  return short.length >= LEAST_CUT && long.startsWith(short)
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

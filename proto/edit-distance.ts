/**
 * Number of insertions, deletions, substitutions and exchanges of neighbouring characters that turn one text into the
 * other (Damerau–Levenshtein distance, as optimal string alignment); Infinity where it is over `limit`. The time is
 * proportional to the length times `limit`.
 */
export function editDistance(left: string, right: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY
  let older: number[] = []
  let above = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const first = Math.max(1, row - limit)
    const last = Math.min(right.length, row + limit)
    const current: number[] = []
    current[first - 1] = first === 1 ? row : Number.POSITIVE_INFINITY
    let least = at(current, first - 1)
    for (let column = first; column <= last; column++) {
      const isSame = left[row - 1] === right[column - 1]
      const substituted = at(above, column - 1) + (isSame ? 0 : 1)
      const isExchanged = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]
      const exchanged = isExchanged ? at(older, column - 2) + 1 : Number.POSITIVE_INFINITY
      current[column] = Math.min(substituted, at(above, column) + 1, at(current, column - 1) + 1, exchanged)
      least = Math.min(least, at(current, column))
    }
    if (least > limit) return Number.POSITIVE_INFINITY
    older = above
    above = current
  }
  const distance = at(above, right.length)
  return distance > limit ? Number.POSITIVE_INFINITY : distance
}

/** Cells outside the computed band are unreachable. */
const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY

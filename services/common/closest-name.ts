/** More edits than this and a suggestion would be a guess. */
const MAX_EDITS = 6

/** The known name that `name` was probably meant to be; undefined when none is near. */
export function closestName(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(MAX_EDITS, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name, candidate)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** Levenshtein's distance, one row at a time. */
function editDistance(left: string, right: string): number {
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

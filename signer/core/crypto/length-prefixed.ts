const MAX_PART = 0xffff_ffff

/**
 * One byte string that can be taken apart in one way only: for each part `length(4, BE) || part`. Moving a
 * byte from one part to its neighbour changes the result, which plain concatenation would not notice.
 */
export function lengthPrefixed(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0))
  const view = new DataView(joined.buffer)
  let at = 0
  for (const part of parts) {
    if (part.length > MAX_PART) throw new RangeError("a part is longer than its prefix can say")
    view.setUint32(at, part.length)
    joined.set(part, at + 4)
    at += 4 + part.length
  }
  return joined
}

/** Tries of one shrinking. */
const MAX_TRIES = 20_000
/** Plain bytes, the simplest first: a byte becomes the first that still fails. */
const PLAIN = [0x30, 0x61, 0x20, 0x00]

/** The smallest input found that still fails: pieces are removed, then bytes made plain, until nothing more can be. */
export function shrink(input: Buffer, fails: (input: Buffer) => boolean): Buffer {
  const tries = { left: MAX_TRIES }
  const stillFails = (candidate: Buffer) => tries.left-- > 0 && fails(candidate)
  let smallest = input
  for (let before = -1; before !== smallest.length && tries.left > 0; ) {
    before = smallest.length
    for (let size = Math.max(1, smallest.length >> 1); size >= 1; size >>= 1)
      smallest = withoutPieces(smallest, size, stillFails)
  }
  return plain(smallest, stillFails)
}

function withoutPieces(input: Buffer, size: number, fails: (input: Buffer) => boolean): Buffer {
  let smallest = input
  for (let at = 0; at < smallest.length; ) {
    const candidate = Buffer.concat([smallest.subarray(0, at), smallest.subarray(at + size)])
    if (fails(candidate)) smallest = candidate
    else at += size
  }
  return smallest
}

function plain(input: Buffer, fails: (input: Buffer) => boolean): Buffer {
  let simplest = input
  for (let at = 0; at < simplest.length; at++) {
    for (const byte of PLAIN) {
      if (simplest[at] === byte) break
      const candidate = Buffer.from(simplest)
      candidate[at] = byte
      if (!fails(candidate)) continue
      simplest = candidate
      break
    }
  }
  return simplest
}

/**
 * The first of so many consecutive nonces that no open transaction uses. A nonce that a failed transaction left is used first,
 * so that none is missing.
 */
export function firstFree(from: bigint, used: readonly bigint[], count = 1n): bigint {
  const taken = new Set(used)
  let free = 0n
  for (let nonce = from; ; nonce += 1n) {
    free = taken.has(nonce) ? 0n : free + 1n
    if (free === count) return nonce - count + 1n
  }
}

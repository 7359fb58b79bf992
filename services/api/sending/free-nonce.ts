/** The first nonce that no open transaction uses: a nonce that a failed one left is used first, so that none is missing. */
export function firstFree(from: bigint, used: readonly bigint[]): bigint {
  let next = from
  for (const nonce of used) if (nonce === next) next += 1n
  return next
}

import { refuse } from "../../core/refusal.ts"

const SHORTEST = 16
const LONGEST = 64

/**
 * What makes a statement fresh: chosen by whoever asks, long enough that none comes twice.
 *
 * @throws REQUEST_INVALID
 */
export function readNonce(nonce: Uint8Array): Uint8Array {
  if (nonce.length >= SHORTEST && nonce.length <= LONGEST) return nonce
  throw refuse("REQUEST_INVALID", `the nonce has ${SHORTEST} to ${LONGEST} bytes`, { field: "nonce" })
}

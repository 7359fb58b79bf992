import { refuse } from "../refusal.ts"
import type { Curve } from "../crypto/curve.ts"

/** `text`: as given. `indices`: 0 to 2^32-1, hardened ones with the highest bit set (BIP-32). */
export type Path = { readonly text: string; readonly indices: readonly number[] }

export const HARDENED = 0x8000_0000
/** BIP-32 keeps the depth in one byte. */
const MAX_DEPTH = 255
/** `m` and 255 times the longest part, `/2147483647'`. */
const MAX_LENGTH = 1 + MAX_DEPTH * 12
const PART = /^(0|[1-9][0-9]{0,9})('?)$/

/**
 * Reads `m/44'/60'/0'/0/0`: `m`, then 1 to 255 parts, each `/`, a decimal index of 0 to 2147483647 without
 * leading zero, and `'` where it is hardened. Every path has this one spelling.
 * @throws {Refusal} PATH_INVALID, naming `field`
 */
export function parsePath(text: string, field?: string): Path {
  if (text.length > MAX_LENGTH) throw invalid("it is too long", field)
  const [root, ...parts] = text.split("/")
  if (root !== "m") throw invalid("it does not begin with m/", field)
  if (parts.length === 0) throw invalid("it names no key below the master key", field)
  if (parts.length > MAX_DEPTH) throw invalid("it has more than 255 parts", field)
  return { text, indices: parts.map((part, at) => readIndex(part, at, field)) }
}

/**
 * The indices of the derivation: Ed25519 has only hardened children (SLIP-0010), so every index becomes hardened, and
 * `m/44'/501'/0'/0` is another name of `m/44'/501'/0'/0'`.
 */
export function derivedIndices(curve: Curve, { indices }: Path): readonly number[] {
  return curve === "CURVE_ED25519" ? indices.map((index) => (index | HARDENED) >>> 0) : indices
}

function readIndex(part: string, at: number, field?: string): number {
  const [, digits, mark] = PART.exec(part) ?? []
  const index = Number(digits)
  if (digits === undefined || index >= HARDENED)
    throw invalid(`part ${at + 1} is ${faultOfPart(part)}`, field)
  return mark === "'" ? index + HARDENED : index
}

function faultOfPart(part: string): string {
  const [, digits] = /^([0-9]{1,10})[hH]$/.exec(part) ?? []
  return digits === undefined ? "no index" : `${part}: a hardened index is written ${digits}'`
}

function invalid(why: string, field?: string) {
  return refuse("PATH_INVALID", `invalid path: ${why}`, field === undefined ? {} : { field })
}

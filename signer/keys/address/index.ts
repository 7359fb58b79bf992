import { refuse } from "../../refusal.ts"
import type { Curve } from "../curve.ts"
import { ethereumAddress } from "./ethereum.ts"
import { solanaAddress } from "./solana.ts"

export { canonicalAddress } from "./canonical.ts"

/** The public half of a key as hex, as a SigningKey shows it. */
export type PublicKey = {
  readonly curve: Curve
  /** 66 digits; 64 for Ed25519. */
  readonly publicKeyHex: string
  /** 130 digits; undefined for Ed25519. */
  readonly publicKeyUncompressed: string | undefined
}

type Family = { readonly curves: readonly Curve[]; write(key: PublicKey): string }

/** Which address can be made from which curve, in this release. Whatever is not in here is refused. */
const families: ReadonlyMap<string, Family> = new Map<string, Family>([
  ["ADDRESS_FORMAT_UNCOMPRESSED", { curves: ["CURVE_SECP256K1", "CURVE_P256"], write: uncompressed }],
  [
    "ADDRESS_FORMAT_COMPRESSED",
    { curves: ["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"], write: compressed },
  ],
  [
    "ADDRESS_FORMAT_ETHEREUM",
    { curves: ["CURVE_SECP256K1"], write: (key) => ethereumAddress(uncompressed(key)) },
  ],
  ["ADDRESS_FORMAT_SOLANA", { curves: ["CURVE_ED25519"], write: (key) => solanaAddress(compressed(key)) }],
])

/**
 * The address of a key in a format, by the format's name in the interface.
 *
 * @throws {Refusal} ADDRESS_FORMAT_INVALID, naming `field`
 */
export function addressOf(format: string, key: PublicKey, field?: string): string {
  return requireFamily(format, key.curve, field).write(key)
}

/**
 * Refuses a format that this release does not make, or not from this curve, before any key is derived.
 *
 * @throws {Refusal} ADDRESS_FORMAT_INVALID, naming `field`
 */
export function requireAddressFormat(format: string, curve: Curve, field?: string): void {
  requireFamily(format, curve, field)
}

const FORMAT_NAME = /^ADDRESS_FORMAT_[A-Z0-9_]{1,40}$/

function requireFamily(format: string, curve: Curve, field?: string): Family {
  if (!FORMAT_NAME.test(format)) throw invalid("it is no name of a format", field)
  const family = families.get(format)
  if (family === undefined) throw invalid(`${format} is not served in this release`, field)
  if (!family.curves.includes(curve)) throw invalid(`${format} cannot be made from ${curve}`, field)
  return family
}

function compressed({ publicKeyHex }: PublicKey): string {
  return publicKeyHex
}

function uncompressed({ publicKeyUncompressed }: PublicKey): string {
  if (publicKeyUncompressed === undefined) throw new TypeError("this curve has no uncompressed form")
  return publicKeyUncompressed
}

function invalid(why: string, field?: string) {
  const options = field === undefined ? {} : { field }
  return refuse("ADDRESS_FORMAT_INVALID", `invalid address format: ${why}`, options)
}

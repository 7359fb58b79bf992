import { refuse } from "../../../core/refusal.ts"
import type { Curve } from "../../../core/crypto/curve.ts"
import { type Format, formats, type PublicKey } from "./formats.ts"

export { isTaprootAddress } from "../../../core/address/bitcoin.ts"
export { canonicalAddress } from "../../../core/address/canonical.ts"
export type { PublicKey } from "./formats.ts"
export { isSparkAddress } from "./secp256k1-chains.ts"

/** The address of a key; `format` as named in the API. @throws ADDRESS_FORMAT_INVALID */
export function addressOf(format: string, key: PublicKey, field?: string): string {
  return requireFormat(format, key.curve, field).write(key)
}

/** Requires that the format is served for the curve, before any key is derived. @throws ADDRESS_FORMAT_INVALID */
export function requireAddressFormat(format: string, curve: Curve, field?: string): void {
  requireFormat(format, curve, field)
}

const FORMAT_NAME = /^ADDRESS_FORMAT_[A-Z0-9_]{1,40}$/

function requireFormat(name: string, curve: Curve, field?: string): Format {
  if (!FORMAT_NAME.test(name)) throw invalid("it is not the name of a format", field)
  const format = formats.get(name)
  if (format === undefined) throw invalid(`${name} is not served in this release`, field)
  if (!format.curves.includes(curve)) throw invalid(`${name} does not exist for ${curve}`, field)
  return format
}

function invalid(reason: string, field?: string) {
  const options = field === undefined ? {} : { field }
  return refuse("ADDRESS_FORMAT_INVALID", `invalid address format: ${reason}`, options)
}

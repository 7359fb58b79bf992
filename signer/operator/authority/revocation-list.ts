import { createPublicKey, sign } from "node:crypto"
import { pemOfList } from "../../core/crypto/revocations.ts"
import type { Issuer } from "./certificate.ts"
import { authorityKeyIdentifier, distinguishedName, extension, SIGNATURE_ALGORITHM } from "./certificate.ts"
import { bitString, explicit, sequence, time, unsignedInteger } from "./der.ts"

export type RevocationTerms = {
  /** Higher than that of every earlier list. */
  number: bigint
  fromMs: number
  /** OpenSSL refuses every certificate of the authority afterwards. */
  toMs: number
  /** Serial numbers in hexadecimal, and Unix times in milliseconds. */
  revoked: ReadonlyMap<string, { atMs: number }>
}

const V2 = Uint8Array.of(1)

/** A list of revoked certificates of version 2 (RFC 5280 §5.1), signed by the issuer. PEM. */
export function writeRevocationList(
  { number, fromMs, toMs, revoked }: RevocationTerms,
  issuer: Issuer,
): string {
  const entries = [...revoked].map(([serial, { atMs }]) =>
    sequence(
      unsignedInteger(Buffer.from(serial.padStart(serial.length + (serial.length % 2), "0"), "hex")),
      time(atMs),
    ),
  )
  const digits = number.toString(16)
  const numberBytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex")
  const toBeSigned = sequence(
    unsignedInteger(V2),
    SIGNATURE_ALGORITHM,
    distinguishedName(issuer.name),
    time(fromMs),
    time(toMs),
    // An empty sequence of entries is not allowed.
    ...(entries.length === 0 ? [] : [sequence(...entries)]),
    explicit(
      0,
      sequence(
        authorityKeyIdentifier(createPublicKey(issuer.privateKey)),
        extension("crlNumber", unsignedInteger(numberBytes)),
      ),
    ),
  )
  const signature = sign("sha256", toBeSigned, issuer.privateKey)
  const der = sequence(toBeSigned, SIGNATURE_ALGORITHM, bitString(signature))
  return pemOfList(der)
}

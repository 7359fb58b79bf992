// Keys of those who can open a backup: P-256, public ones compressed in hexadecimal, private ones in PEM or as the published clients keep them.
import { createPrivateKey, type KeyObject } from "node:crypto"
import { compressP256, p256Point, p256PrivateKey, p256PublicKey, uncompressP256 } from "../crypto/p256.ts"
import { Secret } from "../crypto/secret.ts"

/** A holder's public key. */
export type HolderKey = { readonly compressed: Uint8Array; readonly key: KeyObject }

const MAX_HOLDERS = 64

/** The public key of 33 bytes; undefined: they are no compressed point. */
export function holderKey(compressed: Uint8Array): HolderKey | undefined {
  const point = uncompressP256(compressed)
  const key = point && p256PublicKey(point)
  return key && { compressed: Uint8Array.from(compressed), key }
}

/**
 * The keys of a file: one a line, 66 hexadecimal digits; words after it and lines that begin with # are for people.
 * @throws {RangeError} naming the line
 */
export function readHolderKeys(text: string): HolderKey[] {
  const keys = text.split("\n").flatMap((line, at) => {
    const word = line.trim().split(/\s+/)[0] ?? ""
    if (word === "" || word.startsWith("#")) return []
    const key = /^[0-9a-f]{66}$/i.test(word) ? holderKey(Buffer.from(word, "hex")) : undefined
    if (key === undefined)
      throw new RangeError(
        `line ${at + 1} is no public key; write a compressed P-256 key, 66 hexadecimal digits`,
      )
    return [key]
  })
  const names = keys.map(({ compressed }) => Buffer.from(compressed).toString("hex"))
  if (keys.length === 0) throw new RangeError("it has no key; write one a line")
  if (keys.length > MAX_HOLDERS) throw new RangeError(`it has more than ${MAX_HOLDERS} keys`)
  if (new Set(names).size !== names.length) throw new RangeError("it has one key twice")
  return keys
}

/** A private key of a file: PEM (PKCS#8 or SEC 1), or 64 hexadecimal digits, `:p256` may follow. Undefined: it is none. */
export function readHolderPrivateKey(text: string): KeyObject | undefined {
  const [, digits] = /^([0-9a-f]{64})(?::p256)?$/i.exec(text.trim()) ?? []
  try {
    if (digits !== undefined) return p256PrivateKey(Secret.moveFrom(Buffer.from(digits, "hex")))
    const key = createPrivateKey(text)
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : undefined
  } catch {
    return undefined
  }
}

/** The compressed public key of a private one, 66 hexadecimal digits. */
export function publicHexOf(privateKey: KeyObject): string {
  return Buffer.from(compressP256(p256Point(privateKey))).toString("hex")
}

import { createPublicKey, type PublicKeyInput } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { UsageFault } from "../../core/command-line.ts"
import { compressP256, p256Point, uncompressP256 } from "../../core/crypto/p256.ts"

/** A holder's key as the operator names it: 66 hexadecimal digits, or a file with these or with a key in PEM. @throws {UsageFault} */
export function readHolderKey(word: string): Uint8Array {
  const own = pointOf(word)
  if (own !== undefined) return own
  if (!existsSync(word))
    throw new UsageFault(
      `--holder ${word}: it is neither a public key of P-256, 66 hexadecimal digits, nor a file`,
    )
  const text = readFileSync(word, "utf8").trim()
  // A file of a passkey has the key in its first line, and its id in the second.
  const [first = ""] = text.split("\n")
  const key = pointOf(first) ?? pointIn(text)
  if (key !== undefined) return key
  throw new UsageFault(
    `--holder ${word}: the file has no public key of P-256, neither in 66 hexadecimal digits nor in PEM`,
  )
}

/** Keys of all holders, in the order of their shares. @throws {UsageFault} */
export function readHolderKeys(words: readonly string[]): Uint8Array[] {
  const numbered = words.find((word) => NUMBERED.test(word))
  if (numbered !== undefined)
    throw new UsageFault(
      `--holder ${numbered}: here each holder is named in the order of the shares, without a number`,
    )
  return words.map(readHolderKey)
}

/** `2=KEY`, or a whole list. @throws {UsageFault} */
export function replaceHolderKeys(words: readonly string[], present: readonly Uint8Array[]): Uint8Array[] {
  if (!words.some((word) => NUMBERED.test(word))) return readHolderKeys(words)
  const keys = [...present]
  for (const word of words) {
    const [, digits = "", key = ""] = NUMBERED.exec(word) ?? []
    const index = Number(digits) - 1
    if (digits === "" || present[index] === undefined)
      throw new UsageFault(
        `--holder ${word}: name one of the present holders, 1 to ${present.length}, or all without numbers`,
      )
    keys[index] = readHolderKey(key)
  }
  return keys
}

const NUMBERED = /^(\d{1,2})=(.+)$/

function pointOf(hex: string): Uint8Array | undefined {
  if (!/^[0-9a-f]{66}$/i.test(hex)) return undefined
  const key = Buffer.from(hex, "hex")
  return uncompressP256(key) === undefined ? undefined : Uint8Array.from(key)
}

/** The compressed point of a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7); undefined: it is no key of P-256. */
export const pointOfSpki = (der: Uint8Array) =>
  pointIn({ key: Buffer.from(der), format: "der", type: "spki" })

function pointIn(input: string | PublicKeyInput): Uint8Array | undefined {
  try {
    const key = createPublicKey(input)
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? compressP256(p256Point(key)) : undefined
  } catch {
    return undefined
  }
}

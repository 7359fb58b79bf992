import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import { deriveBranch } from "../../core/crypto/branch.ts"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"
import { type Secret, wiping } from "../../core/crypto/secret.ts"

/** Keys of the store of one-time codes, each from a branch of the fetcher's seed of its own. */
export type CodeKeys = {
  /** Digests of codes, contacts and user identifiers, and ids. */
  digest: KeyObject
  /** Seals codes' rows, AES-256-GCM. */
  seal: KeyObject
  /** Authenticates all rows. */
  store: KeyObject
}

export function codeKeysOf(seed: Secret): CodeKeys {
  const keyAt = (name: string) => {
    const branch = deriveBranch(seed, name)
    return wiping([branch], () => branch.use((bytes) => createSecretKey(bytes)))
  }
  return { digest: keyAt("codes/digest"), seal: keyAt("codes/seal"), store: keyAt("codes/store") }
}

/** Purposes of keyed digests: equal texts of two purposes have different digests. */
type Purpose = "code" | "code-id" | "contact" | "requester" | "token-id" | "invitation" | "invited"

/** HMAC-SHA-256 of a purpose and its parts, 32 bytes. */
export function digestOf(
  { digest }: Pick<CodeKeys, "digest">,
  purpose: Purpose,
  ...parts: (string | Uint8Array)[]
): Buffer {
  const fields = [`codes/${purpose}`, ...parts].map((part) =>
    typeof part === "string" ? Buffer.from(part) : part,
  )
  return createHmac("sha256", digest)
    .update(lengthPrefixed(...fields))
    .digest()
}

/** A digest's first 16 bytes as a UUID of version 8 (RFC 9562 section 5.8): an id that nobody chooses. */
export function uuidOf(digest: Uint8Array): string {
  const bytes = Buffer.from(digest.subarray(0, 16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

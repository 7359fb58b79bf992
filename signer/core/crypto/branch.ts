import { hkdfSync } from "node:crypto"
import { Secret } from "./secret.ts"

const SALT = "countersign/v1/branch"
const LENGTH = 32

/**
 * Key of one purpose from the root seed: HKDF-SHA512 (RFC 5869) with salt "countersign/v1/branch" and the purpose's name as
 * info; 32 bytes. A branch reveals nothing about another one or the seed.
 */
export function deriveBranch(rootSeed: Secret, name: string): Secret {
  return expand(rootSeed, SALT, name, LENGTH)
}

/** HKDF-SHA512 (RFC 5869), natively. `length` in bytes. */
export function expand(
  key: Secret,
  salt: string | Uint8Array,
  info: string | Uint8Array,
  length: number,
): Secret {
  return Secret.moveFrom(key.use((bytes) => new Uint8Array(hkdfSync("sha512", bytes, salt, info, length))))
}

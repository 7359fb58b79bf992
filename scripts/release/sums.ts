import { createPrivateKey, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { type Artifact, comparePaths } from "./entry.ts"

export const SUMS = "SHA256SUMS"
export const SIGNATURE = "SHA256SUMS.sig"

/** Digests of a release's files, as `sha256sum` prints them. */
export function sumsOf(artifacts: readonly Artifact[]): string {
  return artifacts
    .toSorted((one, other) => comparePaths(one.name, other.name))
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join("")
}

/**
 * Ed25519 over the bytes of the digests, 64 bytes. It is deterministic: the signature of a second build is the same.
 * @param keyFile the private key in PEM, PKCS #8
 */
export function signatureOf(sums: string, keyFile: string): Buffer {
  const key = createPrivateKey(readFileSync(keyFile))
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error(`${keyFile}: releases are signed with Ed25519, and this key is ${key.asymmetricKeyType}`)
  return sign(null, Buffer.from(sums), key)
}

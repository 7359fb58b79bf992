import type { SigningKey } from "./signing-key.ts"

export type DigestSignature = { readonly r: bigint; readonly s: bigint; readonly parity: 0 | 1 }

/** An Ethereum signature of a digest. The key must be on secp256k1 and sign by ECDSA. */
export function signDigest(key: SigningKey, digest: Uint8Array): DigestSignature {
  const { r, s, v } = key.sign({ digest })
  return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), parity: v === "01" ? 1 : 0 }
}

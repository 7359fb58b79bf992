import type { Secret } from "../../core/crypto/secret.ts"
import { ethereumAddress } from "../../core/address/ethereum.ts"
import { SigningKey } from "./signing-key.ts"

type EthereumSignature = { readonly r: bigint; readonly s: bigint; readonly parity: 0 | 1 }

/** An Ethereum signature of a digest. The key must be on secp256k1 and sign by ECDSA. */
export function signDigest(key: SigningKey, digest: Uint8Array): EthereumSignature {
  const { r, s, v } = key.sign({ digest })
  return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), parity: v === "01" ? 1 : 0 }
}

/** The account that pays for sponsored sends: one key on every EVM chain, derived from the root seed. */
export type Paymaster = {
  /** Lower-case hexadecimal with 0x. */
  readonly address: string
  /** Signs the transaction of a plan. The caller hands in sponsored ones only. */
  readonly sign: (digest: Uint8Array) => EthereumSignature
}

/** @param secret 32 bytes; the caller wipes it */
export function openPaymaster(secret: Secret): Paymaster {
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret })
  const address = ethereumAddress(Buffer.from(key.publicKeyUncompressed ?? "", "hex")).toLowerCase()
  return { address, sign: (digest) => signDigest(key, digest) }
}

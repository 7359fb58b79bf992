import type { Secret } from "../../../../core/crypto/secret.ts"
import { ethereumAddress } from "../../../../core/address/ethereum.ts"
import { type DigestSignature, signDigest } from "../../../keys/ethereum-signature.ts"
import { SigningKey } from "../../../keys/signing-key.ts"

/** The account that pays for sponsored sends: one key on every EVM chain, derived from the root seed. */
export type Paymaster = {
  /** Lower-case hexadecimal with 0x. */
  readonly address: string
  /** Signs the transaction of a plan. The caller hands in sponsored ones only. */
  readonly sign: (digest: Uint8Array) => DigestSignature
}

/** @param secret 32 bytes; the caller wipes it */
export function openPaymaster(secret: Secret): Paymaster {
  const key = new SigningKey({ curve: "CURVE_SECP256K1", secret })
  const address = ethereumAddress(Buffer.from(key.publicKeyUncompressed ?? "", "hex")).toLowerCase()
  return { address, sign: (digest) => signDigest(key, digest) }
}

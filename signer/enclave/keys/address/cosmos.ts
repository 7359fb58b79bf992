import { bech32 } from "@scure/base"
import { hash160 } from "./hashes.ts"

/**
 * Address of a secp256k1 key on a chain of the Cosmos SDK: Bech32 of HASH160 of its compressed point (ADR-028, "Legacy
 * Public Key Addresses Don't Change"). `prefix` names the chain.
 */
export function cosmosAddress(prefix: "cosmos" | "sei", key: Uint8Array): string {
  return bech32.encode(prefix, bech32.toWords(hash160(key)))
}

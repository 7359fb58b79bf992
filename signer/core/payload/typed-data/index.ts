import { keccak_256 } from "@noble/hashes/sha3.js"
import { Effort } from "./effort.ts"
import { StructHasher } from "./hash.ts"
import { readTypedData } from "./read.ts"
import { DOMAIN } from "./types.ts"

/**
 * Digest of typed data by EIP-712, given as the JSON text {types, primaryType, domain, message}:
 *
 *     keccak256(19 01 || hashStruct(domain) || hashStruct(message))
 *
 * Stricter than the standard wherever two libraries could read two things: see types.ts, domain.ts, value.ts.
 * Members of the message that its type does not have are left out, as viem and ethers do; whoever shows or
 * judges the message must do the same. `effort`: what the request may still have hashed.
 *
 * @throws {PayloadFault}
 */
export function hashTypedData(text: string, effort = new Effort()): Uint8Array {
  const { types, primaryType, domain, message } = readTypedData(text)
  const structs = new StructHasher(types, effort)
  const separator = structs.hash(DOMAIN, domain, "domain")
  const hash = structs.hash(primaryType, message, "message")
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), separator, hash]))
}

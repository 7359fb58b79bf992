import { keccak_256 } from "@noble/hashes/sha3.js"
import { HashBudget } from "./hash-budget.ts"
import { StructHasher } from "./hash.ts"
import { readTypedData } from "./read.ts"
import { DOMAIN } from "./types.ts"

/**
 * Digest of typed data by EIP-712, given as the JSON text {types, primaryType, domain, message}:
 *
 *     keccak256(19 01 || hashStruct(domain) || hashStruct(message))
 *
 * Stricter than the standard wherever two libraries could read two things: see types.ts, domain.ts, value.ts.
 * Members of the message that its type does not have are left out, as viem and ethers do; code that shows the
 * message or evaluates policies on it must do the same. `budget`: shared by all payloads of a request.
 *
 * @throws {PayloadFault}
 */
export function hashTypedData(text: string, budget = new HashBudget()): Uint8Array {
  const { types, primaryType, domain, message } = readTypedData(text)
  const structs = new StructHasher(types, budget)
  const separator = structs.hash(DOMAIN, domain, "domain")
  const hash = structs.hash(primaryType, message, "message")
  return keccak_256(Buffer.concat([Uint8Array.of(0x19, 0x01), separator, hash]))
}

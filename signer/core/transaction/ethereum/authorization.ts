import { keccak_256 } from "@noble/hashes/sha3.js"
import type { SignedAuthorization } from "./fields.ts"
import { rlpList } from "./rlp.ts"
import { authorizationFields } from "./write.ts"

const MAGIC = 0x05

/** An EIP-7702 authorization before its signature; the address in lower-case hexadecimal with 0x. */
export type Authorization = Pick<SignedAuthorization, "chainId" | "address" | "nonce">

/** Digest of an authorization: keccak256(05 || rlp([chainId, address, nonce])) (EIP-7702). */
export function authorizationDigest(authorization: Authorization): Uint8Array {
  return keccak_256(Uint8Array.of(MAGIC, ...rlpList(...authorizationFields(authorization))))
}

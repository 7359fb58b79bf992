import { Fault } from "../fault.ts"
import { ethereumAddressBytes } from "../address/ethereum.ts"
import { type Authorization, authorizationDigest } from "../transaction/ethereum/authorization.ts"
import { memberOf, readInteger, readPayloadJson, requireMembers, requireObject } from "./json.ts"

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn

/**
 * Digest of an EIP-7702 authorization, given as the JSON text {address, chainId, nonce}.
 *
 * chainId 0 means every chain. Both numbers fit 64 bits here, and the nonce stays below 2^64-1, where the chain
 * would refuse it (EIP-7702, behaviour; EIP-2681).
 *
 * @throws {Fault payload}
 */
export function hashAuthorization(text: string): Uint8Array {
  return authorizationDigest(readAuthorization(text))
}

/** Reads the JSON text {address, chainId, nonce}. @throws {Fault payload} */
export function readAuthorization(text: string): Authorization {
  const json = requireObject(readPayloadJson(text), "the authorization")
  requireMembers(json, ["address", "chainId", "nonce"], "the authorization")
  const address = memberOf(json, "address")
  const addressBytes = typeof address === "string" ? ethereumAddressBytes(address) : undefined
  if (addressBytes === undefined)
    throw new Fault("payload", "the authorization's address is no Ethereum address")
  const chainId = requireNumber(json, "chainId", MAX_UINT64)
  const nonce = requireNumber(json, "nonce", MAX_UINT64 - 1n)
  return { address: `0x${Buffer.from(addressBytes).toString("hex")}`, chainId, nonce }
}

function requireNumber(json: Readonly<Record<string, unknown>>, name: string, max: bigint): bigint {
  const value = readInteger(memberOf(json, name))
  if (value !== undefined && value >= 0n && value <= max) return value
  throw new Fault("payload", `the authorization's ${name} is no integer of 0 to ${max}`)
}

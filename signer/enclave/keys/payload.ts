import { payloadRefusal } from "../../core/fault-refusals.ts"
import { isFault } from "../../core/fault.ts"
import { hash } from "node:crypto"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { refuse } from "../../core/refusal.ts"
import { hashAuthorization } from "../../core/payload/authorization.ts"
import type { Curve } from "../../core/crypto/curve.ts"
import { hexPayload, textPayload } from "../../core/payload/plain.ts"
import { userOperationHash, userOperationMessage } from "../../core/payload/user-operation/hash.ts"
import { readUserOperation } from "../../core/payload/user-operation/user-operation.ts"
import type { Signable } from "./signing-key.ts"
import { HashBudget } from "../../core/payload/typed-data/budget.ts"
import { hashTypedData } from "../../core/payload/typed-data/hash.ts"

/** The parameters of a signing request; `encoding` and `hashFunction` as named in the API. */
export type SigningPayload = {
  readonly payload: string
  readonly encoding: string
  readonly hashFunction: string
  readonly curve: Curve
}

/**
 * The input of the signature: a digest for ECDSA, the message for Ed25519.
 *
 * | curve | encoding | hash function |
 * |---|---|---|
 * | Ed25519 | hex, text | NOT_APPLICABLE: RFC 8032 includes the hash |
 * | secp256k1, P-256 | hex, text | NO_OP (the bytes are a 32-byte digest), SHA256, KECCAK256 |
 * | secp256k1 | EIP712, EIP7702_AUTHORIZATION | NO_OP: the EIP defines the hash |
 * | secp256k1 | ERC4337_USER_OPERATION | NO_OP: its hash; KECCAK256: the message of EIP-191 whose content is its hash |
 *
 * Published clients match `invalid payload encoding` and `invalid hash function` at the start of a refusal.
 * @throws PAYLOAD_INVALID, HASH_FUNCTION_INVALID, DIGEST_LENGTH_INVALID
 * @param budget shared by all payloads of one request
 */
export function readPayload(order: SigningPayload, field = "parameters.payload", budget = new HashBudget()) {
  requireCombination(order)
  try {
    return signable(order, field, budget)
  } catch (fault) {
    if (!isFault(fault, "payload")) throw fault
    throw payloadRefusal(fault, field)
  }
}

function signable({ payload, encoding, hashFunction }: SigningPayload, field: string, budget: HashBudget) {
  switch (encoding) {
    case "PAYLOAD_ENCODING_EIP712":
      return { digest: hashTypedData(payload, budget) }
    case "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION":
      return { digest: hashAuthorization(payload) }
    case "PAYLOAD_ENCODING_ERC4337_USER_OPERATION": {
      const operation = readUserOperation(payload)
      const isMessage = hashFunction === "HASH_FUNCTION_KECCAK256"
      return {
        digest: isMessage ? keccak_256(userOperationMessage(operation)) : userOperationHash(operation),
      }
    }
    default: {
      const bytes = encoding === "PAYLOAD_ENCODING_HEXADECIMAL" ? hexPayload(payload) : textPayload(payload)
      return hashed(bytes, hashFunction, field)
    }
  }
}

function hashed(bytes: Uint8Array, hashFunction: string, field: string): Signable {
  switch (hashFunction) {
    case "HASH_FUNCTION_NOT_APPLICABLE":
      return { message: bytes }
    case "HASH_FUNCTION_SHA256":
      return { digest: hash("sha256", bytes, "buffer"), sha256Of: bytes }
    case "HASH_FUNCTION_KECCAK256":
      return { digest: keccak_256(bytes) }
    default: {
      if (bytes.length === 32) return { digest: bytes }
      const sentence = `expected a 32-bytes-long digest, got ${bytes.length} bytes`
      throw refuse("DIGEST_LENGTH_INVALID", sentence, { field })
    }
  }
}

const ECDSA = ["HASH_FUNCTION_NO_OP", "HASH_FUNCTION_SHA256", "HASH_FUNCTION_KECCAK256"]

/** Hash functions of each curve for plain bytes. */
const hashFunctions: Readonly<Record<Curve, readonly string[]>> = {
  CURVE_SECP256K1: ECDSA,
  CURVE_P256: ECDSA,
  CURVE_ED25519: ["HASH_FUNCTION_NOT_APPLICABLE"],
}

function requireCombination({ encoding, hashFunction, curve }: SigningPayload): void {
  switch (encoding) {
    case "PAYLOAD_ENCODING_HEXADECIMAL":
    case "PAYLOAD_ENCODING_TEXT_UTF8":
      return requireHashFunction(hashFunction, hashFunctions[curve], curve)
    case "PAYLOAD_ENCODING_EIP712":
    case "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION":
      if (curve === "CURVE_SECP256K1")
        return requireHashFunction(hashFunction, ["HASH_FUNCTION_NO_OP"], encoding)
      throw invalidEncoding(`${encoding} is not available for ${curve}`)
    case "PAYLOAD_ENCODING_ERC4337_USER_OPERATION":
      if (curve === "CURVE_SECP256K1")
        return requireHashFunction(hashFunction, ["HASH_FUNCTION_NO_OP", "HASH_FUNCTION_KECCAK256"], encoding)
      throw invalidEncoding(`${encoding} is not available for ${curve}`)
    default:
      throw invalidEncoding("it is not the name of an encoding")
  }
}

function invalidEncoding(reason: string) {
  return refuse("PAYLOAD_INVALID", `invalid payload encoding: ${reason}`, { field: "parameters.encoding" })
}

function requireHashFunction(given: string, allowed: readonly string[], reason: string): void {
  if (allowed.includes(given)) return
  const sentence = `invalid hash function: ${reason} needs ${allowed.join(", ")}`
  throw refuse("HASH_FUNCTION_INVALID", sentence, { field: "parameters.hashFunction" })
}

import { interfaceRefusal } from "../fault-refusals.ts"
import { isFault } from "../fault.ts"
import { interfaceFault } from "./fault.ts"
import { createHash } from "node:crypto"
import { ethereumAddressBytes } from "../address/ethereum.ts"
import { isSolanaAddress } from "../address/solana.ts"
import { refuse } from "../refusal.ts"
import { readAbi } from "./abi.ts"
import { readIdl } from "./idl.ts"

/** Chains whose contracts have interfaces. */
export type InterfaceChain = "ethereum" | "solana"

/** Largest text of an interface, bytes of UTF-8: the "400 kb" of the interface document. */
export const MAX_INTERFACE_BYTES = 400_000

/** SHA-256 of the text, by which the organization document names the interface. */
export function interfaceDigest(text: string): Uint8Array {
  return createHash("sha256").update(text, "utf8").digest()
}

/** Functions of an ABI, or instructions of an IDL: reading them delays others, and no contract has as many. */
const MAX_FUNCTIONS = 1000

/**
 * Reads an interface by the reader of policy decisions: an ABI, or an Anchor IDL.
 * @throws {Refusal} REQUEST_INVALID over the bound; INTERFACE_INVALID, naming the member at fault
 */
export function requireInterface(chain: InterfaceChain, text: string, field: string): void {
  if (Buffer.byteLength(text, "utf8") > MAX_INTERFACE_BYTES)
    throw refuse("REQUEST_INVALID", `\`${field}\` must have at most ${MAX_INTERFACE_BYTES} bytes`, { field })
  try {
    const count = chain === "ethereum" ? readAbi(text).functions.size : readIdl(text).instructions.length
    if (count <= MAX_FUNCTIONS) return
    throw interfaceFault("", `has ${count} functions and may have ${MAX_FUNCTIONS}; leave out some`)
  } catch (cause) {
    if (!isFault(cause, "interface")) throw cause
    throw interfaceRefusal(cause, chain === "ethereum" ? "ABI" : "IDL", field)
  }
}

/** A contract's address in one spelling: Ethereum's in lower case. @throws {Refusal} CONTRACT_ADDRESS_INVALID */
export function requireContractAddress(chain: InterfaceChain, text: string, field: string): string {
  if (chain === "ethereum" && ethereumAddressBytes(text) !== undefined) return text.toLowerCase()
  if (chain === "solana" && isSolanaAddress(text)) return text
  const what =
    chain === "ethereum"
      ? "0x and 40 hex digits, in one case or with the checksum of EIP-55"
      : "Base58 of 32 bytes"
  throw refuse("CONTRACT_ADDRESS_INVALID", `the address of the contract must be ${what}`, { field })
}

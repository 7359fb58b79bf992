import type { Abi } from "./abi.ts"
import type { Idl } from "./idl.ts"

/** The interfaces that an organization has uploaded; undefined for a contract or program that has none. */
export type Interfaces = {
  /** An Ethereum contract's ABI, by its address in lower case. */
  abi(address: string): Abi | undefined
  /** A Solana program's IDL, by its address. */
  idl(program: string): Idl | undefined
}

export const NO_INTERFACES: Interfaces = { abi: () => undefined, idl: () => undefined }

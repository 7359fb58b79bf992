import type { Abi } from "./abi.ts"
import type { Idl } from "./idl.ts"

/** The interfaces that an organization has uploaded; undefined for a contract or program that has none. */
export type Interfaces = {
  /** Of an Ethereum contract, by its address in lower case. */
  abi(address: string): Abi | undefined
  /** Of a Solana program, by its address. */
  idl(program: string): Idl | undefined
}

export const NO_INTERFACES: Interfaces = { abi: () => undefined, idl: () => undefined }

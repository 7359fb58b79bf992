import { Fault } from "../fault.ts"
import type { Abi } from "./abi.ts"
import type { Idl } from "./idl.ts"
import type { Interfaces } from "./interfaces.ts"

/** Characters of interfaces that one transaction may need: they are read at once, while other requests wait. */
export const MAX_INTERFACE_CHARACTERS = 1_000_000

/** An interface, and the characters of its text. */
export type ReadInterface<Read> = { readonly read: Read; readonly length: number }

/**
 * The interfaces for one request, each found by its contract's address.
 * @throws Fault transaction when the contracts of a transaction have more than MAX_INTERFACE_CHARACTERS of them
 */
export function boundedInterfaces(find: {
  abi(address: string): ReadInterface<Abi> | undefined
  idl(program: string): ReadInterface<Idl> | undefined
}): Interfaces {
  const used = new Map<string, number>()
  const counted = <Read>(address: string, found: ReadInterface<Read> | undefined): Read | undefined => {
    used.set(address, found?.length ?? 0)
    const characters = [...used.values()].reduce((sum, length) => sum + length, 0)
    if (characters <= MAX_INTERFACE_CHARACTERS) return found?.read
    const sentence = `the contracts that it calls have interfaces of more than ${MAX_INTERFACE_CHARACTERS} characters; delete some`
    throw new Fault("transaction", sentence, 0)
  }
  return {
    abi: (address) => counted(address, find.abi(address)),
    idl: (program) => counted(program, find.idl(program)),
  }
}

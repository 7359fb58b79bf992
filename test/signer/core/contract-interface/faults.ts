import { type Fault, isFault } from "../../../../signer/core/fault.ts"
import type { Test } from "tap"
import { isUnreadable } from "../../../../signer/core/contract-interface/fault.ts"

/** The place and sentence of the fault that reading ends with; undefined when it ends well. */
export function faultOf(read: (text: string) => unknown, value: unknown): string | undefined {
  try {
    read(typeof value === "string" ? value : JSON.stringify(value))
  } catch (fault) {
    if (isFault(fault, "interface")) return fault.message
    throw fault
  }
  return undefined
}

/** Each of these values ends with this sentence. */
export function eachFails(
  t: Test,
  read: (text: string) => unknown,
  cases: readonly (readonly [unknown, string])[],
): void {
  for (const [value, sentence] of cases) t.equal(faultOf(read, value), sentence)
}

type Parts = {
  readonly faults: readonly Fault<"interface">[]
  readonly functions?: ReadonlyMap<string, object>
  readonly instructions?: readonly object[]
}

/** Sentences of all parts of an interface that cannot be read. */
export function partFaults({ faults, functions = new Map(), instructions = [] }: Parts): string[] {
  const parts = [...functions.values(), ...instructions].filter((one) => isUnreadable(one as Unreadable))
  return [...(parts as Unreadable[]).map(({ fault }) => fault), ...faults].map(({ message }) => message)
}

type Unreadable = { readonly fault: Fault<"interface"> }

/** Nothing but a fault ever comes of reading, and a sentence that has an end. */
export function readsOrFaults(read: (text: string) => unknown, text: string): boolean {
  try {
    read(text)
    return true
  } catch (fault) {
    return isFault(fault, "interface") && fault.message.length < 400 + fault.place.length
  }
}

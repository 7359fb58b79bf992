import { interfaceFault, quoted } from "./fault.ts"
import type { Abi, AbiFunction, UnreadableFunction } from "./abi.ts"
import { standardFunction } from "./token-functions.ts"

const SELECTOR_DIGITS = 8

/**
 * The function of a contract that a call runs; undefined: the interface has none. The name is undefined where the call could mean another
 * function than the interface says.
 * @param data of the call, hexadecimal with 0x
 */
export function calledFunction(
  { functions, faults }: Abi,
  data: string,
): AbiFunction | UnreadableFunction | undefined {
  const digits = data.slice(2, 2 + SELECTOR_DIGITS)
  const isWhole = digits.length === SELECTOR_DIGITS
  const selector = digits.padEnd(SELECTOR_DIGITS, "0")
  const called = functions.get(selector)
  if (called === undefined) {
    // A function whose selector is unknown may have this one.
    const [fault] = faults
    if (!isWhole || fault === undefined) return undefined
    return { name: undefined, signature: `0x${selector}`, selector, fault }
  }
  const why = isWhole
    ? otherFunctionOf(called)
    : "the data end within the selector, and contracts may add zeros"
  if (why === undefined) return called
  return { name: undefined, signature: called.signature, selector, fault: interfaceFault("", why) }
}

/** The other function that a contract may have by the selector, in words. */
function otherFunctionOf({ selector, signature }: AbiFunction | UnreadableFunction): string | undefined {
  const standard = standardFunction(selector)
  if (standard === undefined || standard.signature === signature) return undefined
  return `tokens have ${quoted(standard.signature)} with the same selector`
}

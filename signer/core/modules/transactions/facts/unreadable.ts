import { transactionRefusal } from "../../../fault-refusals.ts"
import { Fault } from "../../../fault.ts"
import { quoted } from "../../../contract-interface/fault.ts"
import { type MemberValue, type Members, UnreadableValue } from "../../../policy/expression.ts"

/**
 * A value of a call that the uploaded interface does not describe.
 * @param called function or instruction
 * @param why fault of the interface or of the data, the end of a sentence
 */
export function unreadableCall(called: string, why: string): UnreadableValue {
  const sentence = `a policy reads values of the call of ${called} that cannot be read: ${why}; correct the interface or the policy`
  return new UnreadableValue(transactionRefusal(new Fault("transaction", sentence, 0)))
}

/** Values by name. A name that several values have belongs to none of them. @param called function or instruction */
export function namedValues(
  named: readonly (readonly [name: string, value: MemberValue])[],
  called: string,
): Members {
  const map = new Map<string, MemberValue>()
  for (const [name, value] of named)
    map.set(name, map.has(name) ? unreadableCall(called, severalNamed(name)) : value)
  return map
}

export function severalNamed(name: string): string {
  return `several have the name ${quoted(name)}`
}

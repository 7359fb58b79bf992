import { CEREMONY_KINDS, isFault } from "../../../../signer/core/fault.ts"

/** The kind of fault that this meets; "none" when it goes through. Any other error than a fault of a ceremony is thrown on. */
export function faultOf(attempt: () => unknown): string {
  try {
    attempt()
  } catch (error) {
    if (isFault(error, ...CEREMONY_KINDS)) return error.kind
    throw error
  }
  return "none"
}

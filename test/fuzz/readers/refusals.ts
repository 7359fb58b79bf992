import { StrictJsonError } from "../../../proto/strict-json.ts"
import { Fault, type FaultKind, isFault } from "../../../signer/core/fault.ts"
import { Refusal } from "../../../signer/core/refusal.ts"

// Errors that readers throw on purpose.

export const isAnyRefusal = (error: unknown): boolean => error instanceof Refusal || error instanceof Fault

export const isFaultOf =
  (...kinds: readonly FaultKind[]) =>
  (error: unknown): boolean =>
    isFault(error, ...kinds)

export const isStrictJsonError = (error: unknown): boolean => error instanceof StrictJsonError

/** Readers that answer with `undefined` throw nothing. */
export const isNoError = (): boolean => false

import type { MessageInitShape } from "@bufbuild/protobuf"
import type { NeededSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"

type Needed = MessageInitShape<typeof NeededSchema>

/** An order lacks context that the signer does not store; the API tier sends the order again with it. Nothing was decided or written. */
class ContextNeeded extends Error {
  override readonly name = "ContextNeeded"
  readonly needed: Needed

  constructor(needed: Needed) {
    super("the order lacks context")
    this.needed = needed
  }
}

// Exported as a type alone, so that only this file can test for the class.
export type { ContextNeeded }

/** Callers write `throw contextNeeded(...)`: it ends the order as a refusal would. */
export const contextNeeded = (needed: Needed): ContextNeeded => new ContextNeeded(needed)

export const isContextNeeded = (value: unknown): value is ContextNeeded => value instanceof ContextNeeded

/** Turns missing context that ended a computation into its result. @throws any other error */
export function contextNeededOf(error: unknown): ContextNeeded {
  if (isContextNeeded(error)) return error
  throw error
}

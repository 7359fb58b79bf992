import type { MessageInitShape } from "@bufbuild/protobuf"
import type { NeededSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"

type Needed = MessageInitShape<typeof NeededSchema>

/** An order lacks context that the signer does not store: it is to be sent again. Nothing was decided and nothing written. */
class LackingContext extends Error {
  override readonly name = "ContextNeeded"
  readonly needed: Needed

  constructor(needed: Needed) {
    super("the order lacks context")
    this.needed = needed
  }
}

export type ContextNeeded = LackingContext

/** Ends an order as a refusal does; callers write `throw contextNeeded(...)`. */
export const contextNeeded = (needed: Needed): ContextNeeded => new LackingContext(needed)

export const isContextNeeded = (value: unknown): value is ContextNeeded => value instanceof LackingContext

/** The one place where a lack of context that ended a computation becomes its result. @throws any other error */
export function contextNeededOf(error: unknown): ContextNeeded {
  if (isContextNeeded(error)) return error
  throw error
}

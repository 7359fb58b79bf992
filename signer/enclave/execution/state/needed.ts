import type { MessageInitShape } from "@bufbuild/protobuf"
import type { NeededSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"

/** Thrown when an order lacks context that the signer does not store. Nothing was decided and nothing written. */
export class ContextNeeded extends Error {
  readonly needed: MessageInitShape<typeof NeededSchema>

  constructor(needed: MessageInitShape<typeof NeededSchema>) {
    super("the order lacks context")
    this.name = "ContextNeeded"
    this.needed = needed
  }
}

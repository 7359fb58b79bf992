import type { OrderAnswer } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { StampHeader } from "../harness/stamper.ts"

/** An outcome or a refusal of the signer; undefined: the signer ended before it answered. */
export type Answered = Extract<OrderAnswer["answer"], { case: "outcome" | "refused" }> | undefined

export type Sent = { body: string; stamp: StampHeader }

import type { Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { type Denial, isDenial } from "../../../../signer/enclave/execution/steps/outcome.ts"

/** What was decided, unless it was denied. */
export function allowed<T extends object>(decided: T | Denial): T {
  if (isDenial(decided)) throw decided.refusal
  return decided
}

/** The outcome of an order that is not denied. */
export async function allowedOutcome(answered: Promise<Outcome | Denial>): Promise<Outcome> {
  return allowed(await answered)
}

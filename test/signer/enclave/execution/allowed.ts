import type { Outcome } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { isContextNeeded } from "../../../../signer/enclave/execution/state/context-needed.ts"
import type { ExecutionResult } from "../../../../signer/enclave/execution/execute.ts"
import { type Denial, isDenial } from "../../../../signer/enclave/execution/steps/outcome.ts"
import { isReplayed } from "../../../../signer/enclave/execution/steps/replay.ts"

/** What was decided, unless it was denied. */
export function allowed<T extends object>(decided: T | Denial): T {
  if (isDenial(decided)) throw decided.refusal
  return decided
}

/** The outcome of an order that is neither denied nor of a body that was carried out. */
export async function allowedOutcome(answered: Promise<ExecutionResult>): Promise<Outcome> {
  const result = allowed(await answered)
  if (isContextNeeded(result)) throw result
  if (isReplayed(result)) throw result.refusal
  return result
}

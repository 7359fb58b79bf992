import type { LogReceipt } from "../../log/decision-log.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { ActivityOutcome } from "./outcome.ts"

/** Makes a decision a leaf of the log, once it holds and before anyone learns of it. */
export function recordDecision(
  { organizationId, activityId, activityFingerprint: fingerprint, status, decidedAtMs }: ActivityOutcome,
  { log }: Pick<ExecutionDeps, "log">,
): LogReceipt | undefined {
  return log.decide({ organizationId, activityId, fingerprint, status, decidedAtMs })
}

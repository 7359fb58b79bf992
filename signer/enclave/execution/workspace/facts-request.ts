import type { FactsInput } from "../../../core/policy/facts/index.ts"
import type { Parameters } from "../../../core/policy/parameters/shown-parameters.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"

/** A request that policies decide. `organization`: the one that decides. */
export type FactsRequest = Pick<StampedRequest, "activity" | "fingerprint"> &
  Pick<AuthenticatedRequest, "organization" | "nowMs" | "order" | "parts"> & { parameters: Parameters }

/** The facts of a request that a module shows to policies. A module reads nothing before a policy asks for it. */
export type ModuleFacts = (
  request: FactsRequest,
  deps: ExecutionDeps,
) => Partial<Pick<FactsInput, "holdings" | "interfaces" | "send">>

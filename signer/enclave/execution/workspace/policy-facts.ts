import { NO_INTERFACES } from "../../../core/contract-interface/interfaces.ts"
import type { FactsInput } from "../../../core/policy/facts/index.ts"
import { factSources } from "../../modules/powers.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { FactsRequest } from "./facts-request.ts"

/** What policies may read of a request, from all modules. */
export function factsInputOf(request: FactsRequest, deps: ExecutionDeps): FactsInput {
  const { activity, parameters } = request
  const nothing = { activity, parameters, holdings: () => ({}), interfaces: NO_INTERFACES }
  return Object.assign(nothing, ...factSources.map((source) => source(request, deps)))
}

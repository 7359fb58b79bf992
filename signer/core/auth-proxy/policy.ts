import { activityTypes } from "../../../proto/catalog.ts"
import { AuthProxyUse } from "../../../proto/gen/countersign/api/v1/options_pb.ts"

/** Activities that the contract lets the auth proxy's user submit, here or in a sub-organization. */
const CONDITION = `activity.type in [${[...activityTypes.values()]
  .filter(({ authProxyUse }) => authProxyUse !== AuthProxyUse.UNSPECIFIED)
  .map(({ type }) => `'${type}'`)
  .join(", ")}]`

/** Expressions of the policy that allows the auth proxy's user what the proxy needs, and nothing else. */
export function authProxyPolicy(userId: string): { condition: string; consensus: string } {
  return { condition: CONDITION, consensus: `approvers.any(user, user.id == '${userId}')` }
}

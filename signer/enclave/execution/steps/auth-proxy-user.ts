import { AuthProxyUse } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import { refuse } from "../../../core/refusal.ts"
import type { AuthenticatedRequest } from "../state/request.ts"

/**
 * Bounds the user that the auth proxy acts as, before anything is decided. Regardless of policies, tags and quorums, this user
 * submits only the activities that the contract lists for it, casts no vote, and opens no session of its own.
 *
 * @throws AUTH_PROXY_USER_DENIED
 */
export function requireAuthProxyUse({ request, organization, deciding, owner }: AuthenticatedRequest): void {
  const { authProxy } = deciding.document
  if (authProxy === undefined || authProxy.userId !== owner.user.userId) return
  const { authProxyUse, type } = request.activity
  const { OWN_ORGANIZATION, SUB_ORGANIZATION } = AuthProxyUse
  if (authProxyUse === (deciding === organization ? OWN_ORGANIZATION : SUB_ORGANIZATION)) return
  throw refuse("AUTH_PROXY_USER_DENIED", `the auth proxy's user may not submit ${type} here`, {
    field: "type",
  })
}

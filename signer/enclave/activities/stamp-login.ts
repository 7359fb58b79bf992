import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { openSession } from "../organization/credentials.ts"
import { requireUser } from "../organization/users.ts"
import { requirePublicKey } from "../../core/stamp/keys.ts"
import type { Activity } from "./activity.ts"
import { sessionTerms } from "./shared/session-terms.ts"

/**
 * Opens a session: a key that stamps for the user until it expires. The request need not prove possession of the key,
 * because a public key alone cannot stamp. @throws RESOURCE_UNKNOWN, PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN
 */
export const stampLogin: Activity<"stampLogin"> = {
  run({ publicKey, invalidateExisting, ...login }, context) {
    const { organization, userId, openedBy, nowMs } = context
    const session = openSession(
      organization,
      requireUser(organization, userId, "parameters"),
      {
        id: context.newId(),
        name: `Session - ${new Date(nowMs).toISOString()}`,
        publicKey: requirePublicKey(ApiKeyCurve.P256, publicKey, "parameters.publicKey"),
        type: CredentialType.LOGIN,
        openedBy,
        invalidateExisting: invalidateExisting ?? false,
        ...sessionTerms(login, context),
      },
      "parameters.publicKey",
    )
    return { session: context.sessionToken({ ...session, organizationId: organization.id }) }
  },
}

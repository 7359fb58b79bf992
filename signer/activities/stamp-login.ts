import { ApiKeyCurve, CredentialType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { openSession } from "../organization/sessions.ts"
import { requireUser } from "../organization/users.ts"
import { refuse } from "../refusal.ts"
import { requirePublicKey } from "../stamp/keys.ts"
import type { Activity } from "./activity.ts"

const DEFAULT_SECONDS = "900"

/**
 * Opens a session: a key that stamps for whoever stamped this, until it expires. The key need not show that somebody
 * holds it: nothing is gained by naming one that nobody has.
 *
 * @throws SESSION_PROFILE_NOT_SERVED, PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN
 */
export const stampLogin: Activity<"stampLoginIntent", "stampLoginResult"> = {
  run({ publicKey, expirationSeconds, invalidateExisting, sessionProfileId }, context) {
    if (sessionProfileId !== undefined) {
      const sentence = "session profiles are not served by this release: leave sessionProfileId out"
      throw refuse("SESSION_PROFILE_NOT_SERVED", sentence, { field: "parameters.sessionProfileId" })
    }
    const { organization, userId, nowMs } = context
    const session = openSession(
      organization,
      requireUser(organization, userId, "parameters"),
      {
        id: context.newId(),
        name: `Session - ${new Date(nowMs).toISOString()}`,
        publicKey: requirePublicKey(ApiKeyCurve.P256, publicKey, "parameters.publicKey"),
        type: CredentialType.LOGIN,
        expirationSeconds: BigInt(expirationSeconds ?? DEFAULT_SECONDS),
        invalidateExisting: invalidateExisting ?? false,
      },
      "parameters.publicKey",
    )
    return { session: context.sessionToken({ ...session, organizationId: organization.id }) }
  },
}

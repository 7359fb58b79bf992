import { ApiKeyCurve, CredentialType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { requirePublicKey } from "../../../core/stamp/keys.ts"
import { openSession } from "../../organization/credentials.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import { type LoginParameters, sessionTerms } from "./session-terms.ts"

/** Members that all logins have. */
type Login = LoginParameters & { publicKey: string; invalidateExisting?: boolean | undefined }

/**
 * Opens a session for a user and returns its token. The request need not prove possession of the key, because a public
 * key alone cannot stamp.
 * @param openedBy value of `SessionRecord.opened_by`
 * @throws PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN, the codes of sessionTerms
 */
export function logIn(
  user: User,
  openedBy: string,
  login: Login,
  context: ActivityContext<["credential", "session", "settings"]>,
): string {
  const { nowMs } = context
  const session = openSession(
    context,
    user,
    {
      id: context.newId(),
      name: `Session - ${new Date(nowMs).toISOString()}`,
      publicKey: requirePublicKey(ApiKeyCurve.P256, login.publicKey, "parameters.publicKey"),
      type: CredentialType.LOGIN,
      openedBy,
      invalidateExisting: login.invalidateExisting ?? false,
      ...sessionTerms(login, openedBy, context),
    },
    "parameters.publicKey",
  )
  return context.session.token(session)
}

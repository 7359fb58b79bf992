import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { confinedRecoveryKey, isRecoveryKey } from "../../../core/stamp/recovery-key.ts"
import type { Draft } from "../../organization/draft.ts"
import { requireUser } from "../../organization/users.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { addAuthenticators } from "../../activities/new-credentials.ts"
import { requireRecovery } from "./email-recovery.ts"

const needs = ["settings"] as const

/** Adds a passkey to the user whose recovery key stamped. All recovery keys of the user end with it. */
export const recoverUser: LongActivity<"recoverUser", typeof needs> = {
  needs,
  /** @throws RECOVERY_KEY_CONFINED, EMAIL_RECOVERY_DISABLED, the codes of addAuthenticators */
  *run({ userId, authenticator }, context) {
    const user = requireUser(context.organization, userId, "parameters.userId")
    // The root quorum may act for every user, but a recovery proves one of them.
    if (user.userId !== context.userId) throw confinedRecoveryKey("parameters.userId")
    requireRecovery(user, context)
    const passkeys = authenticator === undefined ? [] : [authenticator]
    const authenticatorId = yield* addAuthenticators(user, passkeys, context, "parameters.authenticator")
    endRecovery(user, context.organization)
    return { authenticatorId }
  },
}

function endRecovery(user: User, { sessions }: Draft): void {
  const keys = sessions.of(user.userId).filter((apiKey) => isRecoveryKey({ user, apiKey }))
  for (const key of keys) sessions.end(key)
}

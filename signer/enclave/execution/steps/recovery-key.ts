import { confinedRecoveryKey, isRecoveryKey } from "../../../core/stamp/recovery-key.ts"
import { refuse } from "../../../core/refusal.ts"
import type { AuthenticatedRequest } from "../state/request.ts"

/**
 * Ties recovery keys and recover_user to each other, before anything is decided. Regardless of policies and quorums, a recovery
 * key submits only recover_user and casts no vote. No other credential submits recover_user.
 *
 * @throws RECOVERY_KEY_CONFINED, RECOVERY_KEY_NEEDED
 */
export function requireRecoveryUse({
  request,
  owner,
}: Pick<AuthenticatedRequest, "request" | "owner">): void {
  const isRecovery = request.activity.kind === "RECOVER_USER"
  const isKey = isRecoveryKey(owner)
  if (isKey && !isRecovery) throw confinedRecoveryKey("type")
  if (isRecovery && !isKey) {
    const sentence =
      "recover_user is stamped with the key of a recovery mail; others add passkeys with create_authenticators"
    throw refuse("RECOVERY_KEY_NEEDED", sentence, { field: "type" })
  }
}

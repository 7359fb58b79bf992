import { CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { type Refusal, refuse } from "../refusal.ts"

/** A credential that stamps, with its type if it is a key. */
type Stamping = { readonly user: unknown; readonly apiKey?: { readonly type: CredentialType } }

/** True for the key of a recovery mail: it adds a passkey of its user with recover_user, and does nothing else. */
export function isRecoveryKey({ apiKey }: Stamping): boolean {
  return apiKey?.type === CredentialType.RECOVER_USER_KEY_P256
}

/** Refusal of everything else that a recovery key stamps. */
export function confinedRecoveryKey(field: string): Refusal {
  const sentence = "a recovery key adds a passkey of its own user with recover_user, and does nothing else"
  return refuse("RECOVERY_KEY_CONFINED", sentence, { field })
}

import { sealMessage } from "../../bundles/message.ts"
import type { ExportedSecret } from "../../bundles/signed-bundle.ts"
import { readTargetKey } from "../../bundles/target-key.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { ActivityContext } from "../activity.ts"

/** Who an export is for: the only way by which a secret leaves. */
export type ExportTarget = {
  /** Signed bundle, JSON text, that says which secret it is; wipes the secret. */
  seal(plaintext: Secret, secret: ExportedSecret): string
}

/** Reads the key to seal to, before anything is unsealed. @throws TARGET_KEY_INVALID */
export function exportTarget(
  targetPublicKey: string,
  { bundles, organization, userId, nowMs, random }: ActivityContext,
): ExportTarget {
  const recipient = readTargetKey(targetPublicKey, "parameters.targetPublicKey")
  return {
    seal(plaintext, secret) {
      const origin = { organizationId: organization.id, userId, secret, nowMs }
      try {
        return bundles.exported(sealMessage(recipient, plaintext, random), origin)
      } finally {
        plaintext.wipe()
      }
    },
  }
}

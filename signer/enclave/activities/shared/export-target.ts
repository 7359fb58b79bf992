import { sealMessage } from "../../bundles/message.ts"
import type { ExportedSecret } from "../../bundles/signed-bundle.ts"
import { readTargetKey } from "../../bundles/target-key.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { ActivityContext } from "../activity.ts"

/** The recipient of an export. Secrets leave the signer only through `seal`. */
export type ExportTarget = {
  /** Returns a signed bundle, JSON text, that names the secret. Wipes `plaintext`. */
  seal(plaintext: Secret, secret: ExportedSecret): string
}

/** Reads the key to seal to. Call it before anything is unsealed. @throws TARGET_KEY_INVALID */
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

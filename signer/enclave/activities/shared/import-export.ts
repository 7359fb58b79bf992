import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { type RefusalName, refuse } from "../../../core/refusal.ts"
import { readTargetKey, sealMessage } from "../../bundles/message.ts"
import { openBundle } from "../../bundles/sealed-bundle.ts"
import type { ExportedSecret } from "../../bundles/signed-bundle.ts"
import type { ActivityContext, ImportKind } from "../activity.ts"

/** The member with the bundle of an import. */
export const BUNDLE_FIELD = "parameters.encryptedBundle"

/** Creates an import key for the user; returns it as a signed bundle, JSON text. */
export function createImportBundle(kind: ImportKind, context: ActivityContext): string {
  const { bundles, importKeys, organization, userId } = context
  const targetPublic = importKeys.make(userId, kind)
  return bundles.importTarget({ targetPublic, organizationId: organization.id, userId })
}

/**
 * Opens a bundle with the user's import key, which is spent by it. Passes the plaintext to `read` and then wipes it.
 * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED, BUNDLE_MALFORMED, BUNDLE_BROKEN
 */
export function openImport<T>(
  kind: ImportKind,
  bundle: string,
  context: ActivityContext,
  read: (plaintext: Secret) => T,
): T {
  const target = context.importKeys.spend(context.userId, kind, BUNDLE_FIELD)
  return wiping([target], () => {
    const plaintext = openBundle(target, bundle, BUNDLE_FIELD)
    return wiping([plaintext], () => read(plaintext))
  })
}

/** The recipient of an export. Secrets leave the signer only through `seal`. */
export type ExportTarget = {
  /** Returns a signed bundle, JSON text, that names the secret. Wipes `plaintext`. */
  seal(plaintext: Secret, secret: ExportedSecret): string
}

/** Reads the key to seal to. Call it before anything is unsealed. @throws TARGET_KEY_INVALID */
export function exportTarget(
  targetPublicKey: string,
  context: ActivityContext,
  field = "parameters.targetPublicKey",
): ExportTarget {
  const { bundles, organization, userId, nowMs, random } = context
  const recipient = readTargetKey(targetPublicKey, field)
  return {
    seal(plaintext, secret) {
      const origin = { organizationId: organization.id, userId, secret, nowMs }
      return wiping([plaintext], () => bundles.exported(sealMessage(recipient, plaintext, random), origin))
    },
  }
}

const CODES = {
  wallet: "WALLET_NOT_EXPORTED",
  "wallet account": "WALLET_ACCOUNT_NOT_EXPORTED",
  "private key": "PRIVATE_KEY_NOT_EXPORTED",
} as const satisfies Record<string, RefusalName>

/**
 * Requires that all keys to delete were exported; `field` names the list of their ids.
 * @throws WALLET_NOT_EXPORTED, WALLET_ACCOUNT_NOT_EXPORTED, PRIVATE_KEY_NOT_EXPORTED
 */
export function requireExported(
  kind: keyof typeof CODES,
  keys: readonly { id: string; exported: boolean }[],
  field: string,
): void {
  const index = keys.findIndex(({ exported }) => !exported)
  if (index === -1) return
  const sentence = `${kind} has not been exported: ${keys[index]?.id}; set deleteWithoutExport to delete it anyway`
  throw refuse(CODES[kind], sentence, { field: `${field}[${index}]` })
}

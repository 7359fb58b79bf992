import { type Secret, wiping } from "../../../core/crypto/secret.ts"
import { type RefusalName, refuse } from "../../../core/refusal.ts"
import { openBundle } from "../../bundles/sealed-bundle.ts"
import type { ActivityContext } from "../../activities/activity.ts"
import type { ImportKind } from "../../activities/powers/keys.ts"

/** The member with the bundle of an import. */
export const BUNDLE_FIELD = "parameters.encryptedBundle"

/**
 * Opens a bundle with the user's import key, which is spent by it. Passes the plaintext to `read` and then wipes it.
 * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED, BUNDLE_MALFORMED, BUNDLE_BROKEN
 */
export function openImport<T>(
  kind: ImportKind,
  bundle: string,
  { importKey }: ActivityContext<["importKey"]>,
  read: (plaintext: Secret) => T,
): T {
  const target = importKey.spend(kind, BUNDLE_FIELD)
  return wiping([target], () => {
    const plaintext = openBundle(target, bundle, BUNDLE_FIELD)
    return wiping([plaintext], () => read(plaintext))
  })
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

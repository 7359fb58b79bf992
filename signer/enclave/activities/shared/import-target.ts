import { openBundle } from "../../bundles/sealed-bundle.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { ActivityContext, ImportKind } from "../activity.ts"

/** The member with the bundle of an import. */
export const BUNDLE_FIELD = "parameters.encryptedBundle"

/** Creates an import key for the user; returns it as a signed bundle, JSON text. */
export function offerTarget(kind: ImportKind, context: ActivityContext): string {
  const { bundles, importKeys: importTargets, organization, userId } = context
  const targetPublic = importTargets.make(userId, kind)
  return bundles.importTarget({ targetPublic, organizationId: organization.id, userId })
}

/**
 * Opens a bundle with the user's import key, which is spent by it. Passes the plaintext to `read` and then wipes it.
 * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED, BUNDLE_MALFORMED, BUNDLE_BROKEN
 */
export function openImport<T>(
  kind: ImportKind,
  bundle: string,
  { importKeys: importTargets, userId }: ActivityContext,
  read: (plaintext: Secret) => T,
): T {
  const target = importTargets.spend(userId, kind, BUNDLE_FIELD)
  try {
    const plaintext = openBundle(target, bundle, BUNDLE_FIELD)
    try {
      return read(plaintext)
    } finally {
      plaintext.wipe()
    }
  } finally {
    target.wipe()
  }
}

import { openBundle } from "../../bundles/sealed-bundle.ts"
import type { Secret } from "../../../core/crypto/secret.ts"
import type { ActivityContext, ImportKind } from "../activity.ts"

/** Where the bundle of an import stands. */
export const BUNDLE_FIELD = "parameters.encryptedBundle"

/** A new key for whoever submitted this, as a signed bundle: JSON text. */
export function offerTarget(kind: ImportKind, context: ActivityContext): string {
  const { bundles, importTargets, organization, userId } = context
  const targetPublic = importTargets.make(userId, kind)
  return bundles.importTarget({ targetPublic, organizationId: organization.id, userId })
}

/**
 * Opens the bundle of whoever submitted this with his key, which is spent by it. What comes out is only handed to
 * `read`, and wiped.
 *
 * @throws IMPORT_TARGET_UNKNOWN, IMPORT_TARGET_SPENT, IMPORT_TARGET_EXPIRED, BUNDLE_MALFORMED, BUNDLE_BROKEN
 */
export function openImport<T>(
  kind: ImportKind,
  bundle: string,
  { importTargets, userId }: ActivityContext,
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

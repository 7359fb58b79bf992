import { readPrivateKey } from "../keys/private-key.ts"
import { curveName } from "../keys/wire.ts"
import type { Activity } from "./activity.ts"
import { requireFormats, storePrivateKey } from "./shared/private-keys.ts"
import { BUNDLE_FIELD, openImport } from "./shared/import-export.ts"

/** Imports a private key, which exists in clear only inside this function. */
export const importPrivateKey: Activity<"importPrivateKey"> = {
  run({ privateKeyName, encryptedBundle, curve, addressFormats }, context) {
    requireFormats({ curve, addressFormats }, "parameters")
    const key = openImport("private-key", encryptedBundle, context, (raw) =>
      readPrivateKey(curveName(curve), raw, BUNDLE_FIELD),
    )
    try {
      const imported = { privateKeyName, curve, addressFormats, imported: true, key }
      return storePrivateKey(imported, "parameters", context)
    } finally {
      key.secret.wipe()
    }
  },
}

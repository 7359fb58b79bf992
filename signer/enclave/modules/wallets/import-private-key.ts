import { wipingAfter } from "../../../core/crypto/secret.ts"
import { readPrivateKey } from "../../keys/private-key.ts"
import { curveName } from "../../keys/wire.ts"
import type { LongActivity } from "../../activities/activity.ts"
import { requireFormats, storePrivateKey } from "./private-keys.ts"
import { BUNDLE_FIELD, openImport } from "./import-export.ts"

const needs = ["importKey"] as const

/** Imports a private key, which exists in clear only inside this function. */
export const importPrivateKey: LongActivity<"importPrivateKey", typeof needs> = {
  needs,
  *run({ privateKeyName, encryptedBundle, curve, addressFormats }, context) {
    requireFormats({ curve, addressFormats }, "parameters")
    const key = openImport("private-key", encryptedBundle, context, (raw) =>
      readPrivateKey(curveName(curve), raw, BUNDLE_FIELD),
    )
    const imported = { privateKeyName, curve, addressFormats, imported: true, key }
    return yield* wipingAfter([key.secret], storePrivateKey(imported, "parameters", context))
  },
}

import type { Activity } from "./activity.ts"
import { createImportBundle } from "./shared/import-export.ts"

/** Returns a key to seal a private key to. It replaces the user's former one. */
export const initImportPrivateKey: Activity<"initImportPrivateKey"> = {
  run: (_, context) => ({ importBundle: createImportBundle("private-key", context) }),
}

import type { Activity } from "./activity.ts"
import { offerTarget } from "./shared/import-target.ts"

/** Hands out a key to seal a private key to. The one that the user had before is void. */
export const initImportPrivateKey: Activity<"initImportPrivateKeyIntent", "initImportPrivateKeyResult"> = {
  run: (_, context) => ({ importBundle: offerTarget("private-key", context) }),
}

import type { Activity } from "./activity.ts"
import { createImportBundle } from "./shared/import-export.ts"

/** Returns a key to seal a mnemonic to. It replaces the user's former one. */
export const initImportWallet: Activity<"initImportWallet"> = {
  run: (_, context) => ({ importBundle: createImportBundle("wallet", context) }),
}

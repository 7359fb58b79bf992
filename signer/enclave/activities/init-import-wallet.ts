import type { Activity } from "./activity.ts"
import { offerTarget } from "./shared/import-target.ts"

/** Hands out a key to seal a mnemonic to. The one that the user had before is void. */
export const initImportWallet: Activity<"initImportWalletIntent", "initImportWalletResult"> = {
  run: (_, context) => ({ importBundle: offerTarget("wallet", context) }),
}

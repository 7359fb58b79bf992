import type { Activity } from "./activity.ts"
import { createWallet as create } from "./shared/wallets.ts"

export const createWallet: Activity<"createWalletIntent", "createWalletResult"> = {
  run: (parameters, context) => create(parameters, context, "parameters"),
}

import type { Activity } from "./activity.ts"
import { createWallet as create } from "./shared/wallets.ts"

export const createWallet: Activity<"createWallet"> = {
  run: (parameters, context) => create(parameters, context, "parameters"),
}

import type { LongActivity } from "./activity.ts"
import { createWallet as create } from "./shared/wallets.ts"

export const createWallet: LongActivity<"createWallet"> = {
  run: (parameters, context) => create(parameters, context, "parameters"),
}

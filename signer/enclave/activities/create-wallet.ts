import type { LongActivity } from "./activity.ts"
import { createWallet as create } from "./shared/wallets.ts"

const needs = ["random"] as const

export const createWallet: LongActivity<"createWallet", typeof needs> = {
  needs,
  run: (parameters, context) => create(parameters, context, "parameters"),
}

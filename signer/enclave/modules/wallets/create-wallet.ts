import type { LongActivity } from "../../activities/activity.ts"
import { createWallet as create } from "../../activities/new-wallets.ts"

const needs = ["random"] as const

export const createWallet: LongActivity<"createWallet", typeof needs> = {
  needs,
  run: (parameters, context) => create(parameters, context, "parameters"),
}

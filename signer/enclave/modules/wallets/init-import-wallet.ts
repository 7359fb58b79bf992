import type { Activity } from "../../activities/activity.ts"

const needs = ["importKey"] as const

/** Returns a key to seal a mnemonic to. It replaces the user's former one. */
export const initImportWallet: Activity<"initImportWallet", typeof needs> = {
  needs,
  run: (_, { importKey }) => ({ importBundle: importKey.make("wallet") }),
}

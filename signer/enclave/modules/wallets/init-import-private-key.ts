import type { Activity } from "../../activities/activity.ts"

const needs = ["importKey"] as const

/** Returns a key to seal a private key to. It replaces the user's former one. */
export const initImportPrivateKey: Activity<"initImportPrivateKey", typeof needs> = {
  needs,
  run: (_, { importKey }) => ({ importBundle: importKey.make("private-key") }),
}

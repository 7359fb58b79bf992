import type { Activity } from "../../activities/activity.ts"

const needs = ["secretImportKey"] as const

/** Returns keys of the user, to each of which one secret may be sealed. Earlier keys stay valid, up to a number. */
export const initImportSecrets: Activity<"initImportSecrets", typeof needs> = {
  needs,
  run: ({ numSecrets }, { secretImportKey }) => ({ enclaveTargetMessages: secretImportKey.make(numSecrets) }),
}

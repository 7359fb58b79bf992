import { setIpAllowlist as set } from "./ip-allowlists.ts"
import type { Activity } from "../../activities/activity.ts"

/** Absent members default to the strict value: the list is enforced, and an unknown address is refused. */
export const setIpAllowlist: Activity<"setIpAllowlist"> = {
  run({ publicKey = "", enabled = true, rules, onEvaluationError = "DENY" }, { organization }) {
    const list = {
      publicKey: publicKey.toLowerCase(),
      enabled,
      allowOnError: onEvaluationError === "ALLOW",
      rules: rules.map(({ cidr, label = "" }) => ({ cidr, label })),
    }
    set(organization, list, "parameters")
    return {}
  },
}

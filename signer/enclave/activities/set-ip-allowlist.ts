import { setIpAllowlist as set } from "../organization/ip-allowlists.ts"
import type { Activity } from "./activity.ts"

/** What is left out is the cautious thing: the list is enforced, and an address that cannot be told is refused. */
export const setIpAllowlist: Activity<"setIpAllowlistIntent", "setIpAllowlistResult"> = {
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

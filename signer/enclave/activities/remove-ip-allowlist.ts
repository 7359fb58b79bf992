import { removeIpAllowlist as remove } from "../organization/ip-allowlists.ts"
import type { Activity } from "./activity.ts"

export const removeIpAllowlist: Activity<"removeIpAllowlist"> = {
  run({ publicKey = "" }, { organization }) {
    remove(organization, publicKey.toLowerCase(), "parameters")
    return {}
  },
}

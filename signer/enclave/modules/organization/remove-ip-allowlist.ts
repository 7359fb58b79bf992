import { removeIpAllowlist as remove } from "./ip-allowlists.ts"
import type { Activity } from "../../activities/activity.ts"

export const removeIpAllowlist: Activity<"removeIpAllowlist"> = {
  run({ publicKey = "" }, { organization }) {
    remove(organization, publicKey.toLowerCase(), "parameters")
    return {}
  },
}

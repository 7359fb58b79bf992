import { disableProxy } from "../../organization/auth-proxy.ts"
import { requireTopLevel } from "../../organization/lifecycle.ts"
import type { Activity } from "../../activities/activity.ts"

export const disableAuthProxy: Activity<"disableAuthProxy"> = {
  run(_parameters, { organization }) {
    requireTopLevel(organization, "disable_auth_proxy")
    disableProxy(organization)
    return {}
  },
}

import { requireCodeLifetime } from "../../../core/otp/code-lifetime.ts"
import { changeProxySettings } from "../../organization/auth-proxy.ts"
import { requireTopLevel } from "../../organization/lifecycle.ts"
import type { Activity } from "../../activities/activity.ts"

export const updateAuthProxyConfig: Activity<"updateAuthProxyConfig"> = {
  check({ otpExpirationSeconds }) {
    requireCodeLifetime(otpExpirationSeconds, "parameters.otpExpirationSeconds")
  },
  run(change, { organization }) {
    requireTopLevel(organization, "update_auth_proxy_config")
    return { configId: changeProxySettings(organization, change) }
  },
}

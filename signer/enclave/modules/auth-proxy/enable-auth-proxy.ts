import { enableProxy } from "../../organization/auth-proxy.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["authProxyKey"] as const

export const enableAuthProxy: Activity<"enableAuthProxy", typeof needs> = {
  needs,
  run(_parameters, { organization, newId, authProxyKey }) {
    return { userId: enableProxy(organization, { newId, newAuthProxyKey: authProxyKey.make }) }
  },
}

import { enableProxy } from "../organization/auth-proxy.ts"
import type { Activity } from "./activity.ts"

export const enableAuthProxy: Activity<"enableAuthProxy"> = {
  run(_parameters, context) {
    return { userId: enableProxy(context.organization, context) }
  },
}

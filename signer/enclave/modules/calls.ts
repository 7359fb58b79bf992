// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import { calls as authProxyCalls } from "./auth-proxy/calls/calls.ts"
import { calls as loginCalls } from "./login/calls/calls.ts"
import { calls as onRampCalls } from "./on-ramp/calls/calls.ts"
import { calls as transactionsCalls } from "./transactions/calls/calls.ts"
import { calls as webhooksCalls } from "./webhooks/calls/calls.ts"

/** Handlers of calls, by their names in the proto. */
export const calls = {
  ...authProxyCalls,
  ...loginCalls,
  ...onRampCalls,
  ...transactionsCalls,
  ...webhooksCalls,
}

// Calls about the auth proxy.
import { getAuthProxyConfiguration } from "./configuration.ts"

export const calls = { getAuthProxyConfiguration }

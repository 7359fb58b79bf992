// Calls about webhooks.
import { signWebhooks } from "./sign-webhooks.ts"

export const calls = { signWebhooks }

// Keys of webhooks, each from its own branch of the root seed.
import { openWebhookKey } from "./webhook-key.ts"

export const keys = { webhooks: { branch: "webhook", open: openWebhookKey } }

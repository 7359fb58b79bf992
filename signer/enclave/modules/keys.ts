// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import { keys as transactionsKeys } from "./transactions/keys/keys.ts"
import { keys as webhooksKeys } from "./webhooks/keys/keys.ts"

/** Keys of modules: their branch of the root seed, and what opens it. */
export const keys = { ...transactionsKeys, ...webhooksKeys }

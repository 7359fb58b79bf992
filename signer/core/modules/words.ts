// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import { writers as authProxyWriters } from "./auth-proxy/words.ts"
import { writers as loginWriters } from "./login/words.ts"
import { writers as onRampWriters } from "./on-ramp/words.ts"
import { writers as organizationWriters } from "./organization/words.ts"
import { writers as policiesWriters } from "./policies/words.ts"
import { writers as transactionsWriters } from "./transactions/words.ts"
import { writers as usersWriters } from "./users/words.ts"
import { writers as walletsWriters } from "./wallets/words.ts"
import { writers as webhooksWriters } from "./webhooks/words.ts"

/** Words of the activities of all modules, by the names of their intents. */
export const writers = {
  ...authProxyWriters,
  ...loginWriters,
  ...onRampWriters,
  ...organizationWriters,
  ...policiesWriters,
  ...transactionsWriters,
  ...usersWriters,
  ...walletsWriters,
  ...webhooksWriters,
}

// Generated from the files of this folder by `npm run generate`: not edited by hand.
import { parameters as earn } from "./earn.ts"
import { parameters as signatures } from "./signatures.ts"
import { parameters as spark } from "./spark.ts"
import { parameters as swap } from "./swap.ts"
import { parameters as users } from "./users.ts"
import { parameters as wallets } from "./wallets.ts"
import { parameters as webhookEndpoint } from "./webhook-endpoint.ts"
import type { ShownByType } from "./shown-parameters.ts"

/** The parameters that policies see, by the activity's type. */
export const parametersByType: ShownByType = {
  ...earn,
  ...signatures,
  ...spark,
  ...swap,
  ...users,
  ...wallets,
  ...webhookEndpoint,
}

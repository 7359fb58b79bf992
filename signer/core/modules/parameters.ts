// Generated from the folders of this folder by `npm run generate`: not edited by hand.
import type { ShownByType } from "../policy/parameters/shown-parameters.ts"
import { parameters as loginParameters } from "./login/parameters.ts"
import { parameters as transactionsParameters } from "./transactions/parameters.ts"
import { parameters as unservedParameters } from "./unserved/parameters.ts"
import { parameters as usersParameters } from "./users/parameters.ts"
import { parameters as walletsParameters } from "./wallets/parameters.ts"
import { parameters as webhooksParameters } from "./webhooks/parameters.ts"

/** The parameters that policies see, by the activity's type. */
export const parametersByType: ShownByType = {
  ...loginParameters,
  ...transactionsParameters,
  ...unservedParameters,
  ...usersParameters,
  ...walletsParameters,
  ...webhooksParameters,
}

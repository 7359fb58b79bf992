// Generated from the files of this folder by `npm run generate`: not edited by hand.
import { parameters as apiKeys } from "./api-keys.ts"
import { parameters as deleteUsers } from "./delete-users.ts"
import { parameters as earn } from "./earn.ts"
import { parameters as exports } from "./exports.ts"
import { parameters as initOtpAuth } from "./init-otp-auth.ts"
import { parameters as login } from "./login.ts"
import { parameters as signRawPayload } from "./sign-raw-payload.ts"
import { parameters as signTransaction } from "./sign-transaction.ts"
import { parameters as spark } from "./spark.ts"
import { parameters as swap } from "./swap.ts"
import { parameters as updateWallet } from "./update-wallet.ts"
import { parameters as webhookEndpoint } from "./webhook-endpoint.ts"
import type { ShownByType } from "./shown-parameters.ts"

/** The parameters that policies see, by the activity's type. */
export const parametersByType: ShownByType = {
  ...apiKeys,
  ...deleteUsers,
  ...earn,
  ...exports,
  ...initOtpAuth,
  ...login,
  ...signRawPayload,
  ...signTransaction,
  ...spark,
  ...swap,
  ...updateWallet,
  ...webhookEndpoint,
}

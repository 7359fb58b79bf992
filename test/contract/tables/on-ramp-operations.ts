// Operations on credentials at on-ramp providers, as published clients know them.
import { FIAT_ON_RAMP_PROVIDER } from "./enums.ts"
import {
  beginningWith,
  boolean,
  type Fields,
  list,
  record,
  silentOptional,
  silentRequired,
  string,
  timestamp,
} from "./field.ts"
import type { QueryOperation } from "./query.ts"
import { type Reply, reply } from "./reply.ts"

// Intents and resources spell the id's name otherwise.
const fiatOnRampCredentialId = silentRequired(string)

const credential: Fields = {
  fiatOnrampCredentialId: silentRequired(string),
  organizationId: silentRequired(string),
  onrampProvider: silentRequired(beginningWith("FIAT_ON_RAMP_PROVIDER_", FIAT_ON_RAMP_PROVIDER)),
  projectId: silentOptional(string),
  publishableApiKey: silentRequired(string),
  encryptedSecretApiKey: silentRequired(string),
  encryptedPrivateApiKey: silentOptional(string),
  sandboxMode: silentOptional(boolean),
  createdAt: silentRequired(timestamp),
  updatedAt: silentRequired(timestamp),
}

export const onRampReplies: readonly Reply[] = ["CREATE", "UPDATE", "DELETE"].map((verb) =>
  reply(`${verb}_FIAT_ON_RAMP_CREDENTIAL`, "", `${verb.toLowerCase()}FiatOnRampCredential`, {
    fiatOnRampCredentialId,
  }),
)

export const onRampQueries: readonly QueryOperation[] = [
  {
    path: "get_onramp_transaction_status",
    body: {
      organizationId: silentRequired(string),
      transactionId: silentRequired(string),
      refresh: silentOptional(boolean),
    },
    reply: { transactionStatus: silentRequired(string) },
  },
  {
    path: "list_fiat_on_ramp_credentials",
    body: { organizationId: silentRequired(string) },
    reply: { fiatOnRampCredentials: silentRequired(list(record(credential))) },
  },
]

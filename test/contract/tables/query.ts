// Section "Core API: query operations".
import { boolean, type Fields, list, optional, record, required, string } from "./field.ts"
import {
  apiKey,
  authenticator,
  oauth2Credential,
  oauthProvider,
  paginationOptions,
  wallet,
  walletAccount,
} from "./resources.ts"

export type QueryOperation = { path: string; body: Fields; reply: Fields }

export const queryOperations: readonly QueryOperation[] = [
  {
    path: "get_authenticators",
    body: { organizationId: required(string), userId: required(string) },
    reply: { authenticators: required(list(record(authenticator))) },
  },
  {
    path: "get_api_keys",
    body: { organizationId: required(string), userId: optional(string) },
    reply: { apiKeys: required(list(record(apiKey))) },
  },
  {
    path: "get_oauth2_credential",
    body: { organizationId: required(string), oauth2CredentialId: required(string) },
    reply: { oauth2Credential: required(record(oauth2Credential)) },
  },
  {
    path: "get_oauth_providers",
    body: { organizationId: required(string), userId: optional(string) },
    reply: { oauthProviders: required(list(record(oauthProvider))) },
  },
  {
    path: "get_wallet",
    body: { organizationId: required(string), walletId: required(string) },
    reply: { wallet: required(record(wallet)) },
  },
  {
    path: "list_wallet_accounts",
    body: {
      organizationId: required(string),
      walletId: optional(string),
      includeWalletDetails: optional(boolean),
      paginationOptions: optional(record(paginationOptions)),
    },
    reply: { accounts: required(list(record(walletAccount))) },
  },
]

import type { CollectionHost } from "./collection.ts"

/** Variables of the API's collection: its requests are stamped. */
export const API_COLLECTION: CollectionHost = {
  baseUrl: "BASE_URL",
  variables: ["ORGANIZATION_ID", "API_PRIVATE_KEY", "SIGN_WITH", "WALLET_ID", "USER_ID"],
  isStamped: true,
}

export const AUTH_PROXY_COLLECTION: CollectionHost = {
  baseUrl: "AUTH_PROXY_URL",
  variables: ["AUTH_PROXY_CONFIG_ID", "ORGANIZATION_ID"],
  isStamped: false,
}

import { type CollectionHost, collectionOf } from "../collection/collection.ts"
import { type Handler, reply } from "../context.ts"
import { linkBaseOf } from "../link-base.ts"
import type { OpenApiDocument } from "../openapi/document.ts"
import type { Page } from "./page.ts"

/** Path of the collection of requests for Postman and Bruno. */
export const COLLECTION_PATH = "/docs/collection.json"

const HOSTS: { readonly [host in Page["host"]]: CollectionHost } = {
  API: {
    baseUrl: "BASE_URL",
    variables: ["ORGANIZATION_ID", "API_PRIVATE_KEY", "SIGN_WITH", "WALLET_ID", "USER_ID"],
    isStamped: true,
  },
  "Auth proxy": {
    baseUrl: "AUTH_PROXY_URL",
    variables: ["AUTH_PROXY_CONFIG_ID", "ORGANIZATION_ID"],
    isStamped: false,
  },
}

/** The collection, with the address that the caller asked. */
export function collectionPage(host: Page["host"], read: () => Promise<OpenApiDocument>): Handler {
  return async (context) => {
    // Its address may be from the caller's Host header, which a cache in front need not look at.
    context.set("Cache-Control", "no-store")
    context.set("Content-Disposition", 'attachment; filename="collection.json"')
    reply(context, JSON.stringify(collectionOf(await read(), HOSTS[host], linkBaseOf(context))))
  }
}

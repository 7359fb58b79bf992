import { type CollectionHost, collectionOf } from "../collection/collection.ts"
import { API_COLLECTION, AUTH_PROXY_COLLECTION } from "../collection/hosts.ts"
import { type Handler, reply } from "../context.ts"
import { linkBaseOf } from "../link-base.ts"
import type { OpenApiDocument } from "../openapi/document.ts"
import type { HtmlPage } from "./page.ts"

/** Path of the collection of requests for Postman and Bruno. */
export const COLLECTION_PATH = "/docs/collection.json"

const HOSTS: { readonly [host in HtmlPage["host"]]: CollectionHost } = {
  API: API_COLLECTION,
  "Auth proxy": AUTH_PROXY_COLLECTION,
}

/** The collection, with the address that the caller asked. */
export function collectionPage(host: HtmlPage["host"], read: () => Promise<OpenApiDocument>): Handler {
  return async (context) => {
    // Its address may be from the caller's Host header, which a cache in front need not read.
    context.set("Cache-Control", "no-store")
    context.set("Content-Disposition", 'attachment; filename="collection.json"')
    reply(context, JSON.stringify(collectionOf(await read(), HOSTS[host], linkBaseOf(context))))
  }
}

import { collectionOf } from "../../common/collection/collection.ts"
import { API_COLLECTION } from "../../common/collection/hosts.ts"
import { openApiDocument } from "../../common/openapi/core.ts"

/**
 * The collection as an honest API of this release serves it. Nothing is asked: its script gets the user's key, and a hostile
 * API would serve one that sends the key away.
 */
export function collectionText(apiUrl: string): string {
  return JSON.stringify(collectionOf(openApiDocument(), API_COLLECTION, new URL(apiUrl).origin))
}

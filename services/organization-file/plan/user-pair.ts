import type { FileApiKey, FileUser } from "../file.ts"
import type { LiveUser } from "../live.ts"

/** A user of the file, and the user of the same name in the organization. */
export type UserPair = { user: FileUser; found: LiveUser | undefined }

/** A key as requests describe it. */
export function keyParameters({ apiKeyName, publicKey, curveType, expirationSeconds }: FileApiKey) {
  return { apiKeyName, publicKey, curveType, ...(expirationSeconds && { expirationSeconds }) }
}

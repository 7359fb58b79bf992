import type { ApiKey, User } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../organization/organization.ts"
import type { Sessions } from "./sessions.ts"

/** Where a key is looked for. */
export type Place = { organization: Organization; sessions: Sessions }

/** A key that stamps, with its user. `expiresAtMs` 0: it lasts. */
export type KeyHolder = { user: User; apiKey: Pick<ApiKey, "publicKey" | "type" | "expiresAtMs"> }

/**
 * Whose key it is now: a credential of the document, else that of a session. A session is its user's only while the
 * document has him, so that whoever is removed has no sessions, whatever rows are left.
 */
export function findHolder({ organization, sessions }: Place, publicKeyHex: string): KeyHolder | undefined {
  const holder = organization.holder(publicKeyHex)
  if (holder !== undefined) return holder
  const session = sessions.find(organization.id, publicKeyHex)
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}

import type { ApiKey, Authenticator, User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Session } from "../../organization/sessions.ts"
import type { Sessions } from "./sessions.ts"

/** Where a credential is looked for. */
export type Place = { organization: Organization; sessions: Sessions }

/** A credential that stamps, with its user. */
export type CredentialHolder =
  | { readonly user: User; readonly apiKey: ApiKey | Session }
  | { readonly user: User; readonly authenticator: Authenticator }

/**
 * Whose credential it is now, by its name: one of the document, else the key of a session. A session is its user's
 * only while the document has him, so that whoever is removed has no sessions, whatever rows are left.
 */
export function findHolder(
  { organization, sessions }: Place,
  credential: string,
): CredentialHolder | undefined {
  const holder = organization.holder(credential)
  if (holder !== undefined) return holder
  const session = sessions.find(organization.id, credential)
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}

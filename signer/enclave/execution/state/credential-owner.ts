import type { User } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { SessionScope } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { DocumentCredentialOwner, Organization } from "../../../core/organization/organization.ts"
import {
  contactCredential,
  identityCredential,
  keyCredential,
  passkeyCredential,
  sessionOrigin,
} from "../../../core/policy/decision/credentials.ts"
import type { Approval, Credential } from "../../../core/policy/decision/decision-input.ts"
import { identityName } from "../../../core/oidc/identity.ts"
import { contactName } from "../../../core/otp/user-contact.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { passkeyName } from "../../../core/webauthn/credential-id.ts"
import type { Session } from "../../organization/draft.ts"
import type { CurrentSessions } from "./sessions.ts"

/** A credential that stamps, with its user. */
export type CredentialOwner = DocumentCredentialOwner | { readonly user: User; readonly apiKey: Session }

/**
 * The current owner of a credential, by its name: a credential of the document, else the key of a session. A session
 * has an owner only while the document has its user, so a removed user has no sessions even if their rows are left.
 */
export function findOwner(
  organization: Organization,
  credential: string,
  sessions: CurrentSessions,
): CredentialOwner | undefined {
  const owner = organization.credentialOwner(credential)
  if (owner !== undefined) return owner
  const session = sessions.find(organization.id, credential)
  const user = session && organization.user(session.userId)
  return user && { user, apiKey: session }
}

/** Unix time of the credential's creation, milliseconds; 0: unknown. A contact counts from its user's creation on. */
export function createdAtMsOf(owner: CredentialOwner): number {
  if ("contact" in owner) return Number(owner.user.createdAtMs)
  if ("oauthProvider" in owner) return Number(owner.oauthProvider.createdAtMs)
  return Number("authenticator" in owner ? owner.authenticator.createdAtMs : owner.apiKey.createdAtMs)
}

/** The approval that the owner gives by stamping. */
export function approvalOf(owner: CredentialOwner): Approval {
  return { user: owner.user, credentials: [credentialOf(owner)] }
}

/** Value of `SessionRecord.opened_by` for a session that a stamp of this credential opens. */
export function openedByOf(owner: CredentialOwner): string {
  return sessionOrigin(credentialOf(owner))
}

/** Name of the credential, by which findOwner finds it. */
export function credentialNameOf(owner: CredentialOwner): string {
  if ("authenticator" in owner) return passkeyName(owner.authenticator.credentialId)
  if ("contact" in owner) return contactName(owner.contact)
  return "oauthProvider" in owner ? identityName(owner.oauthProvider) : owner.apiKey.publicKey
}

/** Refuses a login whose submitter's credential is gone: its scope and origin are unknown. */
export function lapsedLogin(): Refusal {
  return refuse("LOGIN_LAPSED", "the stamp that asked for this login no longer counts: log in again")
}

/** Scope of the session that the credential is; undefined: the session has none, or the credential is no session. */
export function sessionScopeOf(owner: CredentialOwner): SessionScope | undefined {
  return "apiKey" in owner && "scope" in owner.apiKey ? owner.apiKey.scope : undefined
}

/** The credential as policies see it. */
function credentialOf(owner: CredentialOwner): Credential {
  if ("authenticator" in owner) return passkeyCredential(owner.authenticator)
  if ("oauthProvider" in owner) return identityCredential(owner.oauthProvider)
  if ("contact" in owner) return contactCredential(owner.user, owner.contact.channel)
  const { apiKey } = owner
  const { type, publicKey } = apiKey
  if ("apiKeyId" in apiKey) return keyCredential({ id: apiKey.apiKeyId, type, publicKey })
  const { id, scope, openedBy } = apiKey
  return keyCredential({ id, type, publicKey, profileId: scope?.sessionProfileId ?? "", openedBy })
}

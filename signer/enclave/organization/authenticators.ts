import { create } from "@bufbuild/protobuf"
import {
  type Authenticator,
  AuthenticatorSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireIds } from "./checks.ts"
import { removeCredentials } from "./credentials.ts"
import type { Draft } from "./draft.ts"
import { MAX_AUTHENTICATORS } from "./limits.ts"

export type NewAuthenticator = Omit<Authenticator, "$typeName" | "$unknown" | "createdAtMs" | "updatedAtMs">

/** Adds a passkey to a user. @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED */
export function addAuthenticator(
  draft: Draft,
  user: User,
  authenticator: NewAuthenticator,
  field: string,
): void {
  const all = draft.document.users.flatMap(({ authenticators }) => authenticators)
  if (all.some((other) => Buffer.compare(other.credentialId, authenticator.credentialId) === 0)) {
    const sentence = `the passkey is already a credential of organization ${draft.id}`
    throw refuse("CREDENTIAL_TAKEN", sentence, { field: `${field}.attestation.credentialId` })
  }
  if (user.authenticators.length >= MAX_AUTHENTICATORS)
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum authenticators", { field })
  user.authenticators.push(create(AuthenticatorSchema, { ...authenticator, ...draft.created }))
  draft.touch(user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeAuthenticators(
  draft: Draft,
  user: User,
  authenticatorIds: readonly string[],
  field: string,
): void {
  const known = user.authenticators.map(({ authenticatorId }) => authenticatorId)
  const sentenceOf = (id: string) =>
    `webauthn authenticator not found in organization: ${id} of user ${user.userId}`
  requireIds(authenticatorIds, known, sentenceOf, field)
  const isKept = ({ authenticatorId }: Authenticator) => !authenticatorIds.includes(authenticatorId)
  removeCredentials(draft, user, { authenticators: user.authenticators.filter(isKept) }, field)
}

import { create } from "@bufbuild/protobuf"
import {
  type Authenticator,
  AuthenticatorSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { takeCredentials } from "./credentials.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_AUTHENTICATORS } from "./limits.ts"
import { touchUser } from "./users.ts"

export type NewAuthenticator = Pick<
  Authenticator,
  | "authenticatorId"
  | "name"
  | "credentialId"
  | "publicKey"
  | "aaguid"
  | "attestationType"
  | "rpIdHash"
  | "transports"
>

/**
 * Gives a user a passkey.
 *
 * @throws CREDENTIAL_TAKEN, LIMIT_EXCEEDED
 */
export function addAuthenticator(
  draft: OrganizationDraft,
  user: User,
  authenticator: NewAuthenticator,
  field: string,
): void {
  if (isHeld(draft, authenticator.credentialId)) {
    const sentence = `the passkey is already a credential of organization ${draft.id}`
    throw refuse("CREDENTIAL_TAKEN", sentence, { field: `${field}.attestation.credentialId` })
  }
  if (user.authenticators.length >= MAX_AUTHENTICATORS) {
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum authenticators", { field })
  }
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  user.authenticators.push(create(AuthenticatorSchema, { ...authenticator, ...times }))
  touchUser(draft, user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeAuthenticators(
  draft: OrganizationDraft,
  user: User,
  authenticatorIds: readonly string[],
  field: string,
): void {
  authenticatorIds.forEach((authenticatorId, index) => {
    if (user.authenticators.some((held) => held.authenticatorId === authenticatorId)) return
    const sentence = `webauthn authenticator not found in organization: ${authenticatorId} of user ${user.userId}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field: `${field}[${index}]` })
  })
  const isKept = ({ authenticatorId }: Authenticator) => !authenticatorIds.includes(authenticatorId)
  takeCredentials(
    user,
    () => {
      user.authenticators = user.authenticators.filter(isKept)
    },
    field,
  )
  touchUser(draft, user)
}

function isHeld({ document }: OrganizationDraft, credentialId: Uint8Array): boolean {
  return document.users.some((user) =>
    user.authenticators.some((held) => Buffer.compare(held.credentialId, credentialId) === 0),
  )
}

import { create } from "@bufbuild/protobuf"
import {
  type OauthProvider,
  OauthProviderSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { requireIds } from "./checks.ts"
import { removeCredentials } from "./credentials.ts"
import type { Draft } from "./draft.ts"
import { MAX_OAUTH_PROVIDERS } from "./limits.ts"

export type NewOauthProvider = Pick<OauthProvider, "providerId" | "name" | "issuer" | "audience" | "subject">

/** Adds an OpenID Connect identity, proven by the caller, to a user. @throws IDENTITY_TAKEN, LIMIT_EXCEEDED */
export function addOauthProvider(draft: Draft, user: User, provider: NewOauthProvider, field: string): void {
  // An identity logs in as one user, so no two users may have it.
  const all = draft.document.users.flatMap(({ oauthProviders }) => oauthProviders)
  if (all.some((other) => isSameIdentity(other, provider))) {
    const sentence = `the OIDC identity is already one of a user of organization ${draft.id}`
    throw refuse("IDENTITY_TAKEN", sentence, { field })
  }
  if (user.oauthProviders.length >= MAX_OAUTH_PROVIDERS)
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum oauth providers", { field })
  user.oauthProviders.push(create(OauthProviderSchema, { ...provider, ...draft.created }))
  draft.touch(user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeOauthProviders(
  draft: Draft,
  user: User,
  providerIds: readonly string[],
  field: string,
): void {
  const known = user.oauthProviders.map(({ providerId }) => providerId)
  requireIds(providerIds, known, (id) => `unable to find oauth provider ${id} of user ${user.userId}`, field)
  const isKept = ({ providerId }: OauthProvider) => !providerIds.includes(providerId)
  removeCredentials(draft, user, { oauthProviders: user.oauthProviders.filter(isKept) }, field)
}

function isSameIdentity(one: NewOauthProvider, other: NewOauthProvider): boolean {
  return one.issuer === other.issuer && one.audience === other.audience && one.subject === other.subject
}

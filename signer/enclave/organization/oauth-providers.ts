import { create } from "@bufbuild/protobuf"
import {
  type OauthProvider,
  OauthProviderSchema,
  type User,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { refuse } from "../../core/refusal.ts"
import { takeCredentials } from "./credentials.ts"
import type { OrganizationDraft } from "./draft.ts"
import { MAX_OAUTH_PROVIDERS } from "./limits.ts"
import { touchUser } from "./users.ts"

export type NewOauthProvider = Pick<OauthProvider, "providerId" | "name" | "issuer" | "audience" | "subject">

/**
 * Gives a user an identity at an issuer. Whether it is his was found out before.
 *
 * @throws IDENTITY_TAKEN, LIMIT_EXCEEDED
 */
export function addOauthProvider(
  draft: OrganizationDraft,
  user: User,
  provider: NewOauthProvider,
  field: string,
): void {
  if (isHeld(draft, provider)) {
    const sentence = `the OIDC identity is already one of a user of organization ${draft.id}`
    throw refuse("IDENTITY_TAKEN", sentence, { field })
  }
  if (user.oauthProviders.length >= MAX_OAUTH_PROVIDERS) {
    throw refuse("LIMIT_EXCEEDED", "user has exceeded maximum oauth providers", { field })
  }
  const times = { createdAtMs: draft.nowMs, updatedAtMs: draft.nowMs }
  user.oauthProviders.push(create(OauthProviderSchema, { ...provider, ...times }))
  touchUser(draft, user)
}

/** @throws RESOURCE_UNKNOWN, LAST_CREDENTIAL */
export function removeOauthProviders(
  draft: OrganizationDraft,
  user: User,
  providerIds: readonly string[],
  field: string,
): void {
  providerIds.forEach((providerId, index) => {
    if (user.oauthProviders.some((held) => held.providerId === providerId)) return
    const sentence = `unable to find oauth provider ${providerId} of user ${user.userId}`
    throw refuse("RESOURCE_UNKNOWN", sentence, { field: `${field}[${index}]` })
  })
  const isKept = ({ providerId }: OauthProvider) => !providerIds.includes(providerId)
  takeCredentials(
    user,
    () => {
      user.oauthProviders = user.oauthProviders.filter(isKept)
    },
    field,
  )
  touchUser(draft, user)
}

/** An identity logs in as one user: with a second one nobody would know as whom. */
function isHeld({ document }: OrganizationDraft, wanted: NewOauthProvider): boolean {
  return document.users.some((user) =>
    user.oauthProviders.some(
      ({ issuer, audience, subject }) =>
        issuer === wanted.issuer && audience === wanted.audience && subject === wanted.subject,
    ),
  )
}

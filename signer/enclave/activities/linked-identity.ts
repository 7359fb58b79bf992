import { OtpType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { linkableAddress } from "../../core/auth-proxy/linking.ts"
import { enabledSettings } from "../../core/auth-proxy/settings.ts"
import { type IdToken, lastExpiryMsOf, readIdToken, useIdOf } from "../../core/oidc/token.ts"
import { isSameContact } from "../../core/otp/same-contact.ts"
import { type Refusal, refuse } from "../../core/refusal.ts"
import { NIL_UUID } from "../../core/uuid.ts"
import { markContactProven, setEmail } from "../organization/users.ts"
import type { ActivityContext } from "./activity.ts"
import { findContactOwner } from "./contact-owner.ts"
import { requireValidTokens } from "./id-tokens.ts"
import { requireChannel } from "./code-switches.ts"

const FIELD = "parameters.oauthProviders"

type Link = {
  userId: string
  oauthProviders: readonly { oidcToken?: string | undefined }[]
}

/**
 * The user to whom the parent links an identity: the only one with the address that Google states in the token, who has
 * proven that address here. The nil UUID stands for them. The token links once.
 *
 * @throws OIDC_LINK_NOT_ALLOWED, OIDC_TOKEN_USED, OTP_DISABLED, CONTACT_AMBIGUOUS, the codes of requireValidTokens
 */
export function requireLinkedUser(
  { userId, oauthProviders }: Link,
  context: ActivityContext<["issuer", "settings"]>,
): User {
  const [provider, another] = oauthProviders
  if (provider?.oidcToken === undefined || another !== undefined)
    throw notAllowed("the parent links one identity at a time, by its oidcToken")
  const at = `${FIELD}[0].oidcToken`
  const token = readIdToken(provider.oidcToken, at)
  const settings = enabledSettings(context.settings.governing)
  const contact = settings && linkableAddress(token, settings)
  if (contact === undefined)
    throw notAllowed(
      "the parent links identities of Google alone, whose token says email_verified, for a client id of " +
        "socialLinkingClientIds",
    )
  requireValidTokens([{ token, at }], context)
  requireChannel(OtpType.EMAIL, context, at)
  const user = requireProvenOwner(contact, at, context)
  if (userId !== NIL_UUID && userId.toLowerCase() !== user.userId)
    throw notAllowed("the token's address is another user's")
  if (user.mfaPolicies.length > 0)
    throw notAllowed("the user has MFA policies, so they add identities by their own stamp")
  spend(token, at, context)
  return user
}

function requireProvenOwner(contact: string, field: string, context: ActivityContext): User {
  const remedy = "each adds an identity by their own stamp"
  const named = { channel: OtpType.EMAIL, contact, field, name: "the address of this token", remedy }
  const user = findContactOwner(named, context)
  if (user?.emailVerified) return user
  throw notAllowed("no user of this organization has proven the address of the token")
}

function spend(token: IdToken, at: string, { organization, changes }: ActivityContext): void {
  const use = { use: "link", id: useIdOf(token), expiresMs: lastExpiryMsOf(token, at) } as const
  changes.spendToken({ ...use, organizationId: organization.id }, () =>
    refuse(
      "OIDC_TOKEN_USED",
      "this OIDC token has linked its identity here before: log in at the issuer again",
      {
        field: at,
      },
    ),
  )
}

function notAllowed(why: string): Refusal {
  return refuse("OIDC_LINK_NOT_ALLOWED", `the identity is not linked: ${why}`, { field: FIELD })
}

/**
 * Proves the e-mail address of a user who adds an identity by which addresses are linked, in a sub-organization. Without
 * an address the user gets the token's. An address that another user has stays theirs.
 * @param token verified
 */
export function proveAddress(
  user: User,
  token: IdToken,
  at: string,
  context: ActivityContext<["settings"]>,
): void {
  const { organization } = context
  const settings = enabledSettings(context.settings.governing)
  const address = settings && linkableAddress(token, settings)
  if (address === undefined || organization.document.parentId === "") return
  const isTaken = organization.document.users.some(
    (other) => other !== user && isSameContact(other.email, address),
  )
  if (isTaken) return
  if (user.email === "") setEmail(organization, user, address, at)
  if (isSameContact(user.email, address)) markContactProven(organization, user, OtpType.EMAIL)
}

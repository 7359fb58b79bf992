import { registrationRefusal } from "../../core/fault-refusals.ts"
import { CEREMONY_KINDS, isFault } from "../../core/fault.ts"
import { ApiKeyCurve, CredentialType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { AuthenticatorParamsV2, OidcClaims } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import type { User } from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { requireApplication } from "../../core/oidc/applications.ts"
import { invalidToken } from "../../core/oidc/jws.ts"
import { canonicalIssuer } from "../../core/oidc/issuer.ts"
import type { OidcSubject } from "../../core/oidc/identity.ts"
import { type IdToken, readIdToken } from "../../core/oidc/token.ts"
import { refuse } from "../../core/refusal.ts"
import { requirePublicKey } from "../../core/stamp/keys.ts"
import type { Steps } from "../../core/turns/steps.ts"
import { originsOf } from "../../core/webauthn/client-data.ts"
import { type RegisteredCredential, verifyRegistration } from "../../core/webauthn/registration.ts"
import { addApiKey, addAuthenticator, addOauthProvider } from "../organization/credentials.ts"
import type { ActivityContext } from "./activity.ts"
import { requireValidTokens } from "./id-tokens.ts"
import { proveAddress } from "./linked-identity.ts"

/** An API key as requests of any version describe it. */
export type ApiKeyParameters = {
  apiKeyName: string
  publicKey: string
  /** Absent in the first version, whose keys are all P-256. */
  curveType?: ApiKeyCurve | undefined
  expirationSeconds?: string | undefined
}

/**
 * Adds API keys to a user; returns their ids in order. Each is compared with all credentials of the organization, in a
 * step of its own. @throws PUBLIC_KEY_INVALID, CREDENTIAL_TAKEN, LIMIT_EXCEEDED
 */
export function* addApiKeys(
  user: User,
  keys: readonly ApiKeyParameters[],
  context: ActivityContext,
  field: string,
): Steps<string[]> {
  const ids: string[] = []
  for (const [index, key] of keys.entries()) {
    const at = `${field}[${index}]`
    const curve = key.curveType ?? ApiKeyCurve.P256
    const apiKeyId = context.newId()
    addApiKey(
      context.organization,
      user,
      {
        apiKeyId,
        name: key.apiKeyName,
        publicKey: requirePublicKey(curve, key.publicKey, `${at}.publicKey`),
        type: credentialTypeOf(curve),
        expirationSeconds: BigInt(key.expirationSeconds ?? "0"),
      },
      at,
    )
    ids.push(apiKeyId)
    yield
  }
  return ids
}

function credentialTypeOf(curve: ApiKeyCurve): CredentialType {
  switch (curve) {
    case ApiKeyCurve.P256:
      return CredentialType.API_KEY_P256
    case ApiKeyCurve.SECP256K1:
      return CredentialType.API_KEY_SECP256K1
    case ApiKeyCurve.ED25519:
      return CredentialType.API_KEY_ED25519
    default:
      throw refuse(
        "REQUEST_INVALID",
        "curveType: unknown curve of an API key; use API_KEY_CURVE_P256, API_KEY_CURVE_SECP256K1 or API_KEY_CURVE_ED25519",
      )
  }
}

/** As `addApiKeys`, for passkeys. @throws ATTESTATION_…, CREDENTIAL_TAKEN, LIMIT_EXCEEDED */
export function* addAuthenticators(
  user: User,
  passkeys: readonly AuthenticatorParamsV2[],
  context: ActivityContext<["settings"]>,
  field: string,
): Steps<string[]> {
  const ids: string[] = []
  for (const [index, passkey] of passkeys.entries()) {
    const at = `${field}[${index}]`
    const authenticatorId = context.newId()
    const transports = [...new Set(passkey.attestation?.transports)]
    const { authenticatorName: name } = passkey
    const registered = verifyAttestation(passkey, context, at)
    addAuthenticator(context.organization, user, { authenticatorId, name, ...registered, transports }, at)
    ids.push(authenticatorId)
    yield
  }
  return ids
}

function verifyAttestation(
  { challenge, attestation }: AuthenticatorParamsV2,
  { settings }: ActivityContext<["settings"]>,
  at: string,
): RegisteredCredential {
  const { credentialId = "", clientDataJson = "", attestationObject = "" } = attestation ?? {}
  try {
    const registration = { challenge, credentialId, clientDataJson, attestationObject }
    return verifyRegistration(registration, originsOf(settings.governing))
  } catch (cause) {
    if (!isFault(cause, ...CEREMONY_KINDS)) throw cause
    throw registrationRefusal(cause, at)
  }
}

/** An OpenID Connect identity as requests of any version describe it. */
export type OauthProviderParameters = {
  providerName: string
  oidcToken?: string | undefined
  oidcClaims?: OidcClaims | undefined
}

/**
 * Adds identities to a user; returns their ids in order. The tokens that prove them are not stored.
 * @throws REQUEST_INVALID, IDENTITY_TAKEN, LIMIT_EXCEEDED, and the codes of requireValidTokens
 */
export function addOauthProviders(
  user: User,
  providers: readonly OauthProviderParameters[],
  context: ActivityContext<["issuer", "settings"]>,
  field: string,
): string[] {
  const requested = providers.map((provider, index) => readProvider(provider, `${field}[${index}]`))
  requireProven(requested, user, context)
  return requested.map(({ name, at, ...requestedIdentity }) => {
    const providerId = context.newId()
    const { issuer, audience, subject } = requestedIdentity.identity
    addOauthProvider(context.organization, user, { providerId, name, issuer, audience, subject }, at)
    if (requestedIdentity.isToken) proveAddress(user, requestedIdentity.identity, at, context)
    return providerId
  })
}

/** An identity to add, with its token where the request has one. */
type RequestedIdentity = { name: string; at: string } & (
  | { identity: IdToken; isToken: true }
  | { identity: OidcSubject; isToken: false }
)

function readProvider(provider: OauthProviderParameters, at: string): RequestedIdentity {
  const { providerName: name, oidcToken, oidcClaims } = provider
  if ((oidcToken === undefined) === (oidcClaims === undefined))
    throw refuse("REQUEST_INVALID", "set exactly one of oidcToken and oidcClaims", { field: at })
  if (oidcToken !== undefined)
    return { name, at, identity: readIdToken(oidcToken, `${at}.oidcToken`), isToken: true }
  const { iss = "", aud: audience = "", sub: subject = "" } = oidcClaims ?? {}
  const issuer = canonicalIssuer(iss)
  if (issuer === undefined) {
    throw refuse(
      "REQUEST_INVALID",
      "iss is not an issuer: an issuer is a URL with a host, without query and fragment",
      { field: `${at}.oidcClaims.iss` },
    )
  }
  return { name, at, identity: { issuer, audience, subject }, isToken: false }
}

/**
 * A token proves its identity. Claims without a token are accepted for another application id of a proven identity. They must
 * have issuer and subject of a token in the same request, or of an identity that the user already has.
 */
function requireProven(
  requested: readonly RequestedIdentity[],
  user: User,
  context: ActivityContext<["issuer", "settings"]>,
): void {
  const tokens = requested.flatMap(({ identity, at, isToken }) =>
    isToken ? [{ token: identity, at: `${at}.oidcToken` }] : [],
  )
  requireValidTokens(tokens, context)
  const { settings } = context
  const proven = [...tokens.map(({ token }) => token), ...user.oauthProviders]
  for (const { identity, at, isToken } of requested) {
    const { issuer, subject } = identity
    if (!isToken) requireApplication([settings.own, settings.governing], identity, `${at}.oidcClaims`)
    if (isToken || proven.some((other) => other.issuer === issuer && other.subject === subject)) continue
    throw invalidToken("no token beside these claims has their issuer and subject", `${at}.oidcClaims`)
  }
}

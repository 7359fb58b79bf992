import { hash } from "node:crypto"
import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { ActivityEntry } from "../../../../proto/catalog.ts"
import { requireApplication } from "../../../core/oidc/applications.ts"
import { type IdToken, readIdToken, requireTimely, requireValid } from "../../../core/oidc/token.ts"
import { requireChannelOn, requirePlainCodesOn } from "../../../core/otp/channel.ts"
import { requireGenuineToken, requireTokenOf } from "../../../core/otp/verification-token.ts"
import { refuse } from "../../../core/refusal.ts"
import {
  ATTESTATION_FIELD,
  type AttestedStamp,
  type ContactStamp,
  OIDC_SCHEME,
  readAttestedStamp,
  requireAttestedKey,
} from "../../../core/stamp/attested.ts"
import type { Stamp } from "../../../core/stamp/read-stamp.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { requireFetcherKey } from "../state/fetcher-key.ts"
import { FetchedFacts, type FactsSource } from "../workspace/fetched-facts.ts"
import { issuersOf } from "../workspace/issuer-keys.ts"

/**
 * Refuses an attested stamp on anything but a login of its own user and a vote. A token lives for long and its user
 * confirms nothing, so it is exchanged for a session, which can be ended. @throws ATTESTED_STAMP_NOT_ALLOWED
 */
export function requireAttestable({ kind }: Stamp, { authority, type }: ActivityEntry): void {
  if (kind !== "attested" || authority === Authority.LOGIN || authority === Authority.VOTE) return
  const sentence = `an attested stamp is for ACTIVITY_TYPE_STAMP_LOGIN, read-only sessions and votes, not for ${type}`
  throw refuse("ATTESTED_STAMP_NOT_ALLOWED", sentence)
}

type Documented = { document: OrganizationDocument }

/** The organization whose user stamped, and its top-level organization. */
type AttestationPlace = { deciding: Documented; governing: () => Documented }

/**
 * Verifies the token of an attested stamp. Its key's signature was verified before, and that the token names the key.
 * @throws OIDC_APPLICATION_NOT_ALLOWED, OIDC_TOKEN_INVALID, VERIFICATION_TOKEN_INVALID, OTP_DISABLED, OTP_SEALED_ONLY,
 *   FETCHER_NOT_PAIRED, STATEMENT_INVALID, and the refusals that the fetcher states
 * @throws ContextNeeded when the keys of the token's issuer are missing
 */
export function requireAttestation(
  stamp: AttestedStamp,
  source: FactsSource,
  { deciding: { document }, governing }: AttestationPlace,
  deps: ExecutionDeps,
): void {
  if (stamp.scheme === OIDC_SCHEME) {
    requireApplication([document, governing().document], stamp.token, ATTESTATION_FIELD)
    requireIdToken(stamp.token, ATTESTATION_FIELD, source, deps)
    return
  }
  requireContact(stamp, source.nowMs, deps)
  const { claims } = stamp.token
  const organizationIds = [document.organizationId, document.parentId].filter((id) => id !== "")
  requireTokenOf(claims, organizationIds, ATTESTATION_FIELD)
  requireChannelOn(document, claims.channel, ATTESTATION_FIELD)
  if (!claims.isSealed) requirePlainCodesOn([document, governing().document], ATTESTATION_FIELD)
}

/**
 * Verifies an ID token with the keys of its issuer.
 * @throws OIDC_TOKEN_INVALID, FETCHER_NOT_PAIRED, STATEMENT_INVALID, and the refusals that the fetcher states
 * @throws ContextNeeded when the keys of the token's issuer are missing
 */
function requireIdToken(token: IdToken, field: string, source: FactsSource, deps: ExecutionDeps): void {
  const { issuer, jws } = token
  const clock = { nowMs: source.nowMs, leewaySeconds: deps.limits.tokenLeewaySeconds }
  // Before the issuer is asked: an expired token must not wait for an issuer that is gone.
  requireTimely(token, clock, field)
  const [keys = []] = issuersOf(new FetchedFacts(source, deps)).keys([{ issuer, keyId: jws.keyId }])
  requireValid(token, keys, clock, field)
}

function requireContact({ token }: ContactStamp, nowMs: number, deps: ExecutionDeps): void {
  requireGenuineToken(token, { fetcherKey: requireFetcherKey(deps), nowMs, field: ATTESTATION_FIELD })
}

/** An attested stamp on a read of an organization, with the statements that came with it. */
export type ReadAttestation = {
  organizationId: string
  body: Uint8Array
  xStampAttested: string
  fetched: FactsSource["order"]["fetched"]
}

/**
 * Verifies an attested stamp on a read. The API tier, which has the organization's document and answers the read, checks that
 * the organization accepts the token. @throws the codes of readAttestedStamp, of requireAttestedKey and of requireAttestation
 */
export function requireAttestedRead(read: ReadAttestation, deps: ExecutionDeps): void {
  const { organizationId, body, xStampAttested, fetched } = read
  const stamp = readAttestedStamp(xStampAttested)
  requireAttestedKey(stamp, body)
  const nowMs = deps.nowMs()
  if (stamp.scheme !== OIDC_SCHEME) {
    requireContact(stamp, nowMs, deps)
    return
  }
  const request = { organizationId, fingerprint: hash("sha256", body, "hex") }
  requireIdToken(stamp.token, ATTESTATION_FIELD, { request, order: { fetched }, nowMs }, deps)
}

/** An ID token that an organization asks about, with the statements that came with it. */
export type IdTokenEvidence = {
  organizationId: string
  oidcToken: string
  fetched: FactsSource["order"]["fetched"]
}

/**
 * Verifies an ID token that opens nothing. The fetcher's statements are bound to the token in place of a request's body.
 * @throws the codes and ContextNeeded of requireIdToken
 */
export function requireInquiredToken(
  { organizationId, oidcToken, fetched }: IdTokenEvidence,
  deps: ExecutionDeps,
): void {
  const field = "oidcToken"
  const request = { organizationId, fingerprint: hash("sha256", oidcToken, "hex") }
  requireIdToken(
    readIdToken(oidcToken, field),
    field,
    { request, order: { fetched }, nowMs: deps.nowMs() },
    deps,
  )
}

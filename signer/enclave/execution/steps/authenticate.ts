import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { requireFresh, requireNotOlder } from "../../../core/freshness.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { originsOf } from "../../../core/webauthn/client-data.ts"
import { hashInSteps, isLargeBody } from "../../../core/stamp/large-body.ts"
import {
  requireStamp,
  requireStampByCredential,
  unknownCredential,
  verifyInSteps,
} from "../../../core/stamp/verify.ts"
import { inSlices } from "../../../core/turns/steps.ts"
import { readStampHeaders, type Stamp } from "../../../core/stamp/read-stamp.ts"
import { MAX_BODY_BYTES } from "../../../core/wire.ts"
import { createdAtMsOf, type CredentialOwner, findOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { type Organizations, SuppliedDocuments } from "../state/organizations.ts"
import { RequestParts } from "../state/request-parts.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import type { CurrentSessions } from "../state/sessions.ts"
import { requireAuthProxyUse } from "./auth-proxy-user.ts"
import { requireInScope } from "./decision-input.ts"
import { requireRecoveryUse } from "./recovery-key.ts"
import { requireAttestable, requireAttestation } from "./attestation.ts"
import { findHome } from "./family-login.ts"

/**
 * Finds the organization that a live request is for and the user who stamped it. The request may have waited since it was
 * read, and fingerprints are forgotten after an hour.
 * @throws REQUEST_STALE, REQUEST_FROM_FUTURE, ORGANIZATION_UNKNOWN, ORGANIZATION_DELETED, DOCUMENT_FORGED, DOCUMENT_OF_ANOTHER_ORGANIZATION,
 *   DOCUMENT_ROLLED_BACK, ATTESTED_STAMP_NOT_ALLOWED, AUTH_PROXY_USER_DENIED, RECOVERY_KEY_CONFINED, RECOVERY_KEY_NEEDED, the codes of findHome, of requireOwner, of requireAttestation and
 *   of requireInScope
 * @throws ContextNeeded for documents, and for the keys of a token's issuer
 */
export function authenticate(
  request: StampedRequest,
  order: Order,
  deps: ExecutionDeps,
): AuthenticatedRequest {
  const nowMs = deps.nowMs()
  requireFresh(request.timestampMs, nowMs)
  requireAttestable(request.stamp, request.activity)
  const supplied = new SuppliedDocuments(order.documents, deps.keyring.notary)
  const organization = locate(request, supplied, deps)
  const governing = governingOf(organization, supplied, deps.organizations)
  const deciding = decidingOf(request, organization, governing, deps)
  const owner = requireOwner(request, deciding, deps.sessions, nowMs, governing)
  if (request.stamp.kind === "attested")
    requireAttestation(request.stamp, { request, order, nowMs }, { deciding, governing }, deps)
  const parts = new RequestParts()
  const current = { request, order, organization, deciding, owner, governing, parts, nowMs }
  requireAuthProxyUse(current)
  requireRecoveryUse(current)
  requireInScope(current, deps)
  return current
}

/**
 * The organization whose user stamped and whose policies decide. A user of the parent may ask for a login in a
 * sub-organization, and link an identity; everything else there is for its own users.
 */
function decidingOf(
  { stamp, activity }: StampedRequest,
  organization: Organization,
  governing: () => Organization,
  { sessions }: ExecutionDeps,
): Organization {
  const isOwn = findOwner(organization, stamp.credential, sessions) !== undefined
  if (isOwn || !activity.isOpenToParent) return organization
  const parent = governing()
  return findOwner(parent, stamp.credential, sessions) === undefined ? organization : parent
}

/**
 * Verifies the stamp of a large body before the body is parsed, so that only users can make the signer parse one. The
 * organization is the one in whose turn the order is; `authenticate` verifies the stamp again for the organization that
 * the body names. Without it, a stamp by a key is verified with the key that it names. The body's digest is then known.
 * @throws CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, ATTESTED_STAMP_NOT_ALLOWED, the codes of opening documents and of
 *   requireStampByCredential
 */
export async function requireStampOfLargeBody(order: Order, deps: ExecutionDeps): Promise<void> {
  const { body, turnOf } = order
  if (!isLargeBody(body) || body.length > MAX_BODY_BYTES) return
  const stamp = readStampHeaders(order)
  if (stamp.kind === "attested")
    throw refuse(
      "ATTESTED_STAMP_NOT_ALLOWED",
      "an attested stamp is for logins and votes, whose bodies are small",
    )
  if (turnOf === "" || deps.ledger.head(turnOf) === undefined) {
    if (stamp.kind !== "api-key") return
    await inSlices(verifyInSteps(stamp, body), turnOf, deps.turns)
    requireStamp(stamp, body)
    return inSlices(hashInSteps(body), turnOf, deps.turns)
  }
  const supplied = new SuppliedDocuments(order.documents, deps.keyring.notary)
  const organization = deps.organizations.openCurrent(turnOf, supplied)
  const owner = findOwner(organization, stamp.credential, deps.sessions)
  if (owner === undefined) throw unknownCredential(stamp, organization.id)
  await inSlices(verifyInSteps(stamp, body), turnOf, deps.turns)
  requireStampByCredential(owner, stamp, body, { nowMs: deps.nowMs(), origins: () => undefined })
  return inSlices(hashInSteps(body), turnOf, deps.turns)
}

/**
 * The organization that a request is for: the one that its body names. Only a login may name the parent instead
 * (family-login.ts). @throws the codes of findHome and of opening documents
 */
export function locate(
  request: StampedRequest,
  supplied: SuppliedDocuments,
  deps: ExecutionDeps,
): Organization {
  const named = deps.organizations.openCurrent(request.organizationId, supplied)
  if (request.activity.authority !== Authority.LOGIN || named.document.parentId !== "") return named
  return findHome(request, named, supplied, deps)
}

/** Opens the organization whose settings apply: the parent, or the organization itself. */
export function governingOf(
  organization: Organization,
  supplied: SuppliedDocuments,
  organizations: Pick<Organizations, "openRelated">,
): () => Organization {
  const { parentId } = organization.document
  return () => (parentId === "" ? organization : organizations.openRelated(parentId, supplied))
}

/**
 * The owner of the credential that stamped the body.
 * @throws CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, IDENTITY_UNKNOWN, ORGANIZATION_MISMATCH, CREDENTIAL_NEWER_THAN_REQUEST,
 *   STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED, STAMP_MALFORMED, STAMP_CEREMONY_WRONG, STAMP_ORIGIN_WRONG, STAMP_INVALID,
 *   STAMP_KEY_UNATTESTED
 */
export function requireOwner(
  { stamp, body, timestampMs }: Pick<StampedRequest, "stamp" | "body" | "timestampMs">,
  organization: Organization,
  sessions: CurrentSessions,
  nowMs: number,
  governing: () => Organization,
): CredentialOwner {
  const owner = findOwner(organization, stamp.credential, sessions)
  if (owner === undefined) throw noOwner(stamp, organization, sessions, governing)
  requireNotOlder(timestampMs, createdAtMsOf(owner))
  requireStampByCredential(owner, stamp, body, { nowMs, origins: () => originsOf(governing().document) })
  return owner
}

/** A parent may read its sub-organizations; a parent's request to change one has a refusal code of its own. */
function noOwner(
  stamp: Stamp,
  { id, document }: Organization,
  sessions: CurrentSessions,
  governing: () => Organization,
): Refusal {
  const parent = document.parentId === "" ? undefined : governing()
  if (parent === undefined || findOwner(parent, stamp.credential, sessions) === undefined)
    return unknownCredential(stamp, id)
  const sentence =
    `organization mismatch: request is targeting organization ("${id}"), but voters are in organization ` +
    `("${parent.id}")`
  return refuse("ORGANIZATION_MISMATCH", sentence, { field: "organizationId" })
}

import { Authority } from "../../../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Order } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { originsOf } from "../../../core/webauthn/client-data.ts"
import { requireStampByCredential, unknownCredential } from "../../../core/stamp/verify.ts"
import type { Stamp } from "../../../core/stamp/read-stamp.ts"
import { type CredentialOwner, findOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { identityOfStamp } from "../state/identity-register.ts"
import { type Organizations, SuppliedDocuments } from "../state/organizations.ts"
import type { AuthenticatedRequest, StampedRequest } from "../state/request.ts"
import type { Sessions } from "../state/sessions.ts"
import { requireInScope } from "./decision-input.ts"

/**
 * Finds the organization that a request is for and the user who stamped it.
 * @throws ORGANIZATION_UNKNOWN, ORGANIZATION_DELETED, DOCUMENT_FORGED, DOCUMENT_OF_ANOTHER_ORGANIZATION,
 *   DOCUMENT_ROLLED_BACK, CREDENTIAL_CONFLICT, the codes of requireOwner and of requireInScope
 */
export function authenticate(
  request: StampedRequest,
  order: Order,
  deps: ExecutionDeps,
): AuthenticatedRequest {
  const nowMs = deps.nowMs()
  const supplied = new SuppliedDocuments(order.documents, deps.keyring.notary)
  const organization = locate(request, supplied, deps)
  const governing = governingOf(organization, supplied, deps.organizations)
  const owner = requireOwner(request, organization, deps.sessions, nowMs, governing)
  const current = { request, order, organization, owner, governing, nowMs }
  requireInScope(current, deps)
  return current
}

/**
 * The organization that a request is for: the one that its body names. Only a login may name the parent instead. It is
 * then for the one sub-organization that the register has for the stamp's credential; the API tier does not choose it.
 * @throws CREDENTIAL_CONFLICT, the codes of opening documents
 */
export function locate(
  request: StampedRequest,
  supplied: SuppliedDocuments,
  { organizations, sessions, register }: ExecutionDeps,
): Organization {
  const named = organizations.openCurrent(request.organizationId, supplied)
  if (request.activity.authority !== Authority.LOGIN || named.document.parentId !== "") return named
  if (findOwner(named, request.stamp.credential, sessions) !== undefined) return named
  const found = register.find(named.id, identityOfStamp(request.stamp))
  if (found === "none") return named
  if (found === "several") {
    const shown = request.stamp.kind === "passkey" ? "a credential ID" : "a public key"
    const sentence = `more than one suborg associated with ${shown}: name it in organizationId`
    throw refuse("CREDENTIAL_CONFLICT", sentence, { field: "organizationId" })
  }
  return organizations.openRelated(found.organizationId, supplied)
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
 * @throws CREDENTIAL_UNKNOWN, PASSKEY_UNKNOWN, ORGANIZATION_MISMATCH, STAMP_SCHEME_MISMATCH, CREDENTIAL_EXPIRED,
 *   STAMP_MALFORMED, STAMP_CEREMONY_WRONG, STAMP_ORIGIN_WRONG, STAMP_INVALID
 */
export function requireOwner(
  { stamp, body }: Pick<StampedRequest, "stamp" | "body">,
  organization: Organization,
  sessions: Sessions,
  nowMs: number,
  governing: () => Organization,
): CredentialOwner {
  const owner = findOwner(organization, stamp.credential, sessions)
  if (owner === undefined) throw noOwner(stamp, organization, sessions, governing)
  requireStampByCredential(owner, stamp, body, { nowMs, origins: () => originsOf(governing().document) })
  return owner
}

/** A parent may read its sub-organizations; a parent's request to change one has a refusal code of its own. */
function noOwner(
  stamp: Stamp,
  { id, document }: Organization,
  sessions: Sessions,
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

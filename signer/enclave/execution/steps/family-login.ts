import type { Authenticator } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { newerThanRequest } from "../../../core/freshness.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import { refuse } from "../../../core/refusal.ts"
import { fittingKeys, fittingPasskeyKeys } from "../../../core/stamp/fitting-keys.ts"
import type { ApiKeyStamp, Stamp } from "../../../core/stamp/read-stamp.ts"
import { requireAttestedKey } from "../../../core/stamp/attested.ts"
import { requireStamp } from "../../../core/stamp/verify.ts"
import { NIL_UUID } from "../../../core/uuid.ts"
import { hasKeyName } from "../../../core/webauthn/cose-key.ts"
import { type CredentialOwner, createdAtMsOf, findOwner } from "../state/credential-owner.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import { type Identity, identityOfStamp, keyOfPasskey } from "../state/identity.ts"
import { firstCreated, type IdentityTally, isEmpty, onlyProven } from "../state/identity-tally.ts"
import type { SuppliedDocuments } from "../state/organizations.ts"
import type { StampedRequest } from "../state/request.ts"

type Deps = Pick<ExecutionDeps, "organizations" | "sessions" | "register" | "nowMs">

/** An identity that the stamp fits: its tally, and the parent's live credential with it. */
type Claim = { tally: IdentityTally; own: OwnCredential | undefined }

/** `id`: a UUID of version 7, in the order of creation. */
type OwnCredential = { id: string; isRoot: boolean; isSession: boolean }

/** `isOnly`: neither the parent nor another of its sub-organizations was created with a credential that the stamp fits. */
type Home = { organizationId: string; isOnly: boolean }

/**
 * The organization of a login that names only a parent: the one in which its user is already registered. Somebody else's
 * later registration of the user's key does not change it. A stamp does not cover the key or the credential id in its header.
 * So every credential that the stamp fits counts, not only the one that the header names.
 *
 * 1. A root user of the parent whose credential is older than every hold of a sub-organization.
 * 2. The one sub-organization that has proven the identity.
 * 3. The oldest of the parent's credentials and of the sub-organizations created first with the identity. A credential
 *    of the parent that is newer than any hold does not count. A session's key does not count either if a
 *    sub-organization was created with it or has proven it.
 *
 * A credential that was registered after the body was stamped answers only if it is the only one. In a sub-organization it must
 * have been there at the creation: the login then follows its own sign-up.
 * @throws CREDENTIAL_CONFLICT, LOGIN_UNPROVEN, STAMP_INVALID, CREDENTIAL_NEWER_THAN_REQUEST, the codes of opening
 *   documents
 */
export function findHome(
  request: StampedRequest,
  parent: Organization,
  supplied: SuppliedDocuments,
  deps: Deps,
): Organization {
  const { stamp, body } = request
  if (stamp.kind === "api-key") {
    // First, because anybody can send a stamp, and computing the keys that it fits takes milliseconds.
    if (!isHeld(stamp, parent, deps)) return parent
    requireStamp(stamp, body)
  }
  if (stamp.kind === "attested") requireAttestedKey(stamp, body)
  const claims = claimsOf(request, parent, deps)
  const home = decideHome(claims, parent.id, stamp, deps)
  if (home === undefined) {
    requireProvenContact(parent.credentialOwner(stamp.credential))
    return parent
  }
  const isParent = home.organizationId === parent.id
  const organization = isParent ? parent : deps.organizations.openRelated(home.organizationId, supplied)
  const owner = isParent
    ? findOwner(parent, stamp.credential, deps.sessions)
    : organization.credentialOwner(stamp.credential)
  if (owner === undefined) return organization
  requireTimely(request, organization, owner, home)
  if ("authenticator" in owner && keysOf(request).length === 0)
    requireOwnKey({ owner, claims, home }, parent, stamp, deps)
  return organization
}

/**
 * Anybody may be given anybody's address as a contact, so an unproven one of the parent must not divert its owner.
 * @throws LOGIN_UNPROVEN
 */
function requireProvenContact(owner: CredentialOwner | undefined): void {
  if (owner === undefined || !("contact" in owner) || owner.contact.isProven) return
  throw unproven("no login of the contact's user has proven it yet: log in with otp_login once")
}

/** True if anybody in the family holds the key that the header names. */
function isHeld({ publicKeyHex }: ApiKeyStamp, parent: Organization, deps: Deps): boolean {
  if (findOwner(parent, publicKeyHex, deps.sessions) !== undefined) return true
  return !isEmpty(deps.register.tally(parent.id, { kind: "public-key", publicKeyHex }))
}

/** @throws CREDENTIAL_NEWER_THAN_REQUEST */
function requireTimely(
  { timestampMs }: StampedRequest,
  { document }: Organization,
  owner: CredentialOwner,
  { isOnly }: Home,
): void {
  const createdAtMs = createdAtMsOf(owner)
  if (createdAtMs <= timestampMs) return
  const isSignUp = document.parentId === "" || createdAtMs === Number(document.createdAtMs)
  if (!isOnly || !isSignUp) throw newerThanRequest()
}

/**
 * The key of an RSA passkey cannot be computed from its assertion: the credential id in the header, which anybody can
 * exchange, leads to it. The key itself must lead to the same organization. @throws CREDENTIAL_CONFLICT
 */
function requireOwnKey(
  { owner, claims, home }: { owner: { authenticator: Authenticator }; claims: readonly Claim[]; home: Home },
  parent: Organization,
  stamp: Stamp,
  deps: Deps,
): void {
  const claim = passkeyClaim(keyOfPasskey(owner.authenticator), parent, deps)
  const ofKey = decideHome([...claims, claim], parent.id, stamp, deps)
  if (ofKey?.organizationId !== home.organizationId) throw conflict(stamp)
}

/** Keys that a request's stamp fits; they take milliseconds to compute, and a login is located twice. */
const fittingKeysByRequest = new WeakMap<StampedRequest, readonly string[]>()

/** Empty: the stamp is not ECDSA's, so its key cannot be computed; or its key is of no credential. */
function keysOf(request: StampedRequest): readonly string[] {
  const known = fittingKeysByRequest.get(request)
  if (known !== undefined) return known
  const keys = computeKeys(request)
  fittingKeysByRequest.set(request, keys)
  return keys
}

function computeKeys({ stamp, body }: StampedRequest): readonly string[] {
  if (stamp.kind === "attested") return []
  return stamp.kind === "api-key" ? fittingKeys(stamp, body) : fittingPasskeyKeys(stamp)
}

function claimsOf(request: StampedRequest, parent: Organization, deps: Deps): Claim[] {
  const { stamp } = request
  if (stamp.kind === "attested") {
    const own = ownCredential(parent.credentialOwner(stamp.credential), parent, deps.nowMs())
    return [{ tally: deps.register.tally(parent.id, identityOfStamp(stamp)), own }]
  }
  const keys = keysOf(request)
  if (stamp.kind === "api-key") {
    return keys.map((publicKeyHex) => ({
      tally: deps.register.tally(parent.id, { kind: "public-key", publicKeyHex }),
      own: ownCredential(findOwner(parent, publicKeyHex, deps.sessions), parent, deps.nowMs()),
    }))
  }
  const { credentialId } = stamp
  const legacy = { tally: deps.register.tally(parent.id, { kind: "passkey", credentialId }), own: undefined }
  if (keys.length > 0)
    return [legacy, ...keys.map((key) => passkeyClaim({ kind: "passkey-key", key }, parent, deps))]
  const own = ownCredential(parent.credentialOwner(stamp.credential), parent, deps.nowMs())
  const tally = deps.register.tally(parent.id, { kind: "passkey-rsa", credentialId })
  // A login proves a key. Another key under the same id does not outweigh the first sub-organization with the id.
  const hasFirst = firstCreated(tally, deps.nowMs()) !== undefined
  return [legacy, { tally: hasFirst ? { ...tally, proven: 0n } : tally, own }]
}

function passkeyClaim(
  identity: Extract<Identity, { kind: "passkey-key" }>,
  parent: Organization,
  deps: Deps,
): Claim {
  const owners = parent.document.users.flatMap((user) =>
    user.authenticators.map((authenticator) => ({ user, authenticator })),
  )
  const isSameKey = hasKeyName(identity.key)
  const owner = owners.find(({ authenticator }) => isSameKey(authenticator.publicKey))
  return {
    tally: deps.register.tally(parent.id, identity),
    own: ownCredential(owner, parent, deps.nowMs()),
  }
}

/** Undefined: the parent has none, or an expired or unproven one. */
function ownCredential(
  owner: CredentialOwner | undefined,
  parent: Organization,
  nowMs: number,
): OwnCredential | undefined {
  if (owner === undefined) return undefined
  const { userId } = owner.user
  const isRoot = parent.isRoot(userId)
  if ("contact" in owner) return owner.contact.isProven ? { id: userId, isRoot, isSession: false } : undefined
  if ("authenticator" in owner) return { id: owner.authenticator.authenticatorId, isRoot, isSession: false }
  if ("oauthProvider" in owner) return { id: owner.oauthProvider.providerId, isRoot, isSession: false }
  const { apiKey } = owner
  if (apiKey.expiresAtMs !== 0n && apiKey.expiresAtMs <= BigInt(nowMs)) return undefined
  return "apiKeyId" in apiKey
    ? { id: apiKey.apiKeyId, isRoot, isSession: false }
    : { id: apiKey.id, isRoot: false, isSession: true }
}

/** Undefined: no sub-organization holds the identity. @throws CREDENTIAL_CONFLICT, LOGIN_UNPROVEN */
function decideHome(claims: readonly Claim[], parentId: string, stamp: Stamp, deps: Deps): Home | undefined {
  const tallies = claims.map(({ tally }) => tally)
  const candidates = claims.flatMap((claim) => candidatesOf(claim, parentId, deps.nowMs()))
  const created = sum(tallies.map((tally) => tally.created))
  const own = candidates.filter(({ organizationId }) => organizationId === parentId)
  const isOnly = created + BigInt(own.length) === 1n
  if (own.some(({ id, isRoot }) => isRoot && tallies.every((tally) => isOlder(id, tally))))
    return { organizationId: parentId, isOnly }
  const proven = tallies.flatMap((tally) => onlyProven(tally) ?? [])
  const provers = sum(tallies.map((tally) => tally.proven))
  if (provers > 1n) throw conflict(stamp)
  const [oldest] = proven.length > 0 ? proven : oldestAnswering(candidates, tallies, parentId)
  if (oldest !== undefined) return { organizationId: oldest, isOnly }
  if (created > 0n) throw conflict(stamp)
  if (tallies.some(({ added }) => added > 0n)) throw unproven(UNPROVEN)
  return undefined
}

/** `id`: of the parent's credential, or of the sub-organization itself, which is as old as its creation. */
type Candidate = { id: string; organizationId: string; isRoot: boolean }

function candidatesOf({ tally, own }: Claim, parentId: string, nowMs: number): Candidate[] {
  const first = firstCreated(tally, nowMs)
  const child = first === undefined ? [] : [{ id: first, organizationId: first, isRoot: false }]
  if (own === undefined) return child
  const isHeldByChild = tally.created > 0n || tally.proven > 0n
  // If the session is older, none is the login's organization: the sub-organization may have been created to divert it.
  if (own.isSession && isHeldByChild) return child.filter(({ id }) => id < own.id)
  return [...child, { id: own.id, organizationId: parentId, isRoot: own.isRoot }]
}

/**
 * The oldest candidate's organization, if any. A credential of the parent does not answer where a sub-organization has
 * held the identity for longer. That hold may not answer itself, but the credential may be there to divert its user.
 */
function oldestAnswering(
  candidates: readonly Candidate[],
  tallies: readonly IdentityTally[],
  parentId: string,
): string[] {
  const [oldest] = candidates.toSorted(byAge)
  if (oldest === undefined) return []
  const { id, organizationId } = oldest
  const isNewer = organizationId === parentId && !tallies.every((tally) => isOlder(id, tally))
  return isNewer ? [] : [organizationId]
}

/** True if a credential of the parent is older than every hold in the tally, as far as that is known. */
function isOlder(id: string, tally: IdentityTally): boolean {
  return isEmpty(tally) || tally.since === NIL_UUID || id < tally.since
}

function byAge(one: Candidate, other: Candidate): number {
  return one.id < other.id ? -1 : 1
}

function sum(counts: readonly bigint[]): bigint {
  return counts.reduce((total, count) => total + count, 0n)
}

function conflict({ kind }: Stamp) {
  const shown = { "api-key": "a public key", passkey: "a credential ID", attested: "an attested identity" }[
    kind
  ]
  const sentence = `more than one suborg associated with ${shown}: name it in organizationId`
  return refuse("CREDENTIAL_CONFLICT", sentence, { field: "organizationId" })
}

const UNPROVEN =
  "the suborg that holds the credential got it after its creation, and no login that named it has proven it: " +
  "name the suborg in organizationId"

function unproven(sentence: string) {
  return refuse("LOGIN_UNPROVEN", sentence, { field: "organizationId" })
}

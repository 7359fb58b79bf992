import type { OrganizationDocument } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { Stamp } from "../../../core/stamp/read-stamp.ts"
import { type MacKey, macRecord } from "../../keys/record-mac.ts"
import type { IndexChange, Ledger, LedgerRow } from "../../ledger/ledger.ts"

/**
 * The sub-organizations of a parent that hold an identity. A login that names only the parent gets one answer here, and
 * the API tier never chooses. The tallies are rows of the parent's index shards. An identity enters
 * unproven, because the creator of a sub-organization can put any public key into it. A login inside the
 * sub-organization proves the identity, with a row of that sub-organization. OpenID Connect identities enter proven:
 * their registration was checked.
 */
export class IdentityRegister {
  readonly #key: MacKey
  readonly #ledger: Ledger

  constructor(key: MacKey, ledger: Ledger) {
    this.#key = key
    this.#ledger = ledger
  }

  find(parentId: string, identity: Identity): Found | "none" | "several" {
    const digest = identityDigest(this.#key, parentId, identity)
    return uniqueOwner(readTally(this.#ledger.row(indexShard(parentId, digest), "identity", digest)))
  }

  /** Changes of the parent's register. `before` is undefined when the sub-organization is new. */
  changes(before: OrganizationDocument | undefined, after: OrganizationDocument | undefined): IndexChange[] {
    const document = after ?? before
    if (document === undefined || document.parentId === "") return []
    const previous = this.#byDigest(before)
    const current = this.#byDigest(after)
    const { parentId, organizationId } = document
    const removed = [...previous].filter(([digest]) => !current.has(digest))
    const added = [...current].filter(([digest]) => !previous.has(digest))
    return [
      ...removed.map(([digest, identity]) => {
        const proofState = this.#proofState(organizationId, digest, identity)
        return tallyChange(parentId, digest, (tally) => leave(tally, organizationId, proofState))
      }),
      ...added.map(([digest, identity]) =>
        tallyChange(parentId, digest, (tally) => enter(tally, organizationId, initialProof(identity))),
      ),
    ]
  }

  /** Proof rows of a sub-organization for identities that its document no longer holds. */
  staleProofs(before: OrganizationDocument | undefined, after: OrganizationDocument | undefined) {
    if (before === undefined || before.parentId === "") return []
    const current = this.#byDigest(after)
    return [...this.#byDigest(before).keys()]
      .filter((digest) => !current.has(digest))
      .filter((digest) => this.#ledger.row(before.organizationId, "identity", digest) !== undefined)
      .map((key) => ({ kind: "identity" as const, key }))
  }

  /** Changes that a login makes by proving an identity; none when it was proven before. */
  proof(
    { parentId, organizationId }: OrganizationDocument,
    identity: Identity,
  ): { index: IndexChange[]; put: LedgerRow[] } {
    if (parentId === "") return NO_PROOF
    const digest = identityDigest(this.#key, parentId, identity)
    if (this.#proofState(organizationId, digest, identity) === "proven") return NO_PROOF
    const change = tallyChange(parentId, digest, (tally) =>
      enter(leave(tally, organizationId, "unproven"), organizationId, "proven"),
    )
    return { index: [change], put: [{ kind: "identity", key: digest, value: new Uint8Array(0) }] }
  }

  #proofState(organizationId: string, digest: string, identity: Identity): ProofState {
    if (initialProof(identity) === "proven") return "proven"
    return this.#ledger.row(organizationId, "identity", digest) === undefined ? "unproven" : "proven"
  }

  #byDigest(document: OrganizationDocument | undefined): Map<string, Identity> {
    if (document === undefined) return new Map()
    const digest = (identity: Identity) => identityDigest(this.#key, document.parentId, identity)
    return new Map(identitiesOf(document).map((identity) => [digest(identity), identity]))
  }
}

const NO_PROOF = { index: [], put: [] }

function initialProof({ kind }: Identity): ProofState {
  return kind === "oidc" ? "proven" : "unproven"
}

function tallyChange(
  parentId: string,
  digest: string,
  next: (tally: IdentityTally) => IdentityTally,
): IndexChange {
  const row = { kind: "identity" as const, key: digest }
  return {
    shard: indexShard(parentId, digest),
    update: [{ ...row, next: (value) => writeTally(next(readTally(value))) }],
  }
}

/**
 * The index shard of a digest, one of 65,536. The first access reads a whole shard; a parent of a million
 * sub-organizations with four identities each has some sixty rows in each.
 */
export function indexShard(organizationId: string, digest: string): string {
  return `${organizationId}#${digest.slice(0, 4)}`
}

/** The identity of a login that names only the parent: an API key, a passkey, or a subject of an OIDC issuer. */
export type Identity =
  | { kind: "public-key"; publicKeyHex: string }
  | { kind: "passkey"; credentialId: Uint8Array }
  | { kind: "oidc"; issuer: string; audience: string; subject: string }

/** Identity of the credential that stamped. */
export function identityOfStamp(stamp: Stamp): Identity {
  return stamp.kind === "passkey"
    ? { kind: "passkey", credentialId: stamp.credentialId }
    : { kind: "public-key", publicKeyHex: stamp.publicKeyHex }
}

/** Identities of all users of a document. */
function identitiesOf({ users }: OrganizationDocument): Identity[] {
  return users.flatMap(({ apiKeys, authenticators, oauthProviders }) => [
    ...apiKeys.map(({ publicKey }) => ({ kind: "public-key" as const, publicKeyHex: publicKey })),
    ...authenticators.map(({ credentialId }) => ({ kind: "passkey" as const, credentialId })),
    ...oauthProviders.map(({ issuer, audience, subject }) => ({
      kind: "oidc" as const,
      issuer,
      audience,
      subject,
    })),
  ])
}

/** Keyed digest of an identity among the sub-organizations of a parent, 64 hexadecimal digits. */
function identityDigest(key: MacKey, parentId: string, identity: Identity): string {
  const parts = [parentId, identity.kind, ...partsOf(identity)].map((part) => Buffer.from(part))
  return Buffer.from(macRecord(key, "countersign/v1/identity", ...parts)).toString("hex")
}

function partsOf(identity: Identity): (string | Uint8Array)[] {
  switch (identity.kind) {
    case "public-key":
      return [identity.publicKeyHex]
    case "passkey":
      return [identity.credentialId]
    case "oidc":
      return [identity.issuer, identity.audience, identity.subject]
    default:
      return identity satisfies never
  }
}

/**
 * The number of sub-organizations that hold an identity, and the one when there is only one. A list of them could grow
 * without bound: a company may put one key into a million sub-organizations. A tally keeps a count and the exclusive or
 * of the ids instead. With a count of one that is the id, and any id that entered can leave again.
 *
 *     unproven count(8, BE) || unproven ids(16) || proven count(8, BE) || proven ids(16)
 */
export type IdentityTally = { unproven: Group; proven: Group }

type Group = { count: bigint; ids: Uint8Array }

/** Whether a login inside the sub-organization has proven the identity. */
export type ProofState = "unproven" | "proven"

/** The sub-organization that a login by the identity is for. */
export type Found = { organizationId: string; proofState: ProofState }

const GROUP_BYTES = 24

/** @throws Error on bytes that are not a tally: the ledger authenticated them, so the signer wrote them wrong */
export function readTally(bytes: Uint8Array | undefined): IdentityTally {
  if (bytes === undefined) return { unproven: EMPTY, proven: EMPTY }
  if (bytes.length !== 2 * GROUP_BYTES) throw new Error("a tally has 48 bytes")
  return {
    unproven: readGroup(bytes.subarray(0, GROUP_BYTES)),
    proven: readGroup(bytes.subarray(GROUP_BYTES)),
  }
}

/** Undefined when no sub-organization holds the identity. */
export function writeTally({ unproven, proven }: IdentityTally): Uint8Array | undefined {
  if (unproven.count === 0n && proven.count === 0n) return undefined
  return Buffer.concat([writeGroup(unproven), writeGroup(proven)])
}

export function enter(tally: IdentityTally, organizationId: string, proofState: ProofState): IdentityTally {
  return { ...tally, [proofState]: changeGroup(tally[proofState], organizationId, 1n) }
}

/** Reverses enter with the same proof state. */
export function leave(tally: IdentityTally, organizationId: string, proofState: ProofState): IdentityTally {
  return { ...tally, [proofState]: changeGroup(tally[proofState], organizationId, -1n) }
}

/** The sub-organization that has proven the identity, else its only holder; "several": the caller must name it. */
export function uniqueOwner({ unproven, proven }: IdentityTally): Found | "none" | "several" {
  if (proven.count === 1n) return { organizationId: uuidText(proven.ids), proofState: "proven" }
  if (proven.count > 1n || unproven.count > 1n) return "several"
  if (unproven.count === 0n) return "none"
  return { organizationId: uuidText(unproven.ids), proofState: "unproven" }
}

const EMPTY: Group = { count: 0n, ids: new Uint8Array(16) }

function changeGroup({ count, ids }: Group, organizationId: string, by: 1n | -1n): Group {
  const id = Buffer.from(organizationId.replaceAll("-", ""), "hex")
  if (id.length !== 16) throw new Error("an organization id is a UUID")
  if (count + by < 0n) throw new Error("an identity leaves a tally only after it entered")
  return { count: count + by, ids: ids.map((byte, index) => byte ^ id[index]!) }
}

function readGroup(bytes: Uint8Array): Group {
  const count = Buffer.from(bytes.buffer, bytes.byteOffset, 8).readBigUInt64BE()
  return { count, ids: bytes.slice(8) }
}

function writeGroup({ count, ids }: Group): Uint8Array {
  const bytes = Buffer.alloc(GROUP_BYTES)
  bytes.writeBigUInt64BE(count)
  bytes.set(ids, 8)
  return bytes
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

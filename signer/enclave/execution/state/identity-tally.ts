import { requireInvariant } from "../../../core/invariant.ts"
import { NIL_UUID } from "../../../core/uuid.ts"

/**
 * The sub-organizations of a parent that hold one identity. A list of them could grow without bound: a company may put
 * one key into a million sub-organizations. A login needs two of them, which a tally keeps: the first that was created
 * with the identity, and the only one that has proven it.
 *
 *     since(16) || created(8, BE) || first(16) || expires(8, BE) || added(8, BE) || proven(8, BE) || proven ids(16)
 *
 * - `since`: id of the first credential that entered the empty tally. Ids are UUIDs of version 7, in the order of their
 *   creation; zero: unknown.
 * - `created`: number of sub-organizations that were created with the identity. `first`: the sub-organization created while
 *   the count was 0; zero after its deletion. It is set again only when the tally is empty. `expires`: Unix time in
 *   milliseconds from which its key is void; 0: never.
 * - `added`: number of sub-organizations that added the identity after their creation.
 * - `proven`: number of sub-organizations, created or added, in which a login that named them has proven the identity.
 *   With one of them, the exclusive or of the ids is the id itself, and any id that entered can leave again.
 *
 * A tally of 48 bytes was written before logins had to name the sub-organization in order to prove anything:
 *
 *     unproven(8, BE) || unproven ids(16) || proven(8, BE) || proven ids(16)
 *
 * It is read as creations at an unknown time. Its only proven sub-organization is the first, else its only unproven one.
 */
export type IdentityTally = {
  since: string
  created: bigint
  first: string
  expiresMs: bigint
  added: bigint
  proven: bigint
  provenIds: Uint8Array
}

/** A sub-organization's hold on an identity. */
export type Hold = { origin: "created" | "added"; isProven: boolean }

/**
 * A sub-organization that enters a tally. `credentialId`: id of its credential. `expiresMs`: 0 for never. `isMigrated`:
 * an earlier version counted it in a tally of another kind.
 */
export type Entrant = { organizationId: string; credentialId: string; expiresMs: bigint; isMigrated: boolean }

const TALLY_BYTES = 80
const LEGACY_BYTES = 48

/** @throws BrokenInvariant on bytes that are not a tally: the ledger authenticated them, so the signer wrote them wrong */
export function readTally(value: Uint8Array | undefined): IdentityTally {
  if (value === undefined) return EMPTY
  const bytes = Buffer.from(value)
  if (bytes.length === LEGACY_BYTES) return readLegacyTally(bytes)
  requireInvariant(bytes.length === TALLY_BYTES, "a tally has 80 bytes, or 48")
  return {
    since: readId(bytes, 0),
    created: bytes.readBigUInt64BE(16),
    first: readId(bytes, 24),
    expiresMs: bytes.readBigUInt64BE(40),
    added: bytes.readBigUInt64BE(48),
    proven: bytes.readBigUInt64BE(56),
    provenIds: bytes.subarray(64),
  }
}

function readLegacyTally(bytes: Buffer): IdentityTally {
  const [unproven, proven] = [bytes.readBigUInt64BE(0), bytes.readBigUInt64BE(24)]
  const only =
    proven === 1n ? readId(bytes, 32) : proven === 0n && unproven === 1n ? readId(bytes, 8) : NIL_UUID
  return { ...EMPTY, created: unproven + proven, first: only }
}

/** Undefined when no sub-organization holds the identity. */
export function writeTally(tally: IdentityTally): Uint8Array | undefined {
  if (isEmpty(tally)) return undefined
  const bytes = Buffer.alloc(TALLY_BYTES)
  bytes.set(idBytes(tally.since), 0)
  bytes.writeBigUInt64BE(tally.created, 16)
  bytes.set(idBytes(tally.first), 24)
  bytes.writeBigUInt64BE(tally.expiresMs, 40)
  bytes.writeBigUInt64BE(tally.added, 48)
  bytes.writeBigUInt64BE(tally.proven, 56)
  bytes.set(tally.provenIds, 64)
  return bytes
}

export function isEmpty({ created, added, proven }: IdentityTally): boolean {
  return created === 0n && added === 0n && proven === 0n
}

/** The tally with one more sub-organization. A migrated one that is older than the first takes its place. */
export function enter(tally: IdentityTally, entrant: Entrant, hold: Hold): IdentityTally {
  const { organizationId, credentialId, expiresMs, isMigrated } = entrant
  const since = isEmpty(tally) ? credentialId : tally.since
  const entered = { ...tally, since, [hold.origin]: tally[hold.origin] + 1n }
  const isFirst =
    tally.created === 0n || (isMigrated && tally.first !== NIL_UUID && organizationId < tally.first)
  if (hold.origin === "created" && isFirst) Object.assign(entered, { first: organizationId, expiresMs })
  return hold.isProven ? prove(entered, organizationId) : entered
}

/** Reverses enter, and prove if the hold is proven. */
export function leave(tally: IdentityTally, organizationId: string, hold: Hold): IdentityTally {
  const hasEntered = tally[hold.origin] > 0n && (!hold.isProven || tally.proven > 0n)
  requireInvariant(hasEntered, "an identity leaves a tally only after it entered")
  const left = { ...tally, [hold.origin]: tally[hold.origin] - 1n }
  if (hold.origin === "created" && (tally.first === organizationId || left.created === 0n))
    Object.assign(left, { first: NIL_UUID, expiresMs: 0n })
  return hold.isProven ? changeProven(left, organizationId, -1n) : left
}

/** The tally after a login that named the sub-organization. */
export function prove(tally: IdentityTally, organizationId: string): IdentityTally {
  return changeProven(tally, organizationId, 1n)
}

/** The only sub-organization that has proven the identity; undefined: none, or more than one. */
export function onlyProven({ proven, provenIds }: IdentityTally): string | undefined {
  return proven === 1n ? readId(provenIds, 0) : undefined
}

/** The first sub-organization, while its key has not expired. */
export function firstCreated({ first, expiresMs }: IdentityTally, nowMs: number): string | undefined {
  const isVoid = expiresMs !== 0n && expiresMs <= BigInt(nowMs)
  return first === NIL_UUID || isVoid ? undefined : first
}

const EMPTY: IdentityTally = {
  since: NIL_UUID,
  created: 0n,
  first: NIL_UUID,
  expiresMs: 0n,
  added: 0n,
  proven: 0n,
  provenIds: new Uint8Array(16),
}

function changeProven(tally: IdentityTally, organizationId: string, by: 1n | -1n): IdentityTally {
  const id = idBytes(organizationId)
  const provenIds = tally.provenIds.map((byte, index) => byte ^ id[index]!)
  return { ...tally, proven: tally.proven + by, provenIds }
}

function idBytes(id: string): Buffer {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex")
  if (bytes.length !== 16) throw new Error("an id is a UUID")
  return bytes
}

function readId(bytes: Uint8Array, at: number): string {
  const hex = Buffer.from(bytes.subarray(at, at + 16)).toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

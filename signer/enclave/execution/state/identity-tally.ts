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

/** @throws Error on bytes that are no tally: the ledger authenticated them, so the signer wrote them wrong */
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
  return { ...tally, [proofState]: change(tally[proofState], organizationId, 1n) }
}

/** Reverses enter with the same proof state. */
export function leave(tally: IdentityTally, organizationId: string, proofState: ProofState): IdentityTally {
  return { ...tally, [proofState]: change(tally[proofState], organizationId, -1n) }
}

/**
 * The sub-organization that has proven the identity, else the only one that holds it. "several": the caller must name
 * the sub-organization.
 */
export function uniqueOwner({ unproven, proven }: IdentityTally): Found | "none" | "several" {
  if (proven.count === 1n) return { organizationId: uuidText(proven.ids), proofState: "proven" }
  if (proven.count > 1n || unproven.count > 1n) return "several"
  if (unproven.count === 0n) return "none"
  return { organizationId: uuidText(unproven.ids), proofState: "unproven" }
}

const EMPTY: Group = { count: 0n, ids: new Uint8Array(16) }

function change({ count, ids }: Group, organizationId: string, by: 1n | -1n): Group {
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

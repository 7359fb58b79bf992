/**
 * How many sub-organizations hold an identity, and which one where it is only one. Whole lists would grow without
 * bound: a company may put one key of its own into a million sub-organizations. So a tally keeps a count and the
 * exclusive or of the ids, which is the id where the count is one, and whatever entered can leave again.
 *
 *     unproven count(8, BE) || unproven ids(16) || proven count(8, BE) || proven ids(16)
 */
export type IdentityTally = { unproven: Group; proven: Group }

type Group = { count: bigint; ids: Uint8Array }

/** Whether somebody who holds the identity has shown so inside the sub-organization. */
export type ProofState = "unproven" | "proven"

/** Sub-organization that a login by the identity is for. */
export type Found = { organizationId: string; proofState: ProofState }

const GROUP_BYTES = 24

/** @throws Error on bytes that are no tally: the ledger authenticated them, so this is a fault of ours */
export function readTally(bytes: Uint8Array | undefined): IdentityTally {
  if (bytes === undefined) return { unproven: EMPTY, proven: EMPTY }
  if (bytes.length !== 2 * GROUP_BYTES) throw new Error("a tally has 48 bytes")
  return {
    unproven: readGroup(bytes.subarray(0, GROUP_BYTES)),
    proven: readGroup(bytes.subarray(GROUP_BYTES)),
  }
}

/** Undefined: nobody holds the identity, there is nothing to keep. */
export function writeTally({ unproven, proven }: IdentityTally): Uint8Array | undefined {
  if (unproven.count === 0n && proven.count === 0n) return undefined
  return Buffer.concat([writeGroup(unproven), writeGroup(proven)])
}

export function enter(tally: IdentityTally, organizationId: string, proofState: ProofState): IdentityTally {
  return { ...tally, [proofState]: change(tally[proofState], organizationId, 1n) }
}

/** Of what entered with the same proofState. */
export function leave(tally: IdentityTally, organizationId: string, proofState: ProofState): IdentityTally {
  return { ...tally, [proofState]: change(tally[proofState], organizationId, -1n) }
}

/**
 * The one who has proven it, else the only one who claims it. "several": nobody can say which is meant, whoever
 * asks must name the sub-organization itself.
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
  if (count + by < 0n) throw new Error("nobody leaves a tally that he did not enter")
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

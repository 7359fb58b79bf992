import { sha256 } from "./merkle.ts"

/**
 * A leaf of the log: version(1) || kind(1) || time(8, BE, Unix seconds) || sequence(8, BE) || value(32). All leaves have one length, so
 * that none tells what it is about by its size.
 */
export type LogLeaf = {
  readonly kind: LeafKind
  /** Unix time. Whole seconds: the time of a checkpoint tells no less. */
  readonly timeSeconds: number
  /** Sequence of the ledger's latest transaction. */
  readonly sequence: bigint
  /** 32 bytes, by kind. */
  readonly value: Uint8Array
}

/** Kinds of leaves. Their numbers are stored and signed. */
const LEAF_KINDS = {
  /** The signer started. Value: 32 random bytes. Without `stop` before it, leaves of the end of the last run may be lost. */
  start: 1,
  /** The signer stopped in good order. Value: 32 zero bytes. */
  stop: 2,
  /** A transaction of the ledger. Value: digest of the ledger's state after it. */
  transaction: 3,
  /** A decision of an activity. Value: its commitment. */
  decision: 4,
  /** An act of the operator. Value: its commitment; of an act that holders approved, and of their list, see holder-leaves.ts. */
  operator: 5,
  /** Binds the audit stream. Value: digest of its latest record. */
  audit: 6,
} as const

export type LeafKind = keyof typeof LEAF_KINDS

export const LEAF_BYTES = 50
export const VALUE_BYTES = 32
export const SALT_BYTES = 32

const VERSION = 1
const KINDS = new Map<number, LeafKind>(
  Object.entries(LEAF_KINDS).map(([kind, number]) => [number, kind as LeafKind]),
)

/** Writes a leaf at a place of a buffer. */
export function writeLeaf({ kind, timeSeconds, sequence, value }: LogLeaf, bytes: Buffer, at = 0): void {
  bytes[at] = VERSION
  bytes[at + 1] = LEAF_KINDS[kind]
  bytes.writeUInt32BE(Math.floor(timeSeconds / 2 ** 32), at + 2)
  bytes.writeUInt32BE(timeSeconds % 2 ** 32, at + 6)
  bytes.writeBigUInt64BE(sequence, at + 10)
  bytes.set(value, at + 18)
}

/** The leaf of these bytes; undefined: they are none of this version. */
export function readLeaf(bytes: Uint8Array): LogLeaf | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kind = KINDS.get(buffer[1] ?? 0)
  if (buffer.length !== LEAF_BYTES || buffer[0] !== VERSION || kind === undefined) return undefined
  const timeSeconds = countAt(buffer, 2)
  if (timeSeconds === undefined) return undefined
  const value = Uint8Array.from(buffer.subarray(18))
  return { kind, timeSeconds, sequence: buffer.readBigUInt64BE(10), value }
}

/** A decision as its receipt states it. Ids are UUIDs. */
export type DecisionStatement = {
  readonly organizationId: string
  readonly activityId: string
  /** SHA-256 of the activity's body, 64 hexadecimal digits. */
  readonly fingerprint: string
  /** Number of ActivityStatus. */
  readonly status: number
  /** Number of the decision among those of its organization since the signer's start, from 1. */
  readonly counter: number
  /** Index of the leaf of that start. */
  readonly startIndex: number
  readonly decidedAtMs: number
}

const ID_BYTES = 36
const STATEMENT_BYTES = 2 * ID_BYTES + 32 + 1 + 3 * 8

/**
 * A statement's bytes: organization id(36) || activity id(36) || fingerprint(32) || status(1) || counter(8, BE) || start index(8, BE) ||
 * time(8, BE, Unix milliseconds).
 */
export function writeDecision(decision: DecisionStatement): Uint8Array {
  const bytes = Buffer.allocUnsafe(STATEMENT_BYTES)
  const { organizationId, activityId, fingerprint } = decision
  const written =
    bytes.write(organizationId, 0, "latin1") +
    bytes.write(activityId, ID_BYTES, "latin1") +
    bytes.write(fingerprint, 2 * ID_BYTES, "hex")
  if (written !== 2 * ID_BYTES + 32) throw new RangeError("ids have 36 characters, a fingerprint 32 bytes")
  let at = bytes.writeUInt8(decision.status, written)
  for (const count of [decision.counter, decision.startIndex, decision.decidedAtMs]) {
    at = bytes.writeUInt32BE(Math.floor(count / 2 ** 32), at)
    at = bytes.writeUInt32BE(count % 2 ** 32, at)
  }
  return bytes
}

/** The decision of a statement's bytes; undefined: they are none. */
export function readDecision(statement: Uint8Array): DecisionStatement | undefined {
  if (statement.length !== STATEMENT_BYTES) return undefined
  const bytes = Buffer.from(statement.buffer, statement.byteOffset, statement.byteLength)
  const fixed = 2 * ID_BYTES + 32
  const [counter, startIndex, decidedAtMs] = [0, 1, 2].map((at) => countAt(bytes, fixed + 1 + 8 * at))
  if (counter === undefined || startIndex === undefined || decidedAtMs === undefined) return undefined
  return {
    organizationId: bytes.toString("latin1", 0, ID_BYTES),
    activityId: bytes.toString("latin1", ID_BYTES, 2 * ID_BYTES),
    fingerprint: bytes.toString("hex", 2 * ID_BYTES, fixed),
    status: bytes.readUInt8(fixed),
    counter,
    startIndex,
    decidedAtMs,
  }
}

/** An integer of eight bytes, big-endian; undefined above 2^53 - 1, where JavaScript rounds and which no writer makes. */
function countAt(bytes: Buffer, at: number): number | undefined {
  const count = bytes.readBigUInt64BE(at)
  return count <= Number.MAX_SAFE_INTEGER ? Number(count) : undefined
}

/** The value of a leaf that hides a statement: SHA-256("countersign/v1/log-decision" || 0x00 || salt(32) || statement). */
export function commitmentOf(salt: Uint8Array, statement: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(TAG.length + SALT_BYTES + statement.length)
  bytes.set(TAG)
  bytes.set(salt, TAG.length)
  bytes.set(statement, TAG.length + SALT_BYTES)
  return sha256(bytes)
}

const TAG = Buffer.from("countersign/v1/log-decision\0")

/** Origin of a deployment's log. `era`: "" until an operator gave up a head that was signed; then the time of that act. */
export function logOrigin(deploymentId: string, lane: number, era: string): string {
  return `countersign/${deploymentId}/${lane}${era === "" ? "" : `/${era}`}`
}

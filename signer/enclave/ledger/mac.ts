import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto"
import type { LaneState } from "./lanes.ts"
import type { LaneTerm, LedgerRow, OrganizationHead } from "./ledger.ts"
import { uint64 } from "./uint64.ts"

/**
 * Both halves of the HMAC over a stored item. For a message m = field || field || ... with
 * field = length(4, big endian) || bytes, first field a tag, second the ledger's identity, third the item's term:
 *
 *   HMAC-SHA-512(ledger key, m) = mac(32) || element(32)
 *
 * `mac` is stored beside the bytes it covers. `element` is never stored: a set of rows is authenticated by the sum of
 * their elements. With known elements, 65,000 old rows would suffice to find another set with the same 256-bit sum.
 */
export type RowAuthentication = { mac: Buffer; element: bigint }

/** The content of a shard that its MAC covers. */
export type ShardContent = { head: OrganizationHead; rowCount: number; sum: bigint }

export class LedgerMac {
  readonly identity: Buffer
  readonly #key: KeyObject

  /** `key`: 32 bytes from the root seed, used for nothing else; `identity`: 32 bytes. */
  constructor(key: Uint8Array, identity: Uint8Array) {
    if (key.length !== 32 || identity.length !== 32) throw new RangeError("ledger key and identity: 32 bytes")
    this.#key = createSecretKey(key)
    this.identity = Buffer.from(identity)
  }

  /** MAC that binds the ledger's identity and format to the root seed. */
  sealIdentity(format: number): Buffer {
    return this.#prove(["ledger/identity", uint64(BigInt(format))]).mac
  }

  /** Hexadecimal digits of an overflow shard, unpredictable without the key. */
  shard(kind: string, key: string, digits: number): string {
    return this.#prove(["ledger/shard", kind, key]).mac.toString("hex").slice(0, digits)
  }

  row(term: LaneTerm, shard: string, row: LedgerRow): RowAuthentication {
    const expires = row.expiresMs === undefined ? EMPTY : uint64(BigInt(row.expiresMs))
    return this.#prove(["ledger/row", termBytes(term), shard, row.kind, row.key, expires], row.value)
  }

  /** `rowCount` and `sum`: of the shard's rows and their elements. */
  shardMac(term: LaneTerm, shard: string, { head, rowCount, sum }: ShardContent): Buffer {
    const fields = [shard, uint64(head.version), head.digest, uint64(BigInt(rowCount)), uint256(sum)]
    return this.#prove(["ledger/organization", termBytes(term), ...fields]).mac
  }

  /** Element that a shard adds to its lane's sum; computed from the shard's stored MAC alone. */
  shardElement(term: LaneTerm, shard: string, mac: Uint8Array): bigint {
    return this.#prove(["ledger/member", termBytes(term), shard, mac]).element
  }

  laneMac(state: LaneState): Buffer {
    const times = [uint64(BigInt(state.floorMs)), uint64(BigInt(state.quietUntilMs))]
    const members = [uint64(BigInt(state.shards)), uint256(state.sum)]
    return this.#prove(["ledger/lane", termBytes(state), uint64(state.sequence), ...times, ...members]).mac
  }

  /** `term`: 20 bytes as of `termBytes`; `sequence`: 8 bytes. */
  witnessMac(term: Uint8Array, sequence: Uint8Array): Buffer {
    return this.#prove(["ledger/witness", term, sequence]).mac
  }

  /** A digest of the lanes' states that can be shown: keyed, so that nothing can be guessed from it, and no MAC of the file. */
  stateDigest(lanes: readonly LaneState[]): Buffer {
    return this.#prove(["ledger/state", ...lanes.map((lane) => this.laneMac(lane))]).mac
  }

  #prove([tag = "", ...rest]: (string | Uint8Array)[], last?: Uint8Array): RowAuthentication {
    return proveFields(this.#key, [tag, this.identity, ...rest], last)
  }
}

/** `last`: a further field, which may be long. */
export function proveFields(
  key: KeyObject,
  fields: readonly (string | Uint8Array)[],
  last?: Uint8Array,
): RowAuthentication {
  const hmac = createHmac("sha512", key)
  hmac.update(encode(fields, last?.length))
  if (last !== undefined) hmac.update(last)
  const digest = hmac.digest()
  return { mac: digest.subarray(0, 32), element: BigInt(`0x${digest.toString("hex", 32, 64)}`) }
}

/** lane(4) || fence(8) || epoch(8) */
export function termBytes({ lane, fence, epoch }: LaneTerm): Buffer {
  const bytes = Buffer.allocUnsafe(20)
  bytes.writeUInt32BE(lane, 0)
  bytes.writeBigUInt64BE(BigInt(fence), 4)
  bytes.writeBigUInt64BE(BigInt(epoch), 12)
  return bytes
}

/** Sums are taken modulo 2^256. */
export const add = (sum: bigint, element: bigint): bigint => BigInt.asUintN(256, sum + element)
export const subtract = (sum: bigint, element: bigint): bigint => BigInt.asUintN(256, sum - element)

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

const EMPTY = Buffer.alloc(0)
export const uint256 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex")

/** Encodes the fields, and the length of a last field that is hashed separately because it may be long. */
function encode(fields: readonly (string | Uint8Array)[], lastLength?: number): Buffer {
  let size = lastLength === undefined ? 0 : 4
  for (const field of fields)
    size += 4 + (typeof field === "string" ? Buffer.byteLength(field) : field.length)
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for (const field of fields) {
    const length = typeof field === "string" ? bytes.write(field, at + 4) : field.length
    if (typeof field !== "string") bytes.set(field, at + 4)
    at = bytes.writeUInt32BE(length, at) + length
  }
  if (lastLength !== undefined) bytes.writeUInt32BE(lastLength, at)
  return bytes
}

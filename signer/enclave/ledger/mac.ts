import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto"
import type { LedgerRow, OrganizationHead } from "./ledger.ts"

/**
 * Both halves of the HMAC over a stored item. For a message m = field || field || ... with
 * field = length(4, big endian) || bytes, first field a tag, second the ledger's identity:
 *
 *   HMAC-SHA-512(ledger key, m) = mac(32) || element(32)
 *
 * `mac` is stored beside the bytes it covers. `element` is never stored: a set of rows is authenticated by the sum of
 * their elements. With known elements, 65,000 old rows would suffice to find another set with the same 256-bit sum.
 */
export type RowAuthentication = { mac: Buffer; element: bigint }

export type DeploymentState = {
  sequence: bigint
  floorMs: number
  quietUntilMs: number
  organizations: number
  /** Sum of the organizations' elements. */
  sum: bigint
}

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

  row(organizationId: string, row: LedgerRow): RowAuthentication {
    const expires = row.expiresMs === undefined ? EMPTY : uint64(BigInt(row.expiresMs))
    return this.#prove(["ledger/row", organizationId, row.kind, row.key, expires], row.value)
  }

  /** `sum`: of the elements of the organization's rows. */
  organizationMac(organizationId: string, head: OrganizationHead, rowCount: number, sum: bigint): Buffer {
    const fields = [organizationId, uint64(head.version), head.digest, uint64(BigInt(rowCount)), uint256(sum)]
    return this.#prove(["ledger/organization", ...fields]).mac
  }

  /** Element that an organization adds to the deployment's sum; computed from the organization's stored MAC alone. */
  organizationElement(organizationId: string, mac: Uint8Array): bigint {
    return this.#prove(["ledger/member", organizationId, mac]).element
  }

  deploymentMac(state: DeploymentState): Buffer {
    const times = [uint64(BigInt(state.floorMs)), uint64(BigInt(state.quietUntilMs))]
    const members = [uint64(BigInt(state.organizations)), uint256(state.sum)]
    return this.#prove(["ledger/deployment", uint64(state.sequence), ...times, ...members]).mac
  }

  witnessMac(sequence: bigint): Buffer {
    return this.#prove(["ledger/witness", uint64(sequence)]).mac
  }

  #prove(fields: (string | Uint8Array)[], last?: Uint8Array): RowAuthentication {
    const [tag, ...rest] = fields
    const hmac = createHmac("sha512", this.#key)
    hmac.update(encode([tag ?? "", this.identity, ...rest], last?.length))
    if (last !== undefined) hmac.update(last)
    const digest = hmac.digest()
    return { mac: digest.subarray(0, 32), element: BigInt(`0x${digest.toString("hex", 32, 64)}`) }
  }
}

/** Sums are taken modulo 2^256. */
export const add = (sum: bigint, element: bigint): bigint => BigInt.asUintN(256, sum + element)
export const subtract = (sum: bigint, element: bigint): bigint => BigInt.asUintN(256, sum - element)

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

export function uint64(value: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

const EMPTY = Buffer.alloc(0)
const uint256 = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex")

/** Encodes the fields, and the length of a last field that is hashed separately because it may be long. */
function encode(fields: (string | Uint8Array)[], lastLength?: number): Buffer {
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

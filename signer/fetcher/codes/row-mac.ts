import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"

/** Kinds of rows: codes, contacts, user identifiers, orders that were carried out, invitations and invited addresses. */
export type CodeRowKind = "code" | "contact" | "requester" | "order" | "invitation" | "invited"

/** `key`: 16 bytes. `expiresMs`: Unix time in milliseconds from which the row may be removed. */
export type CodeRow = { kind: CodeRowKind; key: Uint8Array; expiresMs: number; value: Uint8Array }

/** `sequence`: number of changes. `sum`: of the elements of all rows, modulo 2^256. */
export type StoreState = { sequence: bigint; sum: bigint }

/** `mac`: stored beside the row. `element`: never stored; a missing or older row changes the sum of all. */
export type RowProof = { mac: Uint8Array; element: bigint }

const MODULUS_BITS = 256

/** HMAC-SHA-512 over the row: mac(32) || element(32). */
export function proveRow(key: KeyObject, row: CodeRow): RowProof {
  const fields = [
    Buffer.from("codes/row"),
    Buffer.from(row.kind),
    row.key,
    uint64(BigInt(row.expiresMs)),
    row.value,
  ]
  const digest = createHmac("sha512", key)
    .update(lengthPrefixed(...fields))
    .digest()
  return { mac: digest.subarray(0, 32), element: BigInt(`0x${digest.toString("hex", 32, 64)}`) }
}

export function stateMac(key: KeyObject, { sequence, sum }: StoreState): Uint8Array {
  const fields = [Buffer.from("codes/state"), uint64(sequence), writeSum(sum)]
  return createHmac("sha512", key)
    .update(lengthPrefixed(...fields))
    .digest()
    .subarray(0, 32)
}

export const add = (sum: bigint, element: bigint): bigint => BigInt.asUintN(MODULUS_BITS, sum + element)
export const subtract = (sum: bigint, element: bigint): bigint => BigInt.asUintN(MODULUS_BITS, sum - element)

export function writeSum(sum: bigint): Uint8Array {
  return Buffer.from(sum.toString(16).padStart(64, "0"), "hex")
}

export function readSum(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex") || "0"}`)
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

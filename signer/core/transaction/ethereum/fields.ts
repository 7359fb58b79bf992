import { counted } from "../../counted.ts"
import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import type { RlpItem, RlpList } from "./rlp.ts"

// Fields of Ethereum transactions, each in its one encoding.

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn
/** Nonces stay below 2^64-1 (EIP-2681). */
export const MAX_NONCE = MAX_UINT64 - 1n
/** A chain id fits the `v` of a signature of EIP-155: floor((2^64-1)/2) - 36 (EIP-2294). */
export const MAX_CHAIN_ID = MAX_UINT64 / 2n - 36n
export const MAX_UINT256 = 2n ** 256n - 1n
const ADDRESS_BYTES = 20
const WORD_BYTES = 32
/** First byte of a blob's versioned hash: KZG (EIP-4844, VERSIONED_HASH_VERSION_KZG). */
const KZG_VERSION = 0x01

/** A list with exactly these fields. @throws Fault transaction */
function requireFields(item: RlpItem, names: readonly string[], what: string): readonly RlpItem[] {
  const { items, offset } = requireList(item, what)
  if (items.length === names.length) return items
  throw new Fault(
    "transaction",
    `${what} has ${counted(items.length, "field")} and must have ${names.length}`,
    offset,
  )
}

/** @throws Fault transaction */
export function requireList(item: RlpItem, what: string): RlpList {
  if ("items" in item) return item
  throw new Fault("transaction", `${what} must be a list`, item.offset)
}

/** @throws Fault transaction */
export function bytesOf(item: RlpItem, what: string): Uint8Array {
  if ("bytes" in item) return item.bytes
  throw new Fault("transaction", `${what} must be bytes, and is a list`, item.offset)
}

/** Big-endian without leading zeros; 0 is empty. @throws Fault transaction */
export function integerOf(item: RlpItem, what: string, max: bigint): bigint {
  const bytes = bytesOf(item, what)
  if (bytes.length > WORD_BYTES) throw new Fault("transaction", `${what} has more than 256 bits`, item.offset)
  if (bytes.length === 0) return 0n
  if (elementAt(bytes, 0) === 0)
    throw new Fault("transaction", `${what} begins with a zero byte`, item.offset)
  const value = BigInt(hexOf(bytes))
  if (value > max) throw new Fault("transaction", `${what} must be at most ${max}`, item.offset)
  return value
}

/** An address in lower-case hexadecimal with 0x. @throws Fault transaction */
export function addressOf(item: RlpItem, what: string): string {
  const bytes = bytesOf(item, what)
  if (bytes.length === ADDRESS_BYTES) return hexOf(bytes)
  throw new Fault(
    "transaction",
    `${what} has ${counted(bytes.length, "byte")} and must have ${ADDRESS_BYTES}`,
    item.offset,
  )
}

/** 32 bytes in lower-case hexadecimal with 0x. @throws Fault transaction */
function wordOf(item: RlpItem, what: string): string {
  const bytes = bytesOf(item, what)
  if (bytes.length === WORD_BYTES) return hexOf(bytes)
  throw new Fault(
    "transaction",
    `${what} has ${counted(bytes.length, "byte")} and must have ${WORD_BYTES}`,
    item.offset,
  )
}

export type AccessListEntry = { readonly address: string; readonly storageKeys: readonly string[] }

/** Accounts and storage keys that the transaction will use (EIP-2930). @throws Fault transaction */
export function accessListOf(item: RlpItem): AccessListEntry[] {
  return requireList(item, "accessList").items.map((entry, index) => {
    const what = `accessList[${index}]`
    const [address, keys] = requireFields(entry, ["address", "storageKeys"], what) as [RlpItem, RlpItem]
    const storageKeys = requireList(keys, `${what}.storageKeys`).items
    return {
      address: addressOf(address, `${what}.address`),
      storageKeys: storageKeys.map((key, at) => wordOf(key, `${what}.storageKeys[${at}]`)),
    }
  })
}

export type SignedAuthorization = {
  readonly chainId: bigint
  readonly address: string
  readonly nonce: bigint
  readonly yParity: bigint
  readonly r: bigint
  readonly s: bigint
}

const AUTHORIZATION = ["chainId", "address", "nonce", "yParity", "r", "s"]

/** Delegations that others or the signer signed before (EIP-7702), at least one. @throws Fault transaction */
export function authorizationListOf(item: RlpItem): SignedAuthorization[] {
  const { items, offset } = requireList(item, "authorizationList")
  if (items.length === 0) throw new Fault("transaction", "authorizationList must not be empty", offset)
  return items.map((entry, index) => {
    const what = `authorizationList[${index}]`
    const fields = requireFields(entry, AUTHORIZATION, what)
    const integer = (at: number, max: bigint) =>
      integerOf(elementAt(fields, at), `${what}.${elementAt(AUTHORIZATION, at)}`, max)
    return {
      chainId: integer(0, MAX_CHAIN_ID),
      address: addressOf(elementAt(fields, 1), `${what}.address`),
      nonce: integer(2, MAX_NONCE),
      yParity: integer(3, 1n),
      r: integer(4, MAX_UINT256),
      s: integer(5, MAX_UINT256),
    }
  })
}

/** Versioned hashes of the blobs (EIP-4844), at least one. @throws Fault transaction */
export function blobHashesOf(item: RlpItem): string[] {
  const { items, offset } = requireList(item, "blobVersionedHashes")
  if (items.length === 0) throw new Fault("transaction", "blobVersionedHashes must not be empty", offset)
  return items.map((hash, index) => {
    const what = `blobVersionedHashes[${index}]`
    const text = wordOf(hash, what)
    if (elementAt(bytesOf(hash, what), 0) === KZG_VERSION) return text
    throw new Fault("transaction", `${what} must begin with 01`, hash.offset)
  })
}

/** Lower-case hexadecimal with 0x. */
export function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`
}

import { Fault } from "../../fault.ts"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { elementAt } from "../../crypto/element.ts"
import type { Steps } from "../../turns/steps.ts"
import {
  type AccessListEntry,
  accessListOf,
  addressOf,
  authorizationListOf,
  blobHashesOf,
  bytesOf,
  hexOf,
  integerOf,
  MAX_CHAIN_ID,
  MAX_NONCE,
  MAX_UINT256,
  requireList,
  type SignedAuthorization,
} from "./fields.ts"
import { readRlp, rlpInteger, rlpList, type RlpItem } from "./rlp.ts"

/** Types of EIP-2718 by their decimal numbers; TYPE_123 is Celo's, with a fee currency (CIP-64). */
export type EthereumTransactionType = "LEGACY" | "TYPE_1" | "TYPE_2" | "TYPE_3" | "TYPE_4" | "TYPE_123"

/** An Ethereum transaction without its signature. Amounts in wei; hexadecimal is in lower case with 0x. */
export type EthereumTransaction = {
  readonly type: EthereumTransactionType
  /** 0: a legacy transaction from before EIP-155, valid on every chain. */
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gas: bigint
  /** `maxFeePerGas` where a type has that instead. */
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerBlobGas: bigint
  /** Empty where the transaction creates a contract. */
  readonly to: string
  readonly value: bigint
  readonly data: string
  readonly accessList: readonly AccessListEntry[]
  readonly blobVersionedHashes: readonly string[]
  readonly authorizationList: readonly SignedAuthorization[]
  /** The token in which the fees are stated and paid (CIP-64); empty where that is the chain's own currency. */
  readonly feeCurrency: string
}

type Field = keyof typeof readers

/** The fields that a transaction may have, by the names of the EIPs. */
const readers = {
  chainId: (item: RlpItem) => ({ chainId: chainIdOf(item) }),
  nonce: (item: RlpItem) => ({ nonce: integerOf(item, "nonce", MAX_NONCE) }),
  gasPrice: (item: RlpItem) => ({ gasPrice: integerOf(item, "gasPrice", MAX_UINT256) }),
  maxPriorityFeePerGas: (item: RlpItem) => ({
    maxPriorityFeePerGas: integerOf(item, "maxPriorityFeePerGas", MAX_UINT256),
  }),
  maxFeePerGas: (item: RlpItem) => ({ maxFeePerGas: integerOf(item, "maxFeePerGas", MAX_UINT256) }),
  gas: (item: RlpItem) => ({ gas: integerOf(item, "gas", MAX_NONCE) }),
  to: (item: RlpItem) => ({ to: bytesOf(item, "to").length === 0 ? "" : addressOf(item, "to") }),
  value: (item: RlpItem) => ({ value: integerOf(item, "value", MAX_UINT256) }),
  data: (item: RlpItem) => ({ data: hexOf(bytesOf(item, "data")) }),
  accessList: (item: RlpItem) => ({ accessList: accessListOf(item) }),
  maxFeePerBlobGas: (item: RlpItem) => ({
    maxFeePerBlobGas: integerOf(item, "maxFeePerBlobGas", MAX_UINT256),
  }),
  blobVersionedHashes: (item: RlpItem) => ({ blobVersionedHashes: blobHashesOf(item) }),
  authorizationList: (item: RlpItem) => ({ authorizationList: authorizationListOf(item) }),
  feeCurrency: (item: RlpItem) => ({ feeCurrency: addressOf(item, "feeCurrency") }),
} as const

const LEGACY = ["nonce", "gasPrice", "gas", "to", "value", "data"] as const
const FEE_MARKET = [
  ...(["chainId", "nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "data"] as const),
  "accessList",
] as const

/** Fields of the typed transactions, in the order of EIP-2930, EIP-1559, EIP-4844, EIP-7702 and Celo's CIP-64. */
const TYPED: ReadonlyMap<number, { type: EthereumTransactionType; fields: readonly Field[] }> = new Map([
  [1, { type: "TYPE_1", fields: ["chainId", ...LEGACY, "accessList"] }],
  [2, { type: "TYPE_2", fields: FEE_MARKET }],
  [3, { type: "TYPE_3", fields: [...FEE_MARKET, "maxFeePerBlobGas", "blobVersionedHashes"] }],
  [4, { type: "TYPE_4", fields: [...FEE_MARKET, "authorizationList"] }],
  [0x7b, { type: "TYPE_123", fields: [...FEE_MARKET, "feeCurrency"] }],
])

/** Types of Celo that are not signed, by their first byte. */
const OTHERS_OF_CELO: ReadonlyMap<number, string> = new Map([
  [0x7a, "CIP-66, which states its fees in CELO and pays them in another currency"],
  [0x7c, "CIP-42, which Celo's nodes take no longer"],
])
/** A legacy transaction of Celo has three more fields: feeCurrency, gatewayFeeRecipient and gatewayFee. */
const LEGACY_OF_CELO = 12
const USE_CIP64 = "use CIP-64 (type 7b) to pay fees in a token"

const NONE = {
  chainId: 0n,
  nonce: 0n,
  gas: 0n,
  gasPrice: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  maxFeePerBlobGas: 0n,
  to: "",
  value: 0n,
  data: "0x",
  accessList: [],
  blobVersionedHashes: [],
  authorizationList: [],
  feeCurrency: "",
}

/**
 * Reads an unsigned transaction: RLP of a legacy one (with the chain id of EIP-155, or without), or the type byte of
 * EIP-2718 before the RLP of its fields. Only the canonical encoding of a transaction that a node would take is
 * accepted: then the signed bytes are the fields that policies see.
 * @throws Fault transaction
 */
export function readEthereumTransaction(bytes: Uint8Array): EthereumTransaction {
  const first = bytes[0]
  if (first === undefined) throw new Fault("transaction", "the transaction is empty", 0)
  const transaction = first >= 0xc0 ? readLegacy(readRlp(bytes, 0)) : readTyped(first, bytes)
  requirePlausible(transaction)
  return transaction
}

/** Keccak-256 of the bytes as they are, type byte included (EIP-155, EIP-2718). */
export function ethereumSigningHash(unsigned: Uint8Array): Uint8Array {
  return keccak_256(unsigned)
}

/** Bytes that are hashed in one step: about half a millisecond. */
const STEP_BYTES = 16 * 1024

/** As ethereumSigningHash, in steps. */
export function* signingHashInSteps(unsigned: Uint8Array): Steps<Uint8Array> {
  const keccak = keccak_256.create()
  for (let offset = 0; offset < unsigned.length; offset += STEP_BYTES) {
    keccak.update(unsigned.subarray(offset, offset + STEP_BYTES))
    yield
  }
  return keccak.digest()
}

/** Hash by which a signed transaction is known: Keccak-256 of its bytes, 0x and lower-case hexadecimal. */
export function ethereumTransactionHash(signed: Uint8Array): string {
  return hexOf(keccak_256(signed))
}

export type EthereumSignature = { readonly r: bigint; readonly s: bigint; readonly parity: 0 | 1 }

/** The signed transaction of an unsigned one that `readEthereumTransaction` accepts. */
export function withSignature(unsigned: Uint8Array, { r, s, parity }: EthereumSignature): Uint8Array {
  const { type, chainId } = readEthereumTransaction(unsigned)
  const isLegacy = type === "LEGACY"
  const v = BigInt(parity) + (isLegacy ? (chainId === 0n ? 27n : 35n + 2n * chainId) : 0n)
  const fields = encodedFields(unsigned, isLegacy ? 0 : 1, isLegacy ? LEGACY.length : undefined)
  const list = rlpList(...fields, rlpInteger(v), rlpInteger(r), rlpInteger(s))
  return isLegacy ? list : Buffer.concat([unsigned.subarray(0, 1), list])
}

/** The encoded items of the list at an offset, the first `count` of them. */
function encodedFields(bytes: Uint8Array, offset: number, count?: number): Uint8Array[] {
  const { items } = requireList(readRlp(bytes, offset), "the transaction")
  return items.slice(0, count).map((item, index) => {
    const next = items[index + 1]
    return bytes.subarray(item.offset, next?.offset)
  })
}

function readLegacy(item: RlpItem): EthereumTransaction {
  const { items, offset } = requireList(item, "the transaction")
  const isProtected = items.length === LEGACY.length + 3
  if (items.length === LEGACY_OF_CELO)
    throw new Fault(
      "transaction",
      `this is a legacy transaction of Celo, which its nodes take no longer; ${USE_CIP64}`,
      offset,
    )
  if (!isProtected && items.length !== LEGACY.length)
    throw new Fault("transaction", `a legacy transaction has 6 or 9 fields, this one ${items.length}`, offset)
  const fields = readFields(items.slice(0, LEGACY.length), LEGACY)
  if (!isProtected) return { ...NONE, ...fields, type: "LEGACY" }
  const [v, r, s] = items.slice(LEGACY.length) as [RlpItem, RlpItem, RlpItem]
  for (const [part, name] of [
    [r, "r"],
    [s, "s"],
  ] as const) {
    if (bytesOf(part, name).length > 0)
      throw new Fault("transaction", "the transaction is signed already", part.offset)
  }
  return { ...NONE, ...fields, chainId: chainIdOf(v), type: "LEGACY" }
}

function readTyped(first: number, bytes: Uint8Array): EthereumTransaction {
  const shape = TYPED.get(first)
  if (shape === undefined) {
    const celo = OTHERS_OF_CELO.get(first)
    if (celo !== undefined)
      throw new Fault("transaction", `this is a transaction of Celo by ${celo}; ${USE_CIP64}`, 0)
    throw new Fault(
      "transaction",
      `no transaction type begins with ${first.toString(16).padStart(2, "0")}`,
      0,
    )
  }
  const { type, fields } = shape
  const { items, offset } = requireList(readRlp(bytes, 1), "the transaction")
  if (items.length === fields.length + 3)
    throw new Fault("transaction", "the transaction is signed already", offset)
  if (items.length !== fields.length) {
    const sentence = `a transaction of type ${first} has ${fields.length} fields, this one ${items.length}`
    throw new Fault("transaction", sentence, offset)
  }
  return { ...NONE, ...readFields(items, fields), type }
}

function readFields(items: readonly RlpItem[], names: readonly Field[]): Partial<EthereumTransaction> {
  const read: Partial<EthereumTransaction> = Object.assign(
    {},
    ...names.map((name, index) => readers[name](elementAt(items, index))),
  )
  // Published policies read gas_price of every type.
  return read.maxFeePerGas === undefined ? read : { ...read, gasPrice: read.maxFeePerGas }
}

function chainIdOf(item: RlpItem): bigint {
  const chainId = integerOf(item, "chainId", MAX_CHAIN_ID)
  if (chainId > 0n) return chainId
  throw new Fault("transaction", "chainId must be at least 1", item.offset)
}

/** Refuses transactions that no node accepts: such a signature has no use. */
function requirePlausible({ type, to, maxFeePerGas, maxPriorityFeePerGas }: EthereumTransaction): void {
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new Fault("transaction", "maxPriorityFeePerGas is above maxFeePerGas", 0)
  // EIP-4844 and EIP-7702: neither creates contracts.
  if (to === "" && (type === "TYPE_3" || type === "TYPE_4"))
    throw new Fault("transaction", `a transaction of ${type} must have a recipient`, 0)
}

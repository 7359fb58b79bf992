import { Fault } from "../../fault.ts"
import { hash } from "node:crypto"
import { signerRefusal } from "../refusal.ts"
import { CONTRACT_TYPES, CONTRACTS, type ContractType } from "./contracts.ts"
import * as field from "./fields.ts"
import { type TronMessage, readMessage, type TronShape } from "./wire.ts"

/** A contract with the fields of its type, by their names. Addresses are Base58Check, amounts in sun. */
export type TronContract = {
  readonly [Type in ContractType]: {
    readonly type: Type
    /** Permission of the owner's account by which the signature counts; 0: the owner's own. */
    readonly permissionId: bigint
  } & { readonly fields: TronMessage<(typeof CONTRACTS)[Type]> }
}[ContractType]

/** A Tron transaction without its signature. Times in milliseconds since the Unix epoch; bytes in hexadecimal. */
export type TronTransaction = {
  readonly refBlockBytes: string
  readonly refBlockHash: string
  readonly expiration: bigint
  /** The memo. */
  readonly data: string
  readonly contract: TronContract
  readonly timestamp: bigint
  /** Sun that a call may burn. */
  readonly feeLimit: bigint
}

const PARAMETER = { type_url: field.text(1), value: field.span(2) } satisfies TronShape

const CONTRACT = {
  type: field.int32(1),
  parameter: field.message(2, PARAMETER),
  Permission_id: field.int32(5),
} satisfies TronShape

/** The message `Transaction.raw` of Tron.proto, without fields that no transaction of today has. */
const RAW = {
  ref_block_bytes: field.hex(1, 2),
  ref_block_hash: field.hex(4, 8),
  expiration: field.int64(8),
  data: field.hex(10),
  contract: field.messages(11, CONTRACT, 1),
  timestamp: field.int64(14),
  fee_limit: field.int64(18),
} satisfies TronShape

const URL_PREFIX = "type.googleapis.com/protocol."
/** Largest transaction that nodes take (java-tron, TRANSACTION_MAX_BYTE_SIZE). */
const MAX_BYTES = 512_000
const SIGNATURE_BYTES = 65
/** Keys of fields 1, `raw_data`, and 2, `signature`, of the message `Transaction`. */
const [RAW_DATA, SIGNATURE] = [0x0a, 0x12] as const

/**
 * Reads the `raw_data` of a transaction, in its canonical encoding only. It must have one contract, of a type that policies
 * can see: nodes run one.
 * @throws Fault transaction
 */
export function readTronTransaction(bytes: Uint8Array): TronTransaction {
  if (bytes.length > MAX_BYTES)
    throw new Fault("transaction", `the transaction has more than ${MAX_BYTES} bytes`, MAX_BYTES)
  const raw = readMessage({ bytes, offset: 0 }, RAW, "raw_data")
  const [contract] = raw.contract
  if (contract === undefined)
    throw new Fault("transaction", "the transaction has 0 contracts and must have one", 0)
  return {
    refBlockBytes: raw.ref_block_bytes,
    refBlockHash: raw.ref_block_hash,
    expiration: raw.expiration,
    data: raw.data,
    contract: readContract(contract),
    timestamp: raw.timestamp,
    feeLimit: raw.fee_limit,
  }
}

function readContract({ type, parameter, Permission_id }: TronMessage<typeof CONTRACT>): TronContract {
  const name = CONTRACT_TYPES.get(type)
  const { type_url: url, value } = parameter
  if (name === undefined) {
    const known = [...CONTRACT_TYPES.values()].join(", ")
    const sentence = `contracts of type ${type} are not signed, only ${known}; sign the transaction's hash by sign_raw_payload`
    throw new Fault("transaction", sentence, value.offset)
  }
  if (url !== URL_PREFIX + name)
    throw new Fault("transaction", `the parameter of a ${name} is named ${JSON.stringify(url)}`, value.offset)
  const fields = readMessage(value, CONTRACTS[name], name)
  return { type: name, permissionId: Permission_id, fields } as TronContract
}

/** SHA-256 of the raw data: the transaction's id, and the digest that is signed. */
export function tronSigningHash(raw: Uint8Array): Uint8Array {
  return hash("sha256", raw, "buffer")
}

/**
 * The message `Transaction` with the signature, as nodes take it.
 *
 *     0a | length | raw data
 *     12 | 41 | r (32) || s (32) || v (1)
 */
export function withTronSignature(raw: Uint8Array, signature: Uint8Array): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError("a signature has 65 bytes")
  return Buffer.concat([
    Uint8Array.of(RAW_DATA, ...varint(raw.length)),
    raw,
    Uint8Array.of(SIGNATURE, SIGNATURE_BYTES),
    signature,
  ])
}

/** Requires that the contract's owner is the signer's address. @throws Fault transaction, TRANSACTION_SIGNER_MISSING */
export function requireTronOwner(raw: Uint8Array, signer: string): void {
  const { owner_address: owner } = readTronTransaction(raw).contract.fields
  if (owner !== signer) throw signerRefusal(signer, `owner_address is ${owner}`)
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

import { Fault } from "../fault.ts"
import { base58 } from "@scure/base"
import { type Refusal, refuse } from "../refusal.ts"
import {
  readSolanaTransaction,
  signerPlace,
  type SolanaTransaction,
  withSolanaSignature,
} from "../transaction/solana/transaction.ts"
import { readUnsigned } from "../transaction/unsigned.ts"
import { type ChainValues, isValuesMissing, type ValuesMissing } from "./fill.ts"

/** Parameters of a send, as their reader returned them: `signWith` in the first version, `signWiths` in the second. */
export type SolanaSendParameters = {
  readonly unsignedTransaction: string
  readonly signWith?: string
  readonly signWiths?: readonly string[]
  readonly sponsor?: boolean | undefined
  readonly caip2: string
  readonly recentBlockhash?: string | undefined
}

/** A send with its block hash: policies decide on it, and it alone is signed. */
export type SolanaPlan = {
  readonly caip2: string
  readonly transaction: SolanaTransaction
  /** Base58 addresses of the keys that sign, each with its member of the body. */
  readonly signers: readonly { readonly address: string; readonly field: string }[]
  /** Block height after which the filled block hash is refused; 0: the hash is not filled, or the height unknown. */
  readonly lastValidBlockHeight: bigint
  /** The transaction with all signatures, and its first one in Base58, by which it is known. */
  readonly sign: (sign: (signer: SolanaPlan["signers"][number], message: Uint8Array) => Uint8Array) => {
    readonly raw: Uint8Array
    readonly hash: string
  }
}

const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
/** 32 zero bytes: the block hash is left to the service. */
const NO_BLOCKHASH = base58.encode(new Uint8Array(KEY_BYTES))

/** A send as its stamped body says it, before it gets a block hash. */
export type SolanaSend = Pick<SolanaPlan, "transaction" | "signers"> & {
  /** The transaction as it was given, with the signatures that it has. */
  readonly given: Uint8Array
}

/** @throws SEND_ADDRESS_INVALID, SEND_INVALID, SEND_SIGNATURE_MISSING, TRANSACTION_SIGNER_MISSING, Fault transaction */
export function readSolanaSend(parameters: SolanaSendParameters): SolanaSend {
  const { sponsor } = parameters
  if (sponsor === true)
    throw invalid("transactions of Solana are not sponsored; leave sponsor out", "sponsor")
  const given = readBytes(parameters)
  const transaction = readSolanaTransaction(given)
  const signers = signersOf(parameters)
  for (const { address } of signers) signerPlace(transaction, address)
  const missing = missingSigner(given, transaction, new Set(signers.map(({ address }) => address)))
  if (missing !== undefined) {
    const sentence = `the transaction needs the signature of ${missing}: name it among the signers, or sign with it first`
    throw refuse("SEND_SIGNATURE_MISSING", sentence, { field: "parameters.unsignedTransaction" })
  }
  return { given, transaction, signers }
}

/** @throws as readSolanaSend; SEND_INVALID, SEND_BLOCKHASH_SIGNED for its block hash */
export function planSolanaSend(
  parameters: SolanaSendParameters,
  read: ChainValues | undefined,
): SolanaPlan | ValuesMissing {
  const { caip2 } = parameters
  const { given, transaction, signers } = readSolanaSend(parameters)
  const filled = blockhashOf(parameters, transaction, read)
  if (isValuesMissing(filled)) return filled
  const { hash, lastValidBlockHeight } = filled
  if (hash !== transaction.recentBlockhash && hasSignature(given, transaction)) throw signedBlockhash()
  const bytes = withBlockhash(given, transaction, hash)
  const planned = readSolanaTransaction(bytes)
  return {
    caip2,
    transaction: planned,
    signers,
    lastValidBlockHeight,
    sign(sign) {
      const raw = signers.reduce(
        (signed, signer) => withSolanaSignature(signed, signer.address, sign(signer, planned.message)),
        bytes,
      )
      return { raw, hash: base58.encode(signaturesOf(raw, planned)[0] ?? NOTHING) }
    },
  }
}

const NOTHING = new Uint8Array(0)

/** Hexadecimal as in published types; base64 as in earlier ones. A transaction has keys, so that no base64 of it is hexadecimal. */
function readBytes({ unsignedTransaction: text, signWith }: SolanaSendParameters): Uint8Array {
  const isBase64 = signWith !== undefined && !/^(?:0x)?[0-9a-fA-F]*$/.test(text)
  if (!isBase64) return readUnsigned(text)
  const bytes = Buffer.from(text, "base64")
  if (bytes.toString("base64") === text) return bytes
  throw new Fault("transaction", "the transaction is neither hexadecimal nor base64 with padding", 0)
}

function signersOf({ signWith, signWiths = [] }: SolanaSendParameters): SolanaPlan["signers"] {
  const signers =
    signWith === undefined
      ? signWiths.map((address, index) => ({ address, field: `parameters.signWiths[${index}]` }))
      : [{ address: signWith, field: "parameters.signWith" }]
  for (const [index, { address, field }] of signers.entries()) {
    if (keyBytes(address) === undefined) {
      const sentence =
        "a signer must be a Solana address (Base58 of 32 bytes) of an account or private key; ids are not taken"
      throw refuse("SEND_ADDRESS_INVALID", sentence, { field })
    }
    if (signers.findIndex((other) => other.address === address) < index)
      throw invalid(`${address} is named twice`, field.slice("parameters.".length))
  }
  return signers
}

/** The block hash of the body, or else the one that the API tier read. @throws SEND_INVALID */
function blockhashOf(
  { caip2, recentBlockhash }: SolanaSendParameters,
  transaction: SolanaTransaction,
  read: ChainValues | undefined,
): { hash: string; lastValidBlockHeight: bigint } | ValuesMissing {
  if (recentBlockhash !== undefined) {
    if (keyBytes(recentBlockhash) === undefined)
      throw invalid("recentBlockhash must be Base58 of 32 bytes", "recentBlockhash")
    return { hash: recentBlockhash, lastValidBlockHeight: 0n }
  }
  if (transaction.recentBlockhash !== NO_BLOCKHASH)
    return { hash: transaction.recentBlockhash, lastValidBlockHeight: 0n }
  const { recentBlockhash: hash = "", lastValidBlockHeight = 0n } = read?.caip2 === caip2 ? read : {}
  const isNone = keyBytes(hash) === undefined || hash === NO_BLOCKHASH
  return isNone ? { missing: ["recentBlockhash"] } : { hash, lastValidBlockHeight }
}

/** The transaction with another block hash, which follows the account keys. */
function withBlockhash(
  bytes: Uint8Array,
  { message, version, accountKeys }: SolanaTransaction,
  hash: string,
): Uint8Array {
  const changed = Uint8Array.from(bytes)
  const header = version === "LEGACY" ? 3 : 4
  const offset = bytes.length - message.length + header + 1 + accountKeys.length * KEY_BYTES
  changed.set(base58.decode(hash), offset)
  return changed
}

function signaturesOf(bytes: Uint8Array, { message, required }: SolanaTransaction): Uint8Array[] {
  const first = bytes.length - message.length - required * SIGNATURE_BYTES
  return Array.from({ length: required }, (_, index) => {
    const start = first + index * SIGNATURE_BYTES
    return bytes.subarray(start, start + SIGNATURE_BYTES)
  })
}

function hasSignature(bytes: Uint8Array, transaction: SolanaTransaction): boolean {
  return signaturesOf(bytes, transaction).some(isSigned)
}

/** A required signer whose signature is missing and is not made now. */
function missingSigner(
  bytes: Uint8Array,
  transaction: SolanaTransaction,
  own: ReadonlySet<string>,
): string | undefined {
  const signatures = signaturesOf(bytes, transaction)
  return transaction.accountKeys
    .slice(0, transaction.required)
    .find((key, place) => !own.has(key) && !isSigned(signatures[place] ?? NOTHING))
}

function isSigned(signature: Uint8Array): boolean {
  return signature.some((byte) => byte !== 0)
}

function keyBytes(text: string): Uint8Array | undefined {
  try {
    const bytes = base58.decode(text)
    return bytes.length === KEY_BYTES ? bytes : undefined
  } catch {
    return undefined
  }
}

function invalid(sentence: string, field: string): Refusal {
  return refuse("SEND_INVALID", sentence, { field: `parameters.${field}` })
}

function signedBlockhash(): Refusal {
  const sentence =
    "the transaction has signatures over another block hash: leave recentBlockhash out, or send it unsigned"
  return refuse("SEND_BLOCKHASH_SIGNED", sentence, { field: "parameters.recentBlockhash" })
}

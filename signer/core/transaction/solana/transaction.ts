import { Fault } from "../../fault.ts"
import { base58 } from "@scure/base"
import { elementAt } from "../../crypto/element.ts"
import { signerRefusal } from "../refusal.ts"
import { SolanaCursor } from "./cursor.ts"

/** Accounts that a version 0 transaction loads from a table; indexes into the table. */
export type TableLookup = {
  readonly table: string
  readonly writable: readonly number[]
  readonly readonly: readonly number[]
}

/** Indexes count the account keys, then the writable accounts of all look-ups, then their read-only ones. */
export type SolanaInstruction = {
  readonly program: number
  readonly accounts: readonly number[]
  readonly data: Uint8Array
}

/** A Solana transaction; keys and block hash are Base58. */
export type SolanaTransaction = {
  readonly version: "LEGACY" | "V0"
  /** The first keys sign, in this order; the first one pays. */
  readonly required: number
  readonly readonlySigned: number
  readonly readonlyUnsigned: number
  readonly accountKeys: readonly string[]
  readonly recentBlockhash: string
  readonly instructions: readonly SolanaInstruction[]
  readonly lookups: readonly TableLookup[]
  /** The bytes that are signed. */
  readonly message: Uint8Array
}

const SIGNATURE_BYTES = 64
const KEY_BYTES = 32
/** First byte of a versioned message: this bit, and the version. */
const VERSIONED = 0x80
/** Largest transaction that nodes take, with its signatures: one IPv6 packet (Solana's PACKET_DATA_SIZE). */
const MAX_BYTES = 1232
/** Accounts of one transaction: an index is one byte. */
const MAX_ACCOUNTS = 256

/**
 * Reads a transaction as it is sent: signatures, zero where they are missing, then the message of the legacy format or of
 * version 0. Only what nodes take is accepted.
 *
 *     length | 64 bytes each      signatures, as many as the header requires
 *     80                          version 0 only
 *     3 bytes                     required signatures, of these read-only, read-only accounts without signature
 *     length | 32 bytes each      account keys
 *     32 bytes                    recent block hash
 *     length | instructions       program index, length | account indexes, length | data
 *     length | look-ups           version 0 only: table key, length | writable indexes, length | read-only indexes
 *
 * @throws Fault transaction
 */
export function readSolanaTransaction(bytes: Uint8Array): SolanaTransaction {
  if (bytes.length > MAX_BYTES)
    throw new Fault("transaction", `the transaction has more than ${MAX_BYTES} bytes`, MAX_BYTES)
  const cursor = new SolanaCursor(bytes)
  const signatures = cursor.list(() => cursor.take(SIGNATURE_BYTES)).length
  return readMessage(bytes, cursor, signatures)
}

/**
 * Reads the message of a transaction: the bytes that are signed, without the signatures before them.
 * @throws Fault transaction
 */
export function readSolanaMessage(bytes: Uint8Array): SolanaTransaction {
  if (bytes.length > MAX_BYTES)
    throw new Fault("transaction", `the message has more than ${MAX_BYTES} bytes`, MAX_BYTES)
  return readMessage(bytes, new SolanaCursor(bytes), undefined)
}

/** @param signatures places for signatures before the message; undefined: the message stands alone */
function readMessage(
  bytes: Uint8Array,
  cursor: SolanaCursor,
  signatures: number | undefined,
): SolanaTransaction {
  const start = cursor.offset
  const first = cursor.byte()
  const isLegacy = first < VERSIONED
  if (!isLegacy && first !== VERSIONED)
    throw new Fault("transaction", `version ${first - VERSIONED} of the message is not known`, start)
  const required = isLegacy ? first : cursor.byte()
  const header = { required, readonlySigned: cursor.byte(), readonlyUnsigned: cursor.byte() }
  const accountKeys = cursor.list(() => base58.encode(cursor.take(KEY_BYTES)))
  const recentBlockhash = base58.encode(cursor.take(KEY_BYTES))
  const instructions = cursor.list(() => readInstruction(cursor))
  const lookups = isLegacy ? [] : cursor.list(() => readLookup(cursor))
  cursor.requireEnd()
  const version = isLegacy ? "LEGACY" : "V0"
  const message = bytes.subarray(start)
  const transaction = {
    version,
    ...header,
    accountKeys,
    recentBlockhash,
    instructions,
    lookups,
    message,
  } as const
  requireSound(transaction, signatures ?? required, start)
  return transaction
}

/**
 * The transaction with a signature in the signer's place; other signatures stay.
 * @throws Fault transaction, TRANSACTION_SIGNER_MISSING
 */
export function withSolanaSignature(bytes: Uint8Array, signer: string, signature: Uint8Array): Uint8Array {
  const { message, ...transaction } = readSolanaTransaction(bytes)
  const place = signerPlace(transaction, signer)
  const signed = Uint8Array.from(bytes)
  const first = bytes.length - message.length - transaction.required * SIGNATURE_BYTES
  signed.set(signature, first + place * SIGNATURE_BYTES)
  return signed
}

/** Place of a key, Base58, among the required signers. @throws TRANSACTION_SIGNER_MISSING */
export function signerPlace(
  { accountKeys, required }: Pick<SolanaTransaction, "accountKeys" | "required">,
  signer: string,
): number {
  const place = accountKeys.indexOf(signer)
  if (place >= 0 && place < required) return place
  throw signerRefusal(signer)
}

function readInstruction(cursor: SolanaCursor): SolanaInstruction {
  const program = cursor.byte()
  const accounts = cursor.list(() => cursor.byte())
  return { program, accounts, data: cursor.take(cursor.length()) }
}

function readLookup(cursor: SolanaCursor): TableLookup {
  const start = cursor.offset
  const table = base58.encode(cursor.take(KEY_BYTES))
  const [writable, readonly] = [cursor.list(() => cursor.byte()), cursor.list(() => cursor.byte())]
  if (writable.length + readonly.length > 0) return { table, writable, readonly }
  throw new Fault("transaction", "a look-up loads no account", start)
}

/** The rules by which nodes refuse a message before they run it (Solana's `sanitize`). */
function requireSound(transaction: SolanaTransaction, signatures: number, offset: number): void {
  const { required, readonlySigned, readonlyUnsigned, accountKeys, instructions, lookups } = transaction
  const fault = (sentence: string) => new Fault("transaction", sentence, offset)
  if (signatures !== required)
    throw fault(`${signatures} signatures have a place, and ${required} are required`)
  if (readonlySigned >= required) throw fault("no signer can pay: all of them are read-only")
  if (required + readonlyUnsigned > accountKeys.length)
    throw fault("the header counts more keys than there are")
  if (new Set(accountKeys).size < accountKeys.length) throw fault("an account key occurs twice")
  const loaded = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0)
  const accounts = accountKeys.length + loaded
  if (accounts > MAX_ACCOUNTS) throw fault(`the transaction has more than ${MAX_ACCOUNTS} accounts`)
  for (const [index, instruction] of instructions.entries()) {
    if (instruction.program === 0) throw fault(`instruction ${index} calls the account that pays`)
    if (instruction.program >= accountKeys.length)
      throw fault(`instruction ${index} calls a program that is no key of the transaction`)
    if (instruction.accounts.some((account) => account >= accounts))
      throw fault(`instruction ${index} names an account that does not exist`)
  }
}

/** True if an account, by its index, signs; true if it can be written. Indexes as in SolanaInstruction. */
export function accountFlags(
  transaction: SolanaTransaction,
  index: number,
): { signer: boolean; writable: boolean } {
  const { required, readonlySigned, readonlyUnsigned, accountKeys, lookups } = transaction
  const count = accountKeys.length
  if (index < required) return { signer: true, writable: index < required - readonlySigned }
  if (index < count) return { signer: false, writable: index < count - readonlyUnsigned }
  const writable = lookups.reduce((sum, lookup) => sum + lookup.writable.length, 0)
  return { signer: false, writable: index < count + writable }
}

/** The key of an account by its index; undefined if it comes from a table. */
export function accountKey({ accountKeys }: SolanaTransaction, index: number): string | undefined {
  return index < accountKeys.length ? elementAt(accountKeys, index) : undefined
}

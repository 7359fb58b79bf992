import { Fault } from "../../fault.ts"
import { sha256 } from "../../address/encoding.ts"
import type { ByteSpan } from "../span.ts"
import { PsbtCursor } from "./cursor.ts"

export type TransactionInput = {
  /** Id of the previous transaction, as it is written here, and its output's index: 36 bytes. */
  readonly outpoint: Uint8Array
  readonly outputIndex: number
  readonly sequence: number
  /** Place of the script's length among the transaction's bytes. */
  readonly scriptAt: number
}

/** `value`: satoshi. */
export type TransactionOutput = { readonly value: bigint; readonly script: Uint8Array }

/** A transaction without scripts and witnesses of its inputs. */
export type StrippedTransaction = {
  readonly bytes: Uint8Array
  readonly version: number
  readonly inputs: readonly TransactionInput[]
  readonly outputs: readonly TransactionOutput[]
  /** The outputs as they are written, without their count. */
  readonly outputBytes: Uint8Array
  readonly locktime: number
}

/** Largest standard transaction: 400,000 units of weight (policy.h, MAX_STANDARD_TX_WEIGHT), 4 for each byte here. */
const MAX_BYTES = 100_000
/** Maximum supply in satoshi (Bitcoin Core, amount.h, MAX_MONEY). */
export const MAX_MONEY = 2_100_000_000_000_000n
/** Lock times from here on are seconds since the Unix epoch, below they are block heights (script.h). */
export const LOCKTIME_THRESHOLD = 500_000_000
const HASH_BYTES = 32
const [SEGWIT_MARKER, SEGWIT_FLAG] = [0x00, 0x01] as const

/**
 * Reads a transaction that nobody has signed, in the format without witnesses.
 *
 *     version (4)
 *     count | previous transaction (32), its output (4), length | empty script, sequence (4)
 *     count | satoshi (8), length | script
 *     lock time (4)
 *
 * @throws Fault transaction
 */
export function readUnsignedTransaction(span: ByteSpan): StrippedTransaction {
  if (span.bytes.length > MAX_BYTES)
    throw new Fault("transaction", `the transaction has more than ${MAX_BYTES} bytes`, span.offset)
  const cursor = new PsbtCursor(span)
  const version = cursor.uint32()
  const inputs = readList(cursor, "inputs", () => readUnsignedInput(cursor))
  const outputs: TransactionOutput[] = []
  const count = readCount(cursor, "outputs")
  const from = cursor.at
  while (outputs.length < count) outputs.push(readOutput(cursor))
  const outputBytes = span.bytes.subarray(from, cursor.at)
  const locktime = cursor.uint32()
  cursor.requireEnd("the unsigned transaction")
  if (new Set(inputs.map(({ outpoint }) => Buffer.from(outpoint).toString("hex"))).size < inputs.length)
    throw new Fault("transaction", "two inputs spend the same output", span.offset)
  return { bytes: span.bytes, version, inputs, outputs, outputBytes, locktime }
}

/**
 * Reads a transaction of the chain, with its scripts and perhaps its witnesses (BIP-144).
 * @returns its id, and the output with an index
 * @throws Fault transaction
 */
export function readPreviousTransaction(
  span: ByteSpan,
  outputIndex: number,
): { id: Uint8Array; output: TransactionOutput } {
  const cursor = new PsbtCursor(span)
  cursor.take(4)
  const hasWitnesses = span.bytes[4] === SEGWIT_MARKER && span.bytes[5] === SEGWIT_FLAG
  if (hasWitnesses) cursor.take(2)
  const from = cursor.at
  const inputs = readList(cursor, "inputs", () => readSignedInput(cursor)).length
  const outputs = readList(cursor, "outputs", () => readOutput(cursor))
  const to = cursor.at
  if (hasWitnesses)
    for (let index = 0; index < inputs; index++)
      for (let items = cursor.count(); items > 0; items--) cursor.sized()
  cursor.take(4)
  cursor.requireEnd("a previous transaction")
  const output = outputs[outputIndex]
  if (output === undefined)
    throw new Fault("transaction", `the previous transaction has no output ${outputIndex}`, span.offset)
  const body = [span.bytes.subarray(0, 4), span.bytes.subarray(from, to), span.bytes.subarray(-4)]
  return { id: sha256(sha256(Buffer.concat(body))), output }
}

export function readOutput(cursor: PsbtCursor): TransactionOutput {
  const start = cursor.offset
  const value = cursor.uint64()
  if (value > MAX_MONEY) throw new Fault("transaction", `an output has more than ${MAX_MONEY} satoshi`, start)
  return { value, script: cursor.sized().bytes }
}

function readUnsignedInput(cursor: PsbtCursor): TransactionInput {
  const { outpoint, outputIndex } = readOutpoint(cursor)
  const scriptAt = cursor.at
  if (cursor.sized().bytes.length > 0)
    throw new Fault("transaction", "an input has a script: the transaction is signed already", cursor.offset)
  return { outpoint, outputIndex, scriptAt, sequence: cursor.uint32() }
}

function readSignedInput(cursor: PsbtCursor): void {
  readOutpoint(cursor)
  cursor.sized()
  cursor.uint32()
}

function readOutpoint(cursor: PsbtCursor) {
  const outpoint = cursor.take(HASH_BYTES + 4)
  return { outpoint, outputIndex: Buffer.from(outpoint).readUInt32LE(HASH_BYTES) }
}

function readList<T>(cursor: PsbtCursor, what: string, read: () => T): T[] {
  const items: T[] = []
  for (let left = readCount(cursor, what); left > 0; left--) items.push(read())
  return items
}

/** At least one: a transaction without inputs would look like one with witnesses. */
function readCount(cursor: PsbtCursor, what: string): number {
  const start = cursor.offset
  const count = cursor.count()
  if (count === 0) throw new Fault("transaction", `the transaction has no ${what}`, start)
  return count
}

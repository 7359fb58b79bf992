import { Fault } from "../../fault.ts"
import { payToScriptHash, payToWitness, readWitnessProgram } from "../../address/bitcoin.ts"
import { sha256 } from "../../address/encoding.ts"
import { elementAt } from "../../crypto/element.ts"
import type { ByteSpan } from "../span.ts"
import { PsbtCursor } from "./cursor.ts"
import {
  global as globalTypes,
  GLOBAL_TYPES,
  input as types,
  INPUT_TYPES,
  OUTPUT_TYPES,
  type PsbtMap,
  type PsbtTypes,
  type PsbtVersion,
  readMap,
  requireVersion,
  valueOf,
} from "./psbt-map.ts"
import { readSignedMessage, type SignedMessage } from "./message.ts"
import { countsOf, unsignedTransactionOf } from "./psbt-v2.ts"
import {
  readOutput,
  readPreviousTransaction,
  readUnsignedTransaction,
  type TransactionInput,
  type TransactionOutput,
  type StrippedTransaction,
} from "./raw-transaction.ts"

/** An input with the output that it spends. */
export type PsbtInput = TransactionInput & {
  readonly map: PsbtMap
  /** Undefined: the PSBT does not have it. */
  readonly spent: TransactionOutput | undefined
  /** True if the previous transaction is there, whose id the input names; false: the output is only claimed. */
  readonly isProven: boolean
  /** The script whose hash a P2SH output has; undefined if the PSBT lacks it. */
  readonly redeemScript: Uint8Array | undefined
  /** The script whose hash a P2WSH output or its redeem script has. */
  readonly witnessScript: Uint8Array | undefined
}

export type Psbt = {
  readonly transaction: StrippedTransaction
  readonly inputs: readonly PsbtInput[]
  /** The message that is signed, if the PSBT names one. */
  readonly message: SignedMessage | undefined
  /** In version 2: the byte that says what may still be changed. */
  readonly modifiable: ByteSpan | undefined
}

/** `psbt` and ff. */
const MAGIC = Buffer.from("70736274ff", "hex")
export const [SIGHASH_DEFAULT, SIGHASH_ALL] = [0, 1] as const
/** Both are over the whole transaction, in two spellings (BIP-341, "hash_type"). */
export type TaprootHashType = typeof SIGHASH_DEFAULT | typeof SIGHASH_ALL

/**
 * Reads a PSBT of version 0 or 2 (BIP-174, BIP-370, BIP-371): a global map, a map for each input, a map for each output. In version 0 the
 * global map has the unsigned transaction, in version 2 each map has its part of it. No field may contradict another. Signatures are asked
 * for over the whole transaction only.
 * @throws Fault transaction
 */
export function readPsbt(bytes: Uint8Array): Psbt {
  const cursor = new PsbtCursor({ bytes, offset: 0 })
  if (bytes.length < MAGIC.length || !MAGIC.equals(cursor.take(MAGIC.length)))
    throw new Fault(
      "transaction",
      "the transaction does not begin with the magic bytes of a PSBT, 70736274ff",
      0,
    )
  const global = readMap(cursor, GLOBAL_TYPES, "the global map")
  const version = versionOf(global)
  requireVersion(global, version, "global", "the global map")
  const { transaction, inputMaps } =
    version === 0 ? readVersion0(cursor, global) : readVersion2(cursor, global)
  cursor.requireEnd("the maps of the outputs")
  const inputs = transaction.inputs.map((input, index) =>
    readInput(input, elementAt(inputMaps, index), `input ${index}`),
  )
  const text = valueOf(global, globalTypes.signedMessage)
  const message = text && readSignedMessage(text, transaction, inputs[0]?.spent)
  return { transaction, inputs, message, modifiable: valueOf(global, globalTypes.modifiable) }
}

function versionOf(global: PsbtMap): PsbtVersion {
  const version = valueOf(global, globalTypes.version)
  const [first = 0, ...rest] = version?.bytes ?? []
  if ((first === 0 || first === 2) && rest.every((byte) => byte === 0)) return first
  throw new Fault("transaction", "the PSBT is neither of version 0 nor of version 2", version?.offset ?? 0)
}

type WithMaps = { readonly transaction: StrippedTransaction; readonly inputMaps: readonly PsbtMap[] }

function readVersion0(cursor: PsbtCursor, global: PsbtMap): WithMaps {
  const unsigned = valueOf(global, globalTypes.unsignedTransaction)
  if (unsigned === undefined)
    throw new Fault("transaction", "the unsigned transaction is missing", global.end)
  const transaction = readUnsignedTransaction(unsigned)
  const inputMaps = readMaps(cursor, transaction.inputs.length, 0, "input")
  readMaps(cursor, transaction.outputs.length, 0, "output")
  return { transaction, inputMaps }
}

function readVersion2(cursor: PsbtCursor, global: PsbtMap): WithMaps {
  const { inputs, outputs } = countsOf(global)
  const inputMaps = readMaps(cursor, inputs, 2, "input")
  const bytes = unsignedTransactionOf(global, inputMaps, readMaps(cursor, outputs, 2, "output"))
  return { transaction: readUnsignedTransaction({ bytes, offset: 0 }), inputMaps }
}

const TYPES: Readonly<Record<"input" | "output", PsbtTypes>> = { input: INPUT_TYPES, output: OUTPUT_TYPES }

function readMaps(
  cursor: PsbtCursor,
  count: number,
  version: PsbtVersion,
  of: "input" | "output",
): PsbtMap[] {
  const maps: PsbtMap[] = []
  while (maps.length < count) {
    const name = `${of} ${maps.length}`
    const map = readMap(cursor, TYPES[of], name)
    requireVersion(map, version, of, name)
    maps.push(map)
  }
  return maps
}

function readInput(input: TransactionInput, map: PsbtMap, name: string): PsbtInput {
  const proven = provenOutput(input, map, name)
  const claimed = claimedOutput(map)
  if (proven !== undefined && claimed !== undefined && !isSameOutput(proven, claimed))
    throw new Fault(
      "transaction",
      `witness_utxo of ${name} is not the output of its non_witness_utxo`,
      map.end,
    )
  const spent = proven ?? claimed
  const redeemScript = valueOf(map, types.redeemScript)
  const witnessScript = valueOf(map, types.witnessScript)
  requireHash(redeemScript, spent?.script, payToScriptHash, `redeem_script of ${name}`)
  const hashed = redeemScript?.bytes ?? spent?.script
  requireHash(witnessScript, hashed, payToWitnessScript, `witness_script of ${name}`)
  const read = {
    ...input,
    map,
    spent,
    isProven: proven !== undefined,
    redeemScript: redeemScript?.bytes,
    witnessScript: witnessScript?.bytes,
  }
  requireWholeSighash(read, name)
  return read
}

/** The output of `non_witness_utxo`: its transaction has the id that the input names, so neither can be false. */
function provenOutput(
  { outpoint, outputIndex }: TransactionInput,
  map: PsbtMap,
  name: string,
): TransactionOutput | undefined {
  const previous = valueOf(map, types.previousTransaction)
  if (previous === undefined) return undefined
  const { id, output } = readPreviousTransaction(previous, outputIndex)
  if (Buffer.compare(id, outpoint.subarray(0, id.length)) === 0) return output
  throw new Fault("transaction", `non_witness_utxo of ${name} is another transaction`, previous.offset)
}

function claimedOutput(map: PsbtMap): TransactionOutput | undefined {
  const claimed = valueOf(map, types.witnessOutput)
  if (claimed === undefined) return undefined
  const cursor = new PsbtCursor(claimed)
  const output = readOutput(cursor)
  cursor.requireEnd("a witness_utxo")
  return output
}

function isSameOutput(one: TransactionOutput, other: TransactionOutput): boolean {
  return one.value === other.value && Buffer.compare(one.script, other.script) === 0
}

const payToWitnessScript = (script: Uint8Array) => payToWitness(0, sha256(script))

/** Requires that the hash of `script` is the one in the script `hashed`. */
function requireHash(
  script: ByteSpan | undefined,
  hashed: Uint8Array | undefined,
  scriptOf: (script: Uint8Array) => Uint8Array,
  what: string,
): void {
  if (script === undefined || hashed === undefined) return
  if (Buffer.compare(scriptOf(script.bytes), hashed) === 0) return
  throw new Fault("transaction", `${what} does not have the hash in the script that is spent`, script.offset)
}

/** SINGLE, NONE and ANYONECANPAY would leave outputs or inputs to others. DEFAULT of Taproot means ALL. */
function requireWholeSighash(input: Pick<PsbtInput, "map" | "spent">, name: string): void {
  const value = valueOf(input.map, types.sighashType)
  if (value === undefined) return
  const isTaproot = input.spent !== undefined && isTaprootScript(input.spent.script)
  const [type, ...rest] = value.bytes
  const isWhole = type === SIGHASH_ALL || (isTaproot && type === SIGHASH_DEFAULT)
  if (isWhole && rest.every((byte) => byte === 0)) return
  const wanted = isTaproot ? "DEFAULT, 0, or ALL, 1," : "ALL, 1,"
  throw new Fault("transaction", `sighash_type of ${name} must be ${wanted} or left out`, value.offset)
}

/** The hash type of a Taproot signature that the PSBT asks for. */
export function taprootHashType({ map }: Pick<PsbtInput, "map">): TaprootHashType {
  return valueOf(map, types.sighashType)?.bytes[0] === SIGHASH_ALL ? SIGHASH_ALL : SIGHASH_DEFAULT
}

/** Output of witness version 1 with 32 bytes (BIP-341). */
export function isTaprootScript(script: Uint8Array): boolean {
  const witness = readWitnessProgram(script)
  return witness?.version === 1 && witness.program.length === 32
}

/** True if the script that a signature is for is in a witness, and so the signature is over the amount (BIP-143). */
export function spendsByWitness({ spent, redeemScript }: PsbtInput): boolean {
  return [spent?.script, redeemScript].some((script) => script !== undefined && readWitnessProgram(script))
}

export function inputAt({ inputs }: Psbt, index: number): PsbtInput {
  return elementAt(inputs, index)
}

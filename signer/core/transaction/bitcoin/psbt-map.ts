import { Fault } from "../../fault.ts"
import type { ByteSpan } from "../span.ts"
import type { PsbtCursor } from "./cursor.ts"

/** A record of a map: `length | type, key data`, then `length | value`. */
export type PsbtRecord = {
  readonly type: number
  /** Type and key data. */
  readonly key: Uint8Array
  readonly keyData: Uint8Array
  readonly value: ByteSpan
  /** Place of the record in the PSBT. */
  readonly offset: number
}

export type PsbtMap = {
  readonly records: readonly PsbtRecord[]
  /** Place of the byte 0 behind the last record. */
  readonly end: number
}

/** Lengths that the key data and the value of a type may have, in bytes. */
type Lengths = { readonly key: (length: number) => boolean; readonly value?: (length: number) => boolean }
export type PsbtTypes = ReadonlyMap<number, Lengths>

const exactly =
  (...lengths: readonly number[]) =>
  (length: number) =>
    lengths.includes(length)
const multipleOf = (unit: number, offset: number) => (length: number) =>
  length >= offset && (length - offset) % unit === 0

const WITHOUT_KEY = { key: exactly(0) }
/** Compressed or not. */
const BY_PUBLIC_KEY = { key: exactly(33, 65) }
const BY_X = { key: exactly(32) }
const SCHNORR = exactly(64, 65)

// Types of BIP-174 and BIP-371.
export const UNSIGNED_TRANSACTION = 0x00
export const GLOBAL_VERSION = 0xfb
export const input = {
  previousTransaction: 0x00,
  witnessOutput: 0x01,
  partialSignature: 0x02,
  sighashType: 0x03,
  redeemScript: 0x04,
  witnessScript: 0x05,
  finalScript: 0x07,
  finalWitness: 0x08,
  tapKeySignature: 0x13,
  tapScriptSignature: 0x14,
  tapLeafScript: 0x15,
  tapInternalKey: 0x17,
  tapMerkleRoot: 0x18,
} as const

export const GLOBAL_TYPES: PsbtTypes = new Map<number, Lengths>([
  [UNSIGNED_TRANSACTION, WITHOUT_KEY],
  [0x01, { key: exactly(78), value: multipleOf(4, 4) }],
  [GLOBAL_VERSION, { key: exactly(0), value: exactly(4) }],
])

export const INPUT_TYPES: PsbtTypes = new Map<number, Lengths>([
  [input.previousTransaction, WITHOUT_KEY],
  [input.witnessOutput, WITHOUT_KEY],
  [input.partialSignature, BY_PUBLIC_KEY],
  [input.sighashType, { key: exactly(0), value: exactly(4) }],
  [input.redeemScript, WITHOUT_KEY],
  [input.witnessScript, WITHOUT_KEY],
  [0x06, { ...BY_PUBLIC_KEY, value: multipleOf(4, 4) }],
  [input.finalScript, WITHOUT_KEY],
  [input.finalWitness, WITHOUT_KEY],
  [input.tapKeySignature, { key: exactly(0), value: SCHNORR }],
  [input.tapScriptSignature, { key: exactly(64), value: SCHNORR }],
  [input.tapLeafScript, { key: multipleOf(32, 33) }],
  [0x16, BY_X],
  [input.tapInternalKey, { key: exactly(0), value: exactly(32) }],
  [input.tapMerkleRoot, { key: exactly(0), value: exactly(32) }],
])

export const OUTPUT_TYPES: PsbtTypes = new Map<number, Lengths>([
  [0x00, WITHOUT_KEY],
  [0x01, WITHOUT_KEY],
  [0x02, { ...BY_PUBLIC_KEY, value: multipleOf(4, 4) }],
  [0x05, { key: exactly(0), value: exactly(32) }],
  [0x06, WITHOUT_KEY],
  [0x07, BY_X],
])

/** First byte of a type of more than one byte. No standard defines such a type. */
const LONG_TYPE = 0xfd

/** Types of version 2 (BIP-370). A reader of that version would see another transaction. */
export const GLOBAL_TYPES_OF_V2: ReadonlySet<number> = new Set([0x02, 0x03, 0x04, 0x05, 0x06])
export const INPUT_TYPES_OF_V2: ReadonlySet<number> = new Set([0x0e, 0x0f, 0x10, 0x11, 0x12])
export const OUTPUT_TYPES_OF_V2: ReadonlySet<number> = new Set([0x03, 0x04])

/**
 * Reads a map to its byte 0. Records of types that are not known stay as they are: no signature depends on them (BIP-174,
 * "Signer").
 * @throws Fault transaction
 */
export function readMap(
  cursor: PsbtCursor,
  types: PsbtTypes,
  typesOfV2: ReadonlySet<number>,
  what: string,
): PsbtMap {
  const records: PsbtRecord[] = []
  const keys = new Set<string>()
  for (;;) {
    const offset = cursor.offset
    const { bytes: key } = cursor.sized()
    const type = key[0]
    if (type === undefined) return { records, end: offset }
    if (type >= LONG_TYPE) throw new Fault("transaction", `${what} has a key of a type above 252`, offset)
    const record = { type, key, keyData: key.subarray(1), value: cursor.sized(), offset }
    requireForm(record, types.get(type), what)
    if (typesOfV2.has(type))
      throw new Fault("transaction", `${what} has a record of version 2, type ${type}`, offset)
    const text = Buffer.from(key).toString("latin1")
    if (keys.has(text)) throw new Fault("transaction", `${what} has a key twice, of type ${type}`, offset)
    keys.add(text)
    records.push(record)
  }
}

function requireForm(
  { type, keyData, value, offset }: PsbtRecord,
  lengths: Lengths | undefined,
  what: string,
) {
  if (lengths === undefined) return
  if (!lengths.key(keyData.length))
    throw new Fault("transaction", `${what} has a key of type ${type} and ${keyData.length} bytes`, offset)
  if (lengths.value?.(value.bytes.length) === false)
    throw new Fault(
      "transaction",
      `${what} has a value of type ${type} and ${value.bytes.length} bytes`,
      offset,
    )
}

/** The value of a type that has no key data. */
export function valueOf({ records }: PsbtMap, type: number): ByteSpan | undefined {
  return records.find((record) => record.type === type)?.value
}

import { counted } from "../../counted.ts"
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
const UINT32 = { key: exactly(0), value: exactly(4) }
/** Compressed or not. */
const BY_PUBLIC_KEY = { key: exactly(33, 65) }
const BY_X = { key: exactly(32) }
const SCHNORR = exactly(64, 65)

// Types of BIP-174, BIP-322, BIP-370 and BIP-371.
export const global = {
  unsignedTransaction: 0x00,
  transactionVersion: 0x02,
  fallbackLocktime: 0x03,
  inputCount: 0x04,
  outputCount: 0x05,
  modifiable: 0x06,
  signedMessage: 0x09,
  version: 0xfb,
} as const
export const output = { amount: 0x03, script: 0x04 } as const
export const input = {
  previousTransaction: 0x00,
  witnessOutput: 0x01,
  partialSignature: 0x02,
  sighashType: 0x03,
  redeemScript: 0x04,
  witnessScript: 0x05,
  finalScript: 0x07,
  finalWitness: 0x08,
  previousId: 0x0e,
  outputIndex: 0x0f,
  sequence: 0x10,
  timeLocktime: 0x11,
  heightLocktime: 0x12,
  tapKeySignature: 0x13,
  tapScriptSignature: 0x14,
  tapLeafScript: 0x15,
  tapInternalKey: 0x17,
  tapMerkleRoot: 0x18,
} as const

export const GLOBAL_TYPES: PsbtTypes = new Map<number, Lengths>([
  [global.unsignedTransaction, WITHOUT_KEY],
  [0x01, { key: exactly(78), value: multipleOf(4, 4) }],
  [global.transactionVersion, UINT32],
  [global.fallbackLocktime, UINT32],
  [global.inputCount, WITHOUT_KEY],
  [global.outputCount, WITHOUT_KEY],
  [global.modifiable, { key: exactly(0), value: exactly(1) }],
  [global.signedMessage, WITHOUT_KEY],
  [global.version, UINT32],
])

export const INPUT_TYPES: PsbtTypes = new Map<number, Lengths>([
  [input.previousTransaction, WITHOUT_KEY],
  [input.witnessOutput, WITHOUT_KEY],
  [input.partialSignature, BY_PUBLIC_KEY],
  [input.sighashType, UINT32],
  [input.redeemScript, WITHOUT_KEY],
  [input.witnessScript, WITHOUT_KEY],
  [0x06, { ...BY_PUBLIC_KEY, value: multipleOf(4, 4) }],
  [input.finalScript, WITHOUT_KEY],
  [input.finalWitness, WITHOUT_KEY],
  [input.previousId, { key: exactly(0), value: exactly(32) }],
  [input.outputIndex, UINT32],
  [input.sequence, UINT32],
  [input.timeLocktime, UINT32],
  [input.heightLocktime, UINT32],
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
  [output.amount, { key: exactly(0), value: exactly(8) }],
  [output.script, WITHOUT_KEY],
  [0x05, { key: exactly(0), value: exactly(32) }],
  [0x06, WITHOUT_KEY],
  [0x07, BY_X],
])

/** First byte of a type of more than one byte. No standard defines such a type. */
const LONG_TYPE = 0xfd

type Place = "global" | "input" | "output"

/** Types of the other version. Where one is there, a reader of that version would see another transaction (BIP-370). */
const TYPES_OF_OTHERS = {
  0: {
    global: new Set<number>([
      global.transactionVersion,
      global.fallbackLocktime,
      global.inputCount,
      global.outputCount,
      global.modifiable,
    ]),
    input: new Set<number>([
      input.previousId,
      input.outputIndex,
      input.sequence,
      input.timeLocktime,
      input.heightLocktime,
    ]),
    output: new Set<number>([output.amount, output.script]),
  },
  2: { global: new Set<number>([global.unsignedTransaction]), input: new Set(), output: new Set() },
} as const satisfies Record<number, Record<Place, ReadonlySet<number>>>

/** Versions of PSBTs: 1 does not exist. */
export type PsbtVersion = keyof typeof TYPES_OF_OTHERS

/** @throws Fault transaction for a record of another version */
export function requireVersion({ records }: PsbtMap, version: PsbtVersion, place: Place, what: string): void {
  const others: ReadonlySet<number> = TYPES_OF_OTHERS[version][place]
  const other = records.find(({ type }) => others.has(type))
  if (other === undefined) return
  throw new Fault(
    "transaction",
    `${what} has a record of version ${version === 0 ? 2 : 0}, type ${other.type}`,
    other.offset,
  )
}

/**
 * Reads a map to its byte 0. Records of types that are not known stay as they are: no signature depends on them (BIP-174,
 * "Signer").
 * @throws Fault transaction
 */
export function readMap(cursor: PsbtCursor, types: PsbtTypes, what: string): PsbtMap {
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
    throw new Fault(
      "transaction",
      `${what} has a key of type ${type} and ${counted(keyData.length, "byte")}`,
      offset,
    )
  if (lengths.value?.(value.bytes.length) === false)
    throw new Fault(
      "transaction",
      `${what} has a value of type ${type} and ${counted(value.bytes.length, "byte")}`,
      offset,
    )
}

/** The value of a type that has no key data. */
export function valueOf({ records }: PsbtMap, type: number): ByteSpan | undefined {
  return records.find((record) => record.type === type)?.value
}

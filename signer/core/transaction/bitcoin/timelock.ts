import { counted } from "../../counted.ts"
import { Fault } from "../../fault.ts"
import { elementAt } from "../../crypto/element.ts"
import type { PsbtInput } from "./psbt.ts"
import { LOCKTIME_THRESHOLD } from "./raw-transaction.ts"

/** What a lock compares with: the transaction, and the input that it locks. */
export type LockedSpending = {
  readonly version: number
  readonly locktime: number
  readonly sequence: PsbtInput["sequence"]
  /** Name of the input in faults. */
  readonly name: string
}

const [OP_0, OP_1NEGATE, OP_1, OP_16] = [0x00, 0x4f, 0x51, 0x60] as const
const OP_DROP = 0x75
/** OP_CHECKLOCKTIMEVERIFY and OP_CHECKSEQUENCEVERIFY. */
const LOCKS: ReadonlyMap<number | undefined, Lock["by"]> = new Map([
  [0xb1, "lock time"],
  [0xb2, "sequence"],
])

/** Locks that one script may have: an absolute one and a relative one. */
const MAX_LOCKS = 2
/** A number that a lock reads has at most five bytes (BIP-65, BIP-112). */
const MAX_NUMBER_BYTES = 5

/** The sequence of an input that lock times do not concern (BIP-65). */
const FINAL = 0xffff_ffff
// Bits of a sequence: BIP-68.
const DISABLED = 2 ** 31
const IN_SECONDS = 2 ** 22
const VALUE_MASK = 0xffff

/** A lock at the start of a script: of the whole transaction by its lock time, or of one input by its sequence. */
type Lock = { readonly by: "lock time" | "sequence"; readonly number: number }

/**
 * The locks at a script's start, `<number> OP_CHECKLOCKTIMEVERIFY OP_DROP` (BIP-65) or `<number> OP_CHECKSEQUENCEVERIFY OP_DROP`
 * (BIP-112), and the script behind them.
 */
export function readLocks(script: Uint8Array): { locks: readonly Lock[]; rest: Uint8Array } {
  const locks: Lock[] = []
  let rest = script
  while (locks.length < MAX_LOCKS) {
    const number = readNumber(rest)
    const by = number && LOCKS.get(rest[number.end])
    if (number === undefined || by === undefined || rest[number.end + 1] !== OP_DROP) break
    locks.push({ by, number: number.value })
    rest = rest.subarray(number.end + 2)
  }
  return { locks, rest }
}

/** @throws Fault transaction if the transaction does not satisfy a lock: no node would take it */
export function requireUnlocked(locks: readonly Lock[], spending: LockedSpending): void {
  for (const { by, number } of locks) {
    if (by === "lock time") requireLocktime(number, spending)
    else requireSequence(number, spending)
  }
}

/** The number that the script pushes first, in its shortest form (BIP-62 rule 4); undefined for anything else. */
function readNumber(script: Uint8Array): { value: number; end: number } | undefined {
  const opcode = script[0]
  if (opcode === undefined) return undefined
  if (opcode === OP_0) return { value: 0, end: 1 }
  if (opcode >= OP_1 && opcode <= OP_16) return { value: opcode - OP_1 + 1, end: 1 }
  if (opcode === OP_1NEGATE || opcode > MAX_NUMBER_BYTES || script.length <= opcode) return undefined
  const bytes = script.subarray(1, 1 + opcode)
  const last = elementAt(bytes, bytes.length - 1)
  // Little-endian with the sign in the highest bit. No lock takes a negative number.
  const isShortest = (last & 0x7f) !== 0 || (bytes.length > 1 && elementAt(bytes, bytes.length - 2) >= 0x80)
  if (last >= 0x80 || !isShortest) return undefined
  const value = bytes.reduceRight((sum, byte) => sum * 256 + byte, 0)
  return value <= 16 ? undefined : { value, end: 1 + opcode }
}

function requireLocktime(wanted: number, { locktime, sequence, name }: LockedSpending): void {
  const isSameUnit = wanted < LOCKTIME_THRESHOLD === locktime < LOCKTIME_THRESHOLD
  if (!isSameUnit || locktime < wanted) {
    const unit = wanted < LOCKTIME_THRESHOLD ? `block ${wanted}` : `${counted(wanted, "second")} of Unix time`
    throw locked(name, `until ${unit}; the transaction's lock time is ${locktime}`)
  }
  if (sequence === FINAL)
    throw locked(name, "by a lock time, which an input with the sequence ffffffff does not have")
}

function requireSequence(wanted: number, { version, sequence, name }: LockedSpending): void {
  // The number then locks nothing, for a rule to come (BIP-112).
  if (isSet(wanted, DISABLED)) return
  if (version < 2)
    throw locked(name, `by its sequence, which counts from version 2 on; the transaction has ${version}`)
  if (isSet(sequence, DISABLED)) throw locked(name, "by its sequence, which says that it is not")
  const isSameUnit = isSet(wanted, IN_SECONDS) === isSet(sequence, IN_SECONDS)
  if (isSameUnit && (sequence & VALUE_MASK) >= (wanted & VALUE_MASK)) return
  const count = wanted & VALUE_MASK
  const unit = isSet(wanted, IN_SECONDS) ? `${count * 512} seconds` : counted(count, "block")
  throw locked(name, `for ${unit}; its sequence allows less, or counts another unit`)
}

/** `>>>` would read a number of five bytes modulo 2^32. */
function isSet(value: number, bit: number): boolean {
  return Math.floor(value / bit) % 2 === 1
}

function locked(name: string, why: string): Fault {
  return new Fault("transaction", `${name} is locked ${why}`, 0)
}

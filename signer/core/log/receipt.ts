import { SALT_BYTES } from "./leaf.ts"

/** The values that open the leaf of a decision. Organization, activity, fingerprint and time stand in its vote already. */
export type LogReceipt = {
  /** Number of ActivityStatus after the decision. */
  readonly status: number
  /** Lane of the log. */
  readonly lane: number
  /** Era of the log, Unix seconds; 0: the first. */
  readonly era: number
  /** As in the statement. */
  readonly startIndex: number
  /** As in the statement. */
  readonly counter: number
  /** Index of the leaf. */
  readonly index: number
  readonly salt: Uint8Array
}

const VERSION = 1

/**
 * A receipt's bytes: version(1) = 1 || status || lane || era || start || counter || index - start || salt(32). The numbers are unsigned
 * LEB128. Written by hand because each signature has one.
 */
export function writeLogReceipt(receipt: LogReceipt): Uint8Array {
  const { status, lane, era, startIndex, counter, index, salt } = receipt
  const bytes = Buffer.allocUnsafe(MAX_BYTES)
  bytes[0] = VERSION
  let at = 1
  at = writeNumber(bytes, at, status)
  at = writeNumber(bytes, at, lane)
  at = writeNumber(bytes, at, era)
  at = writeNumber(bytes, at, startIndex)
  at = writeNumber(bytes, at, counter)
  at = writeNumber(bytes, at, index - startIndex)
  bytes.set(salt, at)
  return bytes.subarray(0, at + SALT_BYTES)
}

/** The receipt of these bytes; undefined: they are none of this version. */
export function readLogReceipt(bytes: Uint8Array): LogReceipt | undefined {
  if (bytes[0] !== VERSION) return undefined
  const numbers: number[] = []
  let at = 1
  while (numbers.length < NUMBERS) {
    const [value, next] = readNumber(bytes, at)
    if (!Number.isSafeInteger(value)) return undefined
    numbers.push(value)
    at = next
  }
  if (bytes.length !== at + SALT_BYTES) return undefined
  const [status = 0, lane = 0, era = 0, startIndex = 0, counter = 0, offset = 0] = numbers
  const index = startIndex + offset
  if (!Number.isSafeInteger(index)) return undefined
  return { status, lane, era, startIndex, counter, index, salt: Uint8Array.from(bytes.subarray(at)) }
}

const NUMBERS = 6
/** A safe integer has 53 bits. */
const MAX_NUMBER_BYTES = 8
const MAX_BYTES = 1 + NUMBERS * MAX_NUMBER_BYTES + SALT_BYTES

function writeNumber(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 128
  bytes[at++] = rest
  return at
}

/** The number and where the next one begins; NaN: there is none, or another spelling of it is shorter. */
function readNumber(bytes: Uint8Array, start: number): [value: number, next: number] {
  let value = 0
  for (let at = start, factor = 1; at < start + MAX_NUMBER_BYTES; at++, factor *= 128) {
    const byte = bytes[at]
    if (byte === undefined || (byte === 0 && at > start)) break
    value += (byte & 127) * factor
    if (byte < 128) return [value, at + 1]
  }
  return [Number.NaN, start]
}

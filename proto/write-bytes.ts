/** Where messages are written, one at a time. None of them is a secret: this is what goes over the wire. */
export const SCRATCH = Buffer.allocUnsafeSlow(16 * 1024)

/** Puts a value before `end` and says where it begins; below 0: there is no room, or it cannot be written here. */
export type Put = (value: unknown, end: number) => number

/** Strings up to here are written faster by a loop than by a call out of JavaScript. */
const SHORT = 48

export function putVarint(value: number, end: number): number {
  const start = end - varintLength(value)
  if (start < 0) return -1
  let rest = value
  let at = start
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) SCRATCH[at++] = (rest % 0x80) | 0x80
  SCRATCH[at] = rest
  return start
}

function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++
  return length
}

/** Integers of 32 and 64 bits that are not negative and that a double holds. */
export function putInteger(value: unknown, end: number): number {
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? putVarint(number, end) : -1
}

export function putBool(value: unknown, end: number): number {
  return putVarint(value === true ? 1 : 0, end)
}

export function putBytes(value: unknown, end: number): number {
  if (!(value instanceof Uint8Array)) return -1
  const start = end - value.length
  if (start < 0) return -1
  SCRATCH.set(value, start)
  return putVarint(value.length, start)
}

export function putString(value: unknown, end: number): number {
  if (typeof value !== "string") return -1
  const length = isShortAscii(value) ? value.length : Buffer.byteLength(value)
  const start = end - length
  if (start < 0) return -1
  if (length > SHORT || length !== value.length) SCRATCH.write(value, start, length, "utf8")
  else for (let index = 0; index < length; index++) SCRATCH[start + index] = value.charCodeAt(index)
  return putVarint(length, start)
}

function isShortAscii(text: string): boolean {
  if (text.length > SHORT) return false
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false
  return true
}

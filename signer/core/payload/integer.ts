/**
 * The integer forms that Ethereum libraries write into JSON: a number that a double holds exactly, decimal
 * digits, or 0x and hex digits; texts may carry a minus. Undefined for all else: "", "1.5", "1e3", "007", blanks.
 */
export function readInteger(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  if (typeof value !== "string" || value.length > MAX_LENGTH) return undefined
  const [, minus, digits] = INTEGER.exec(value) ?? []
  if (digits === undefined) return undefined
  const magnitude = BigInt(digits)
  return minus === "-" ? -magnitude : magnitude
}

const INTEGER = /^(-?)(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$/

/** A minus, and the 78 digits of 2^256; longer hex can only be zeros in front. */
const MAX_LENGTH = 79

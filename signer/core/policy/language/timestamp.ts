const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?(?:[Zz]|[+-]00:00)$/

/**
 * Milliseconds since the Unix epoch of an instant as RFC 3339 writes it, with offset zero, to the millisecond, from 1970
 * on and without leap seconds. Undefined for any other text.
 */
export function readTimestamp(text: string): bigint | undefined {
  const match = INSTANT.exec(text)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number)
  const fraction = Number((match[7] ?? "").padEnd(3, "0"))
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return undefined
  const midnight = Date.UTC(year, month - 1, day)
  // A day that its month does not have would become one of the next month.
  const date = new Date(midnight)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return BigInt(midnight + ((hour * 60 + minute) * 60 + second) * 1000 + fraction)
}

/** A time zone of the IANA database, as Node's own copy of it has it. */
export type Zone = {
  readonly name: string
  /** Milliseconds that its clocks are ahead of UTC at an instant. */
  offsetAt(instantMs: number): number
}

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/
const MAX_NAME = 64

/**
 * Zones that were read before: making one is slow, an expression may name hundreds, and there are some six hundred in
 * all.
 */
const zones = new Map<string, Zone>()

/** Undefined for what is no name of a zone; an offset such as +01:00 is none. Names have no case. */
export function readZone(name: string): Zone | undefined {
  if (name.length > MAX_NAME || !/^[A-Za-z]/.test(name)) return undefined
  const key = name.toLowerCase()
  const known = zones.get(key)
  if (known !== undefined) return known
  const format = formatFor(name)
  if (format === undefined) return undefined
  const zone: Zone = { name, offsetAt: (instantMs) => offsetAt(format, instantMs) }
  zones.set(key, zone)
  return zone
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function offsetAt(format: Intl.DateTimeFormat, instantMs: number): number {
  const written = format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value ?? ""
  const match = OFFSET.exec(written)
  if (match === null) throw new Error(`no offset of a time zone: ${written}`)
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((digits) => Number(digits ?? 0))
  const offset = ((hours * 60 + minutes) * 60 + seconds) * 1000
  return match[1] === "-" ? -offset : offset
}

/** A time zone of the IANA database, from the copy in Node. */
export type Zone = {
  readonly name: string
  /** Milliseconds by which local time is ahead of UTC at an instant. */
  offsetAt(instantMs: number): number
}

/** Spans of time that begin when a schedule fires and last `durationMs`. */
export type CronSpan = { readonly schedule: Schedule; readonly durationMs: number; readonly zone: Zone }

/** The numbers that each field of a schedule allows. `any…`: the field is `*` and does not restrict. */
type Schedule = {
  readonly minutes: readonly boolean[]
  readonly hours: readonly boolean[]
  readonly daysOfMonth: readonly boolean[]
  readonly months: readonly boolean[]
  readonly daysOfWeek: readonly boolean[]
  readonly anyDayOfMonth: boolean
  readonly anyDayOfWeek: boolean
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60
const DAY_MS = DAY_MINUTES * MINUTE_MS
const MAX_SPAN_MS = 7 * DAY_MS

/** Steps of testing a span: the zone's offset on each of its days takes some microseconds. */
export const CRON_STEPS = 1_000

/** Reads the three arguments of `CronSpan`. `wrong`: the index of the argument that is invalid. */
export function readCronSpan(
  cron: string,
  duration: string,
  zoneName: string,
): CronSpan | { wrong: 0 | 1 | 2 } {
  const schedule = readSchedule(cron)
  if (schedule === undefined) return { wrong: 0 }
  const durationMs = readDuration(duration)
  if (durationMs === undefined) return { wrong: 1 }
  const zone = readZone(zoneName)
  return zone === undefined ? { wrong: 2 } : { schedule, durationMs, zone }
}

/** The least and the greatest number of each field of a schedule. */
const FIELDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const

/** `minute hour day-of-month month day-of-week`, each `*` or numbers and ranges between commas. */
function readSchedule(text: string): Schedule | undefined {
  const words = text.trim().split(/[ \t]+/)
  const sets = FIELDS.map(([least, most], at) => readSet(words[at] ?? "", least, most))
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = sets
  if (words.length !== 5 || !minutes || !hours || !daysOfMonth || !months || !daysOfWeek) return undefined
  const [anyDayOfMonth, anyDayOfWeek] = [words[2] === "*", words[4] === "*"]
  return { minutes, hours, daysOfMonth, months, daysOfWeek, anyDayOfMonth, anyDayOfWeek }
}

function readSet(text: string, least: number, most: number): boolean[] | undefined {
  const set = Array.from({ length: most + 1 }, (_, number) => text === "*" && number >= least)
  if (text === "*") return set
  for (const part of text.split(",")) {
    const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part)
    if (match === null) return undefined
    const from = Number(match[1])
    const to = Number(match[2] ?? from)
    if (from < least || to > most || from > to) return undefined
    set.fill(true, from, to + 1)
  }
  return set
}

/** `1d12h`, `8h`, `90m`: whole days, hours and minutes in this order; more than zero, at most seven days. */
function readDuration(text: string): number | undefined {
  const match = /^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$/.exec(text)
  if (match === null) return undefined
  const [days = 0, hours = 0, minutes = 0] = match.slice(1).map((digits) => Number(digits ?? 0))
  const ms = ((days * 24 + hours) * 60 + minutes) * MINUTE_MS
  return ms > 0 && ms <= MAX_SPAN_MS ? ms : undefined
}

/**
 * True if the instant lies in a span. A schedule fires whenever local time is a full minute that it names. It fires never at a
 * local time that a clock change skips, and twice at one that it repeats. A span lasts its duration in elapsed time.
 */
export function isInside({ schedule, durationMs, zone }: CronSpan, instantMs: number): boolean {
  // Spans that began after `instant - duration`, up to the instant itself, have not ended yet.
  for (const [from, to, offset] of evenStretches(zone, instantMs - durationMs + 1, instantMs)) {
    if (firesWithin(schedule, from + offset, to + offset)) return true
  }
  return false
}

/** Cuts a stretch of time where the zone's offset changes; offsets are compared day by day. */
function evenStretches(zone: Zone, from: number, to: number): [from: number, to: number, offset: number][] {
  const stretches: [number, number, number][] = []
  let start = from
  let offset = zone.offsetAt(from)
  for (let at = from; at < to; ) {
    const next = Math.min(at + DAY_MS, to)
    const offsetThen = zone.offsetAt(next)
    if (offsetThen !== offset) {
      const change = firstWith(zone, offset, at, next)
      stretches.push([start, change - 1, offset])
      start = change
      offset = offsetThen
    }
    at = next
  }
  stretches.push([start, to, offset])
  return stretches
}

/** The first instant between the two at which the offset is another. */
function firstWith(zone: Zone, offset: number, before: number, after: number): number {
  let [same, other] = [before, after]
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2)
    if (zone.offsetAt(middle) === offset) same = middle
    else other = middle
  }
  return other
}

/** True if the schedule names a full minute of a clock that runs evenly from one local time to another. */
function firesWithin(schedule: Schedule, from: number, to: number): boolean {
  const first = Math.ceil(from / MINUTE_MS)
  const last = Math.floor(to / MINUTE_MS)
  for (let day = Math.floor(first / DAY_MINUTES); day * DAY_MINUTES <= last; day += 1) {
    if (!isDay(schedule, day)) continue
    const midnight = day * DAY_MINUTES
    if (firesBetween(schedule, Math.max(first - midnight, 0), Math.min(last - midnight, DAY_MINUTES - 1)))
      return true
  }
  return false
}

/** True if the schedule names the day. If it names days of the month and of the week, either is enough, as in every cron. */
function isDay(schedule: Schedule, day: number): boolean {
  const date = new Date(day * DAY_MS)
  if (!schedule.months[date.getUTCMonth() + 1]) return false
  const ofMonth = schedule.daysOfMonth[date.getUTCDate()] === true
  const ofWeek = schedule.daysOfWeek[date.getUTCDay()] === true
  return schedule.anyDayOfMonth || schedule.anyDayOfWeek ? ofMonth && ofWeek : ofMonth || ofWeek
}

/** Minutes of a day, both included. */
function firesBetween({ hours, minutes }: Schedule, first: number, last: number): boolean {
  for (let hour = Math.floor(first / 60); hour * 60 <= last; hour += 1) {
    if (!hours[hour]) continue
    const [from, to] = [Math.max(first - hour * 60, 0), Math.min(last - hour * 60, 59)]
    if (minutes.some((fires, minute) => fires && minute >= from && minute <= to)) return true
  }
  return false
}

const ZONE_OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/
const MAX_ZONE_NAME = 64

/** Zones read before: making one is slow, and there are about six hundred in all. */
const zones = new Map<string, Zone>()

/** Undefined: not the name of a zone; an offset such as +01:00 is not. Names have no case. */
export function readZone(name: string): Zone | undefined {
  if (name.length > MAX_ZONE_NAME || !/^[A-Za-z]/.test(name)) return undefined
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
  const match = ZONE_OFFSET.exec(written)
  if (match === null) throw new Error(`no offset of a time zone: ${written}`)
  const [hours = 0, minutes = 0, seconds = 0] = match.slice(2).map((digits) => Number(digits ?? 0))
  const offset = ((hours * 60 + minutes) * 60 + seconds) * 1000
  return match[1] === "-" ? -offset : offset
}

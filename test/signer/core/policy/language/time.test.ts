import fc from "fast-check"
import t from "tap"
import type { ExpressionFault } from "../../../../../signer/core/policy/expression.ts"
import { isInside, readCronSpan } from "../../../../../signer/core/policy/language/cron.ts"
import { readTimestamp } from "../../../../../signer/core/policy/language/time-functions.ts"
import { readZone } from "../../../../../signer/core/policy/language/cron.ts"
import { faultOf, resultOf, textAt } from "./helpers.ts"

function at(instant: string, text: string): unknown {
  return resultOf(text, { "time.now": BigInt(Date.parse(instant)) }, "time")
}

t.test("compares the instant with others", async (t) => {
  const now = "2026-01-01T00:00:00Z"
  for (const text of [
    "time.now == Timestamp('2026-01-01T00:00:00Z')",
    "time.now == Timestamp('2026-01-01t00:00:00z')",
    "time.now == Timestamp('2026-01-01T00:00:00+00:00')",
    "time.now == Timestamp('2026-01-01T00:00:00-00:00')",
    "time.now != Timestamp('2026-01-01T00:00:00.001Z')",
    "time.now < Timestamp('2026-01-01T00:00:00.1Z')",
    "time.now >= Timestamp('2025-12-31T23:59:59.999Z')",
    "time.now > Timestamp('1970-01-01T00:00:00Z') && time.now < Timestamp('9999-12-31T23:59:59Z')",
    "Timestamp('2024-02-29T00:00:00Z') < Timestamp('2024-03-01T00:00:00Z')",
    "!(time.now < Timestamp('2026-01-01T00:00:00Z'))",
    "true",
  ]) {
    t.equal(at(now, text), true, text)
  }
  t.match(resultOf("time.now < Timestamp('2026-01-01T00:00:00Z')", {}, "time"), { reason: "missing-root" })
  t.match(resultOf("CronSpan('* * * * *', '1h', 'UTC')", {}, "time"), { reason: "missing-root" })
})

t.test("the instant is in the years 1970 to 9999", async (t) => {
  const spans = "CronSpan('* * * * *', '7d', 'UTC')"
  const now = (ms: bigint) => resultOf(spans, { "time.now": ms }, "time")
  t.equal(now(0n), true)
  t.equal(now(253_402_300_799_999n), true)
  t.match(now(-1n), { reason: "number-range" })
  t.match(now(253_402_300_800_000n), { reason: "number-range" })
  t.match(resultOf(spans, { "time.now": "now" }, "time"), { reason: "type-mismatch" })
})

t.test("reads instants of RFC 3339 with offset zero, and no other text", async (t) => {
  t.equal(readTimestamp("2026-01-01T00:00:00Z"), 1_767_225_600_000n)
  t.equal(readTimestamp("1970-01-01T00:00:00.5Z"), 500n)
  for (const text of [
    "",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00:00+01:00",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.0001Z",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-12-31T23:59:60Z",
    "1969-12-31T23:59:59Z",
    "02026-01-01T00:00:00Z",
    " 2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Z\n",
  ]) {
    t.equal(readTimestamp(text), undefined, text)
  }
})

t.test("reads back every instant written in RFC 3339", async (t) => {
  const instants = fc.date({
    min: new Date(0),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  })
  fc.assert(fc.property(instants, (date) => readTimestamp(date.toISOString()) === BigInt(date.getTime())))
  t.pass("of those that are tried")
})

t.test("a span contains its beginning and not its end", async (t) => {
  // The offices of New York on a working day in winter, five hours behind UTC.
  const span = "CronSpan('0 9 * * 1-5', '8h', 'America/New_York')"
  t.equal(at("2026-01-05T13:59:59.999Z", span), false)
  t.equal(at("2026-01-05T14:00:00Z", span), true)
  t.equal(at("2026-01-05T21:59:59.999Z", span), true)
  t.equal(at("2026-01-05T22:00:00Z", span), false)
  t.equal(at("2026-01-04T15:00:00Z", span), false, "Sunday")
  t.equal(at("2026-07-06T13:00:00Z", span), true, "in summer, an hour earlier")
  t.equal(at("2026-07-06T12:59:59Z", span), false)
  t.equal(at("2026-07-06T15:00:00Z", `!${span}`), false)
})

t.test("spans reach over midnight and over days", async (t) => {
  const night = "CronSpan('0 22 * * *', '4h', 'UTC')"
  t.equal(at("2026-01-05T01:59:59Z", night), true)
  t.equal(at("2026-01-05T02:00:00Z", night), false)
  const week = "CronSpan('0 0 1 * *', '7d', 'UTC')"
  t.equal(at("2026-01-07T23:59:59Z", week), true)
  t.equal(at("2026-01-08T00:00:00Z", week), false)
  t.equal(at("2025-12-31T23:59:59Z", week), false)
})

t.test("where both kinds of days are restricted, either is enough", async (t) => {
  const either = "CronSpan('0 0 13 * 5', '1d', 'UTC')"
  t.equal(at("2026-01-13T12:00:00Z", either), true, "a Tuesday the 13th")
  t.equal(at("2026-01-16T12:00:00Z", either), true, "a Friday the 16th")
  t.equal(at("2026-01-14T12:00:00Z", either), false)
  t.equal(at("2026-01-16T12:00:00Z", "CronSpan('0 0 * * 5', '1d', 'UTC')"), true)
  t.equal(at("2026-01-13T12:00:00Z", "CronSpan('0 0 * * 5', '1d', 'UTC')"), false)
  t.equal(at("2026-01-18T12:00:00Z", "CronSpan('0 0 * * 0', '1d', 'UTC')"), true, "0 is Sunday")
})

t.test("months restrict, whatever the days say", async (t) => {
  const spring = "CronSpan('0 0 1,15 3-5 1', '1d', 'UTC')"
  t.equal(at("2026-03-01T12:00:00Z", spring), true, "a first of the month")
  t.equal(at("2026-05-04T12:00:00Z", spring), true, "a Monday")
  t.equal(at("2026-02-01T12:00:00Z", spring), false)
  t.equal(at("2026-06-01T12:00:00Z", spring), false, "a Monday, and the first")
})

t.test("instants stand in lists too", async (t) => {
  const list = "[Timestamp('2026-01-01T00:00:00Z'), time.now]"
  t.equal(at("2026-03-01T12:00:00Z", `time.now in ${list} && ${list}.any(x, x < time.now)`), true)
  t.equal(at("2026-03-01T12:00:00Z", "time.now in []"), false)
  t.equal(at("2026-03-01T12:00:00Z", `Timestamp('2026-01-02T00:00:00Z') in ${list}`), false)
})

t.test("a skipped local time never fires, a repeated one fires twice", async (t) => {
  // In 2026 New York's clocks go from 2:00 to 3:00 on March 8, and from 2:00 back to 1:00 on November 1.
  const skipped = "CronSpan('30 2 * * *', '1h', 'America/New_York')"
  t.equal(at("2026-03-07T07:45:00Z", skipped), true)
  t.equal(at("2026-03-08T07:45:00Z", skipped), false)
  t.equal(at("2026-03-08T06:45:00Z", skipped), false)
  t.equal(at("2026-03-09T06:45:00Z", skipped), true)
  const twice = "CronSpan('30 1 * * *', '15m', 'America/New_York')"
  t.equal(at("2026-11-01T05:35:00Z", twice), true)
  t.equal(at("2026-11-01T05:50:00Z", twice), false)
  t.equal(at("2026-11-01T06:35:00Z", twice), true)
  t.equal(at("2026-11-01T07:35:00Z", twice), false)
  const across = "CronSpan('0 0 8 3 *', '12h', 'America/New_York')"
  t.equal(at("2026-03-08T16:59:59Z", across), true, "twelve hours later it is 13:00")
  t.equal(at("2026-03-08T17:00:00Z", across), false)
})

const wrong: readonly (readonly [cron: string, duration: string, zone: string, at: number])[] = [
  ["0 9 * *", "8h", "UTC", 0],
  ["0 9 * * 1-5 2026", "8h", "UTC", 0],
  ["", "8h", "UTC", 0],
  ["60 9 * * *", "8h", "UTC", 0],
  ["0 24 * * *", "8h", "UTC", 0],
  ["0 9 0 * *", "8h", "UTC", 0],
  ["0 9 32 * *", "8h", "UTC", 0],
  ["0 9 * 13 *", "8h", "UTC", 0],
  ["0 9 * 0 *", "8h", "UTC", 0],
  ["0 9 * * 7", "8h", "UTC", 0],
  ["0 9 * * MON", "8h", "UTC", 0],
  ["*/5 9 * * *", "8h", "UTC", 0],
  ["0 9 * * 5-1", "8h", "UTC", 0],
  ["0 9 * * 1,", "8h", "UTC", 0],
  ["0 9 * * 1--2", "8h", "UTC", 0],
  ["0 9 * * *,1", "8h", "UTC", 0],
  ["@daily", "8h", "UTC", 0],
  ["-1 9 * * *", "8h", "UTC", 0],
  ["0 9 * * *", "", "UTC", 1],
  ["0 9 * * *", "0h", "UTC", 1],
  ["0 9 * * *", "8", "UTC", 1],
  ["0 9 * * *", "8s", "UTC", 1],
  ["0 9 * * *", "1.5h", "UTC", 1],
  ["0 9 * * *", "1h1d", "UTC", 1],
  ["0 9 * * *", "1h1h", "UTC", 1],
  ["0 9 * * *", "-1h", "UTC", 1],
  ["0 9 * * *", "8d", "UTC", 1],
  ["0 9 * * *", "7d1m", "UTC", 1],
  ["0 9 * * *", "169h", "UTC", 1],
  ["0 9 * * *", "8h", "", 2],
  ["0 9 * * *", "8h", "Mars/Olympus", 2],
  ["0 9 * * *", "8h", "+01:00", 2],
  ["0 9 * * *", "8h", "Etc/../UTC", 2],
  ["0 9 * * *", "8h", "x".repeat(65), 2],
]

t.test("refuses invalid schedules, durations and zones, and points at them", async (t) => {
  for (const [cron, duration, zone, index] of wrong) {
    const text = `CronSpan('${cron}', '${duration}', '${zone}')`
    const fault = faultOf(text, "time")
    t.equal(fault?.kind, "type", text)
    t.equal(textAt(text, fault?.place), `'${[cron, duration, zone][index]}'`, text)
    t.ok(fault?.place.expected, "and says what would be right")
  }
})

t.test("accepts lists, ranges, long durations and names of zones in any case", async (t) => {
  for (const text of [
    "CronSpan('0,15,30-45 9-17 1,15 1-6 0,6', '7d', 'Europe/Berlin')",
    "CronSpan('0 9 * * *', '1d12h30m', 'europe/berlin')",
    "CronSpan('0  9 * * *', '168h', 'Etc/UTC')",
    "CronSpan('05 09 * * *', '10080m', 'Asia/Kathmandu')",
  ]) {
    t.equal(faultOf(text, "time")?.message, undefined, text)
  }
})

t.test("Timestamp and CronSpan take only literals", async (t) => {
  const faults: [text: string, at: string][] = [
    ["Timestamp(1) == time.now", "1"],
    ["Timestamp('a'[0]) == time.now", "'a'[0]"],
    ["Timestamp() == time.now", "Timestamp()"],
    ["Timestamp('2026-01-01') == time.now", "'2026-01-01'"],
    ["CronSpan('0 9 * * *', '8h')", "CronSpan('0 9 * * *', '8h')"],
    ["CronSpan(1, '8h', 'UTC')", "1"],
    ["time.now == 5", "5"],
    ["time.now", "time.now"],
    ["[time.now].contains(1)", "time.now"],
  ]
  for (const [text, at] of faults) {
    const fault: ExpressionFault | undefined = faultOf(text, "time")
    t.equal(fault?.kind, "type", text)
    t.equal(textAt(text, fault?.place), at, text)
  }
})

/** True if any of the last minutes fires: the zone's calendar is asked about each, which is slow and simple. */
function wasFired(fires: (local: Date) => boolean, minutes: number, zone: string, nowMs: number): boolean {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" })
  const first = Math.ceil((nowMs - minutes * 60_000 + 1) / 60_000)
  for (let minute = first; minute * 60_000 <= nowMs; minute += 1) {
    if (fires(new Date(`${format.format(minute * 60_000).replace(" ", "T")}Z`))) return true
  }
  return false
}

t.test("agrees with a check of every minute, around clock changes too", async (t) => {
  const zones = [
    "America/New_York",
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "UTC",
    "Africa/Casablanca",
  ]
  // Days on which some of these zones change their clocks, and one on which none does.
  const days = [
    "2026-03-08",
    "2026-11-01",
    "2026-03-29",
    "2026-10-25",
    "2026-04-05",
    "2026-10-04",
    "2026-02-15",
    "2026-06-10",
  ]
  const cases = fc.record({
    zone: fc.constantFrom(...zones),
    day: fc.constantFrom(...days),
    shiftMs: fc.integer({ min: -86_400_000, max: 2 * 86_400_000 }),
    minute: fc.integer({ min: 0, max: 59 }),
    hour: fc.integer({ min: 0, max: 23 }),
    month: fc.option(fc.integer({ min: 1, max: 12 }), { freq: 2 }),
    dayOfMonth: fc.option(fc.integer({ min: 1, max: 31 })),
    dayOfWeek: fc.option(fc.integer({ min: 0, max: 6 })),
    minutes: fc.integer({ min: 1, max: 2_000 }),
  })
  fc.assert(
    fc.property(cases, ({ zone, day, shiftMs, minute, hour, month, dayOfMonth, dayOfWeek, minutes }) => {
      const span = readCronSpan(
        `${minute} ${hour} ${dayOfMonth ?? "*"} ${month ?? "*"} ${dayOfWeek ?? "*"}`,
        `${minutes}m`,
        zone,
      )
      if ("wrong" in span) throw new Error("not read")
      const nowMs = Date.parse(day) + shiftMs
      const isDay = (local: Date) => {
        if (month !== null && local.getUTCMonth() + 1 !== month) return false
        const [ofMonth, ofWeek] = [local.getUTCDate() === dayOfMonth, local.getUTCDay() === dayOfWeek]
        if (dayOfMonth === null) return dayOfWeek === null || ofWeek
        return dayOfWeek === null ? ofMonth : ofMonth || ofWeek
      }
      const fires = (local: Date) =>
        local.getUTCMinutes() === minute && local.getUTCHours() === hour && isDay(local)
      return isInside(span, nowMs) === wasFired(fires, minutes, zone, nowMs)
    }),
    { numRuns: 150 },
  )
  t.pass("for spans of every kind")
})

t.test("offsets of zones agree with their local times", async (t) => {
  const offset = (name: string, instant: string) =>
    (readZone(name)?.offsetAt(Date.parse(instant)) ?? NaN) / 60_000
  t.equal(offset("UTC", "2026-01-01T00:00:00Z"), 0)
  t.equal(offset("America/New_York", "2026-01-01T00:00:00Z"), -300)
  t.equal(offset("America/New_York", "2026-07-01T00:00:00Z"), -240)
  t.equal(offset("Asia/Kathmandu", "2026-01-01T00:00:00Z"), 345)
  t.equal(offset("Australia/Lord_Howe", "2026-01-01T00:00:00Z"), 660)
})

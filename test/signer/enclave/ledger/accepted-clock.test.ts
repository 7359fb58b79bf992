// When the signer's time runs, and what an operator's orders make of it.
import t from "tap"
import type { LedgerRow } from "../../../../signer/enclave/ledger/ledger.ts"
import { TrustedClock } from "../../../../signer/enclave/ledger/trusted-clock.ts"
import { DAY, Host, HOUR, ledgerAtStart, MINUTE, START, untrusted } from "./clock-harness.ts"
import { codeOf, open, update } from "./harness.ts"

const expiring = (key: string, expiresMs: number): LedgerRow => ({
  kind: "fingerprint",
  key,
  value: new Uint8Array(10),
  expiresMs,
})

t.test("time that runs is not begun anew from the host's clock", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  for (const wall of [START + 2 * MINUTE, START - DAY]) {
    host.wall = wall
    t.ok(time.isRunning())
    t.equal(time.nowMs(), START)
  }
  await ledger.close()
})

t.test("time does not run until the host's clock is corrected or accepted", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const far = START + 29 * DAY
  const [corrected, accepted] = [new Host(far), new Host(far)]
  const [one, other] = [new TrustedClock(corrected, ledger), new TrustedClock(accepted, ledger)]
  t.notOk(one.isRunning())
  corrected.wall = START
  t.ok(one.isRunning())
  t.notOk(other.isRunning())
  await other.acceptClock(far)
  t.ok(other.isRunning())
  await ledger.close()
})

t.test("the refusal of a clock advises by its side of the ledger's time", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const refusalAt = (wallMs: number, message: RegExp) => {
    const time = new TrustedClock(new Host(wallMs), ledger)
    t.throws(() => time.nowMs(), { code: "CLOCK_UNTRUSTED", message })
  }
  refusalAt(START - HOUR, /correct the clock; only if the ledger's time is wrong/)
  refusalAt(START + 29 * DAY, /a clock over 28 days ahead is not believed/)
  await ledger.close()
})

t.test("the refusal within the quiet time says why nothing is decided, and until when", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const time = new TrustedClock(new Host(START - DAY), ledger)
  await time.acceptClock(START - DAY)
  const message =
    "the clock was set back, or an older ledger was accepted: nothing is decided until " +
    "2030-01-01T00:00:00.000Z; now it is 2029-12-31T00:00:00.000Z"
  t.throws(() => time.nowMs(), { code: "CLOCK_UNTRUSTED", message })
  await ledger.close()
})

t.test("an accepted time that is the floor itself is not set back", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  await time.acceptClock(START)
  t.equal(time.nowMs(), START)
  await ledger.close()
})

t.test("an accepted jump ahead settles after a day of running", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START + 40 * DAY)
  const time = new TrustedClock(host, ledger)
  await time.acceptClock(host.wall)
  host.monotonic += DAY - 1
  t.equal(time.purgeableUntilMs(), START)
  host.monotonic += 1
  t.equal(time.purgeableUntilMs(), START + 41 * DAY)
  await ledger.close()
})

t.test("requests are waited out for one freshness window, or for a longer quiet time", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  await time.waitOutRequests()
  t.equal(ledger.quietUntilMs(), START + 65 * MINUTE)
  host.monotonic += 65 * MINUTE - 1
  t.ok(untrusted(time))
  host.monotonic += 1
  t.equal(time.nowMs(), START + 65 * MINUTE)
  await time.acceptClock(START - DAY)
  const quietUntilMs = ledger.quietUntilMs()
  t.ok(quietUntilMs >= START)
  await time.waitOutRequests()
  t.equal(ledger.quietUntilMs(), quietUntilMs)
  await ledger.close()
})

t.test("time that runs while an earlier one becomes durable does not raise the floor again", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  t.equal(time.nowMs(), START)
  host.monotonic += 3 * MINUTE
  host.wall = START - HOUR
  // The transaction of so many rows takes many turns of the event loop.
  const put = Array.from({ length: 3_000 }, (_, index) => {
    return { kind: "record", key: `row ${index}`, value: new Uint8Array(10) } as const
  })
  const change = ledger.commit([update("org", { put })])
  const state = { isAccepted: false }
  const accepted = time.acceptClock(host.wall).then(() => (state.isAccepted = true))
  let turns = 0
  for (; !state.isAccepted; turns++) {
    codeOf(() => time.nowMs())
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all([change, accepted])
  t.ok(turns > 1, "others asked for the time meanwhile")
  await ledger.commit([])
  t.equal(ledger.timeFloorMs(), START - HOUR)
  host.monotonic += 2 * HOUR
  t.equal(time.nowMs(), START + HOUR, "time raises the floor as before")
  await ledger.commit([])
  t.equal(ledger.timeFloorMs(), START + HOUR)
  await ledger.close()
})

t.test("time set back during a purge is quiet until every purged row had expired", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const purgedMs = START + 50_000
  await ledger.commit([update("org", { put: [expiring("row", purgedMs)] })])
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  host.monotonic += 50_000
  t.equal(ledger.timeFloorMs(), START)
  const purging = ledger.purge(time.purgeableUntilMs())
  await time.acceptClock(START - DAY)
  t.equal(await purging, 1)
  t.equal(ledger.quietUntilMs(), purgedMs)
  t.equal(ledger.timeFloorMs(), START - DAY)
  await ledger.close()
})

t.test("a purge ends when time is set back, and does not raise the floor again", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const put = Array.from({ length: 900 }, (_, index) => expiring(`row ${index}`, START + HOUR))
  await ledger.commit([update("org", { put })])
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  host.monotonic += 2 * HOUR
  const purging = ledger.purge(time.purgeableUntilMs())
  await time.acceptClock(START - DAY)
  t.ok((await purging) < put.length, "rows of later pages are kept")
  await ledger.commit([])
  t.equal(ledger.timeFloorMs(), START - DAY)
  t.equal(ledger.quietUntilMs(), START + 2 * HOUR)
  await ledger.close()
})

t.test("a purge that begins while an earlier time becomes durable removes nothing", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  await ledger.commit([update("org", { put: [expiring("row", START + 50_000)] })])
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  host.monotonic += 50_000
  const accepted = time.acceptClock(START - DAY)
  const purged = await ledger.purge(time.purgeableUntilMs())
  await accepted
  t.equal(ledger.quietUntilMs(), START, "the row would be needed again from here on")
  t.equal(purged, 0)
  t.equal(ledger.timeFloorMs(), START - DAY)
  await ledger.close()
})

for (const offMs of [4 * MINUTE, 0, -4 * MINUTE]) {
  t.test(`a restart with a clock ${offMs / MINUTE} minutes off settles no open jump`, async (t) => {
    const directory = t.testdir()
    const ledger = await ledgerAtStart(directory)
    const host = new Host(START + 20 * DAY)
    t.equal(new TrustedClock(host, ledger).nowMs(), host.wall)
    await ledger.commit([])
    await ledger.close()
    const again = open(directory)
    host.wall += offMs
    const time = new TrustedClock(host, again)
    host.monotonic += DAY - 1
    t.equal(time.purgeableUntilMs(), START)
    host.monotonic += 1
    t.equal(time.purgeableUntilMs(), time.nowMs())
    await again.close()
  })
}

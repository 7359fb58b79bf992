import t from "tap"
import { TrustedClock } from "../../../../signer/enclave/ledger/trusted-clock.ts"
import { creation, codeOf, create, open } from "./harness.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const START = Date.UTC(2030, 0, 1)

/** A host whose two clocks the test sets. */
class Host {
  wall: number
  monotonic = 12_345.5
  constructor(wall: number) {
    this.wall = wall
  }
  wallMs = () => this.wall
  monotonicMs = () => this.monotonic
}

const untrusted = (time: TrustedClock) => codeOf(() => time.nowMs()) === "CLOCK_UNTRUSTED"

/** A ledger whose floor is START. */
async function ledgerAtStart(directory: string) {
  const ledger = create(directory)
  ledger.advanceTimeFloor(START)
  await ledger.commit([creation("org")])
  return ledger
}

t.test("a new ledger trusts the host's clock at start, then follows the monotonic clock alone", async (t) => {
  const ledger = create(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  t.equal(time.nowMs(), START)
  host.monotonic += 2500.75
  for (const wall of [START - HOUR, START + 1e12, 0]) {
    host.wall = wall
    t.equal(time.nowMs(), START + 2500)
  }
  await ledger.close()
})

t.test(
  "the host's clock is trusted near the floor at start, and time never goes below the floor",
  async (t) => {
    const ledger = await ledgerAtStart(t.testdir())
    t.equal(new TrustedClock(new Host(START - 5 * MINUTE), ledger).nowMs(), START)
    t.equal(new TrustedClock(new Host(START + 24 * HOUR), ledger).nowMs(), START + 24 * HOUR)
    t.ok(untrusted(new TrustedClock(new Host(START - 5 * MINUTE - 1), ledger)))
    t.ok(untrusted(new TrustedClock(new Host(START + 24 * HOUR + 1), ledger)))
    t.ok(untrusted(new TrustedClock(new Host(START + 10 * 365 * 24 * HOUR), ledger)))
    await ledger.close()
  },
)

t.test("time is answered once an operator accepted a clock far ahead", async (t) => {
  const directory = t.testdir()
  const ledger = await ledgerAtStart(directory)
  const host = new Host(START + 48 * HOUR)
  const time = new TrustedClock(host, ledger)
  t.ok(untrusted(time))
  await time.acceptClock(host.wall)
  t.equal(time.nowMs(), host.wall)
  await ledger.close()
  const again = open(directory)
  t.equal(new TrustedClock(host, again).nowMs(), host.wall)
  await again.close()
})

t.test(
  "after an operator set time back nothing is decided until the former floor, also across a restart",
  async (t) => {
    const directory = t.testdir()
    const ledger = await ledgerAtStart(directory)
    const host = new Host(START - 20 * HOUR)
    const time = new TrustedClock(host, ledger)
    await time.acceptClock(host.wall)
    t.equal(ledger.timeFloorMs(), host.wall)
    t.ok(untrusted(time))
    await ledger.close()

    const again = open(directory)
    const restarted = new TrustedClock(host, again)
    t.throws(() => restarted.nowMs(), { message: /until 2030-01-01T00:00:00.000Z/ })
    host.monotonic += 20 * HOUR - 1
    t.ok(untrusted(restarted))
    host.monotonic += 1
    t.equal(restarted.nowMs(), START)
    await again.close()
  },
)

t.test("after time was set back nothing is decided for at least one liveness window", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START - 6 * MINUTE)
  const time = new TrustedClock(host, ledger)
  await time.acceptClock(host.wall)
  host.monotonic += 65 * MINUTE - 1
  t.ok(untrusted(time))
  host.monotonic += 1
  t.equal(time.nowMs(), host.wall + 65 * MINUTE)
  await ledger.close()
})

t.test("no clock accepted later shortens the quiet time", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  for (const hours of [-20, -40, -10]) {
    await new TrustedClock(host, ledger).acceptClock(START + hours * HOUR)
    t.equal(ledger.quietUntilMs(), START, `${hours} h`)
  }
  await new TrustedClock(host, ledger).acceptClock(START + 48 * HOUR)
  host.wall = START + 48 * HOUR
  t.equal(
    new TrustedClock(host, ledger).nowMs(),
    host.wall,
    "older requests are stale, so there is nothing to wait for",
  )
  await ledger.close()
})

t.test("the floor is written with a commit, or by itself once a minute", async (t) => {
  let batches = 0
  const ledger = create(t.testdir(), { onBatch: () => (batches += 1) })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  ledger.advanceTimeFloor(START)
  await turn()
  t.equal(ledger.timeFloorMs(), START)
  ledger.advanceTimeFloor(START + MINUTE - 1)
  await turn()
  t.equal(ledger.timeFloorMs(), START, "not yet a minute")
  t.equal(batches, 1)
  await ledger.commit([creation("org")])
  t.equal(ledger.timeFloorMs(), START + MINUTE - 1)
  ledger.advanceTimeFloor(START + 2 * MINUTE)
  ledger.advanceTimeFloor(START)
  await turn()
  t.equal(ledger.timeFloorMs(), START + 2 * MINUTE)
  t.equal(batches, 3)
  t.throws(() => ledger.advanceTimeFloor(Number.NaN), RangeError)
  await ledger.close()
})

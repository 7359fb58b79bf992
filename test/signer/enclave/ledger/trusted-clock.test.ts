import { join } from "node:path"
import t from "tap"
import { TrustedClock } from "../../../../signer/enclave/ledger/trusted-clock.ts"
import { DAY, Host, HOUR, ledgerAtStart, MINUTE, START, untrusted } from "./clock-harness.ts"
import { creation, create, open } from "./harness.ts"

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
    t.ok(untrusted(new TrustedClock(new Host(START - 5 * MINUTE - 1), ledger)))
    t.ok(untrusted(new TrustedClock(new Host(START + 28 * DAY + 1), ledger)))
    t.ok(untrusted(new TrustedClock(new Host(START + 10 * 365 * DAY), ledger)))
    t.equal(new TrustedClock(new Host(START + 28 * DAY), ledger).nowMs(), START + 28 * DAY)
    await ledger.close()
  },
)

t.test("the refusal of a clock names both times, and a corrected clock is accepted", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  for (const [wallMs, says] of [
    [START + 366 * DAY, /says 2031-01-02T00:00:00.000Z.*ledger is 2030-01-01T00:00:00.000Z.*accept-clock/],
    [START - HOUR, /says 2029-12-31T23:00:00.000Z.*ledger is 2030-01-01T00:00:00.000Z.*correct/],
  ] as const) {
    const host = new Host(wallMs)
    const time = new TrustedClock(host, ledger)
    t.throws(() => time.nowMs(), { code: "CLOCK_UNTRUSTED", message: says })
    host.wall = START
    t.equal(time.nowMs(), START, "without another start")
  }
  await ledger.close()
})

t.test(
  "until a day of running has passed, jumps of the host's clock add up to 28 days at most",
  async (t) => {
    const directory = t.testdir()
    await (await ledgerAtStart(directory)).close()
    const host = new Host(START)
    const start = async (use: (time: TrustedClock) => void) => {
      const ledger = open(directory)
      const time = new TrustedClock(host, ledger)
      use(time)
      // Writes the floor.
      await ledger.commit([])
      await ledger.close()
    }
    for (const jump of [10 * DAY, 10 * DAY]) {
      host.wall += jump
      await start((time) => t.equal(time.nowMs(), host.wall))
    }
    host.wall += 10 * DAY
    await start((time) => t.ok(untrusted(time)))
    host.wall -= 10 * DAY
    await start((time) => {
      host.monotonic += DAY
      t.equal(time.nowMs(), host.wall + DAY)
    })
    host.wall += 20 * DAY
    await start((time) =>
      t.equal(time.nowMs(), host.wall, "after a day of running 28 days are allowed again"),
    )
  },
)

t.test("rows that expire in a jump are kept until a day of running has passed", async (t) => {
  const directory = t.testdir()
  const ledger = await ledgerAtStart(directory)
  const host = new Host(START + 20 * DAY)
  const first = new TrustedClock(host, ledger)
  t.equal(first.purgeableUntilMs(), START)
  host.monotonic += 10 * HOUR
  t.equal(first.purgeableUntilMs(), START)
  await ledger.commit([])
  await ledger.close()

  const again = open(directory)
  host.wall += 15 * HOUR
  const time = new TrustedClock(host, again)
  t.equal(time.purgeableUntilMs(), START, "another start: five hours off settle nothing")
  host.monotonic += 14 * HOUR - 1
  t.equal(time.purgeableUntilMs(), START)
  host.monotonic += 1
  t.equal(time.purgeableUntilMs(), time.nowMs())
  await again.close()
})

t.test("a short stop keeps no rows back", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const time = new TrustedClock(new Host(START + 5 * MINUTE), ledger)
  t.equal(time.purgeableUntilMs(), START + 5 * MINUTE)
  await ledger.close()
})

t.test("a jump that has not settled is taken back within one freshness window", async (t) => {
  const directory = t.testdir()
  for (const wrong of [START + 20 * DAY, START + 3650 * DAY]) {
    const ledger = await ledgerAtStart(join(directory, String(wrong)))
    const host = new Host(wrong)
    const ahead = new TrustedClock(host, ledger)
    if (wrong > START + 28 * DAY) await ahead.acceptClock(host.wall)
    host.monotonic += 2 * HOUR
    ahead.nowMs()
    await ledger.commit([])
    t.equal(ledger.timeFloorMs(), wrong + 2 * HOUR)

    host.wall = START + 2 * HOUR
    const time = new TrustedClock(host, ledger)
    t.ok(untrusted(time))
    await time.acceptClock(host.wall)
    t.equal(ledger.quietUntilMs(), host.wall + 65 * MINUTE)
    host.monotonic += 65 * MINUTE
    t.equal(time.nowMs(), host.wall + 65 * MINUTE)
    t.equal(time.purgeableUntilMs(), time.nowMs(), "nothing is kept back any more")
    await ledger.close()
    const again = open(join(directory, String(wrong)))
    host.wall += 65 * MINUTE
    t.equal(new TrustedClock(host, again).purgeableUntilMs(), host.wall, "also after another start")
    await again.close()
  }
})

t.test("a host's clock that leaves the signer's time is named with both times", async (t) => {
  const ledger = await ledgerAtStart(t.testdir())
  const host = new Host(START)
  const time = new TrustedClock(host, ledger)
  t.equal(time.drift(), undefined)
  for (const wall of [START + 5 * MINUTE, START - 5 * MINUTE]) {
    host.wall = wall
    t.equal(time.drift(), undefined)
  }
  host.wall = START + HOUR
  t.match(time.drift(), /says 2030-01-01T01:00:00.000Z, the signer's time is 2030-01-01T00:00:00.000Z/)
  t.equal(time.nowMs(), START)
  await ledger.close()
})

t.test("time is answered once an operator accepted a clock far ahead", async (t) => {
  const directory = t.testdir()
  const ledger = await ledgerAtStart(directory)
  const host = new Host(START + 29 * DAY)
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

t.test("after time was set back nothing is decided for at least one freshness window", async (t) => {
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

t.test(
  "the first clock of a new deployment is taken back within one freshness window, however wrong",
  async (t) => {
    for (const isUsed of [false, true]) {
      const directory = t.testdir({ [String(isUsed)]: {} })
      const ledger = create(join(directory, String(isUsed)))
      const host = new Host(START + 10 * 365 * DAY)
      new TrustedClock(host, ledger).nowMs()
      if (isUsed) await ledger.commit([creation("org")])
      await ledger.close()
      host.wall = START
      const again = open(join(directory, String(isUsed)))
      const time = new TrustedClock(host, again)
      t.ok(untrusted(time), "the corrected clock is behind the ledger's time")
      await time.acceptClock(host.wall)
      host.monotonic += 65 * MINUTE - 1
      t.ok(untrusted(time))
      host.monotonic += 1
      t.equal(untrusted(time), isUsed, "what ran once is not forgotten")
      await again.close()
    }
  },
)

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
  ledger.advanceTimeFloor(START + 2 * MINUTE - 1)
  ledger.advanceTimeFloor(START)
  await turn()
  t.equal(ledger.timeFloorMs(), START + 2 * MINUTE - 1)
  t.equal(batches, 3)
  t.throws(() => ledger.advanceTimeFloor(Number.NaN), RangeError)
  await ledger.close()
})

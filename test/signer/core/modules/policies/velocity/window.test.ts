import t from "tap"
import type { Bucket } from "../../../../../../signer/core/policy/controls.ts"
import {
  freesAtMs,
  liveSlots,
  sumOf,
  withData,
} from "../../../../../../signer/core/modules/policies/velocity/window.ts"

/** Numbers that repeat: a linear congruential generator modulo 2^31. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Every entry with its time: the sum of those younger than `ageMs`. The windows are compared with it. */
class Entries {
  readonly #entries: { atMs: number; amount: bigint }[] = []

  add(atMs: number, amount: bigint): void {
    this.#entries.push({ atMs, amount })
  }

  youngerThan(ageMs: number, nowMs: number): bigint {
    return this.#entries
      .filter(({ atMs }) => nowMs - atMs < ageMs)
      .reduce((sum, { amount }) => sum + amount, 0n)
  }
}

const WINDOWS = [1_000, 60_000, 3_600_000, 86_400_000, 31 * 86_400_000]

t.test("a rolling window counts all of the window, and at most a hundredth longer", async (t) => {
  let checked = 0
  for (const windowMs of WINDOWS) {
    for (let seed = 1; seed <= 20; seed++) {
      const next = numbers(seed)
      const entries = new Entries()
      let bucket: Bucket = []
      let nowMs = 1_700_000_000_000 + next(windowMs)
      for (let step = 0; step < 200; step++) {
        nowMs += next(4) === 0 ? next(windowMs) : next(Math.ceil(windowMs / 50))
        const amount = BigInt(next(1_000_000))
        const counted = sumOf(liveSlots({ windowMs }, bucket, nowMs))
        const least = entries.youngerThan(windowMs, nowMs)
        const most = entries.youngerThan(windowMs + Math.ceil(windowMs / 100), nowMs)
        if (counted < least || counted > most) t.fail(`${counted} of ${least} to ${most}, window ${windowMs}`)
        checked += 1
        bucket = withData({ windowMs }, bucket, amount, nowMs)
        entries.add(nowMs, amount)
        if (bucket.length > 102) t.fail(`${bucket.length} slots`)
      }
    }
  }
  t.equal(checked, 20_000)
})

t.test("an infinite window counts everything in one slot", async (t) => {
  let bucket: Bucket = []
  for (let day = 0; day < 1000; day++)
    bucket = withData({ windowMs: undefined }, bucket, 3n, day * 86_400_000)
  t.same(bucket, [{ number: 0n, sum: 3000n }])
  t.equal(sumOf(liveSlots({ windowMs: undefined }, bucket, Number.MAX_SAFE_INTEGER)), 3000n)
})

t.test("a clock that is set back makes data count longer, and takes no room", async (t) => {
  const windowMs = 60_000
  let bucket: Bucket = withData({ windowMs }, [], 1n, 1_000_000_000)
  for (let step = 0; step < 1000; step++)
    bucket = withData({ windowMs }, bucket, 1n, 900_000_000 + step * 600)
  t.equal(bucket.length, 1)
  t.equal(sumOf(liveSlots({ windowMs }, bucket, 1_000_000_000)), 1001n)
})

t.test("a request fits again at the stated time, and not a millisecond before", async (t) => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = numbers(seed)
    const windowMs = WINDOWS[next(WINDOWS.length)]!
    let bucket: Bucket = []
    let nowMs = 1_700_000_000_000
    for (let step = 0; step < 30; step++) {
      nowMs += next(Math.ceil(windowMs / 20))
      bucket = withData({ windowMs }, bucket, BigInt(1 + next(100)), nowMs)
    }
    const most = BigInt(next(500))
    const freesAt = freesAtMs({ windowMs }, bucket, most, nowMs)!
    t.ok(sumOf(liveSlots({ windowMs }, bucket, freesAt)) <= most)
    if (freesAt > nowMs) t.ok(sumOf(liveSlots({ windowMs }, bucket, freesAt - 1)) > most)
  }
  const full = withData({ windowMs: undefined }, [], 10n, 0)
  t.equal(freesAtMs({ windowMs: undefined }, full, 9n, 0), undefined, "an infinite window never frees")
  t.equal(freesAtMs({ windowMs: 1000 }, [], -1n, 0), undefined, "a request over the threshold never fits")
})

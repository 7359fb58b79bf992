import fc from "fast-check"
import t from "tap"
import {
  DAY_MS,
  type UsageLimit,
  usedMicroUsd,
  type UsagePart,
  withCost,
} from "../../../../signer/core/send/gas-usage.ts"

const MINUTE = 60_000n
const LONGEST = 43_200n * MINUTE
const WINDOWS = [1n, 10n, 60n, 1440n, 43_200n].map((minutes) => minutes * MINUTE)

const limitOf = (windowMs: bigint, microUsd = 10n ** 12n): UsageLimit => {
  return { microUsd, windowMs, whose: "it", code: "SPONSORSHIP_LIMIT_EXCEEDED" }
}

/** Costs at random times, each counted under a window at random. */
const costs = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.bigInt(0n, 5n * MINUTE), fc.bigInt(0n, 3n * 1440n * MINUTE)),
    microUsd: fc.bigInt(1n, 1_000_000n),
    windowMs: fc.constantFrom(...WINDOWS),
    hasCap: fc.boolean(),
  }),
  { minLength: 1, maxLength: 60 },
)

t.test("no window forgets a cost before its time, whichever windows there were before", (t) => {
  fc.assert(
    fc.property(costs, fc.constantFrom(...WINDOWS), (given, windowMs) => {
      let nowMs = 0n
      let parts: UsagePart[] = []
      const all: { atMs: bigint; microUsd: bigint }[] = []
      for (const one of given) {
        nowMs += one.pauseMs
        const windows = one.hasCap ? [one.windowMs, DAY_MS] : [one.windowMs]
        parts = withCost(
          parts,
          one.microUsd,
          windows.map((one) => limitOf(one)),
          nowMs,
        )
        all.push({ atMs: nowMs, microUsd: one.microUsd })
      }
      const sum = (sinceMs: bigint) =>
        all.reduce((total, { atMs, microUsd }) => (atMs > sinceMs ? total + microUsd : total), 0n)
      const used = usedMicroUsd(parts, windowMs, nowMs)
      // At most the greater of the longest window's part and an eighth of the age late, with the age of the part's last cost.
      const late = windowMs + LONGEST / 60n + LONGEST / 8n
      return used >= sum(nowMs - windowMs) && used <= sum(nowMs - late)
    }),
    { numRuns: 500 },
  )
  t.end()
})

t.test("the parts of a window that is always in use stay few", (t) => {
  let parts: UsagePart[] = []
  const windowMs = MINUTE
  for (let nowMs = 0n; nowMs < 2n * LONGEST; nowMs += LONGEST / 50_000n)
    parts = withCost(parts, 1n, [limitOf(windowMs), limitOf(DAY_MS)], nowMs)
  t.ok(parts.length < 300, `${parts.length}`)
  t.end()
})

t.test("a cost must have room under every limit, and the first without room is named", async (t) => {
  const cap: UsageLimit = { ...limitOf(DAY_MS, 10n), whose: "the cap", code: "SPONSORSHIP_CAP_EXCEEDED" }
  const wide = limitOf(MINUTE, 8n)
  const used = withCost([], 8n, [wide, cap], 0n)
  t.throws(() => withCost(used, 3n, [wide, cap], 1n), { code: "SPONSORSHIP_LIMIT_EXCEEDED" })
  t.throws(() => withCost(used, 3n, [wide, cap], 2n * MINUTE), {
    code: "SPONSORSHIP_CAP_EXCEEDED",
    message: /^the cap: /,
  })
  t.equal(withCost(used, 2n, [wide, cap], 2n * MINUTE).length, 2, "up to the cap")
  t.throws(() => withCost(used, 3n, [wide, cap], DAY_MS - 1n), { code: "SPONSORSHIP_CAP_EXCEEDED" })
  t.equal(usedMicroUsd(withCost(used, 3n, [wide, cap], DAY_MS), DAY_MS, DAY_MS), 3n, "a day later")
})

t.test("costs older than a short window leave the day at most a sixtieth of it late", async (t) => {
  let parts: UsagePart[] = []
  for (let nowMs = 0n; nowMs < DAY_MS; nowMs += MINUTE)
    parts = withCost(parts, 1n, [limitOf(MINUTE), limitOf(DAY_MS)], nowMs)
  const used = usedMicroUsd(parts, DAY_MS, DAY_MS + DAY_MS / 2n)
  t.ok(used >= 719n && used <= 720n + 24n, `${used} of the 720 of half a day`)
})

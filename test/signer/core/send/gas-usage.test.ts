import fc from "fast-check"
import t from "tap"
import { usedMicroUsd, type UsagePart, withCost } from "../../../../signer/core/send/gas-usage.ts"

const MINUTE = 60_000n
const LONGEST = 43_200n * MINUTE
const WINDOWS = [1n, 10n, 60n, 1440n, 43_200n].map((minutes) => minutes * MINUTE)

/** Costs at random times, each counted under a window at random. */
const costs = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.bigInt(0n, 5n * MINUTE), fc.bigInt(0n, 3n * 1440n * MINUTE)),
    microUsd: fc.bigInt(1n, 1_000_000n),
    windowMs: fc.constantFrom(...WINDOWS),
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
        const limit = { microUsd: 10n ** 12n, windowMs: one.windowMs, whose: "it" }
        parts = withCost(parts, one.microUsd, limit, nowMs)
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
    parts = withCost(parts, 1n, { microUsd: 10n ** 12n, windowMs, whose: "it" }, nowMs)
  t.ok(parts.length < 300, `${parts.length}`)
  t.end()
})

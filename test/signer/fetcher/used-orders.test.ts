import t from "tap"
import { UsedOrders } from "../../../signer/fetcher/used-orders.ts"

const idOf = (number: number) => Buffer.from(String(number))

t.test("an order is used once, until it has expired", async (t) => {
  const used = new UsedOrders()
  t.equal(used.use(idOf(0), 10, 0), true)
  t.equal(used.use(idOf(0), 10, 0), false)
  // All others expire at once, so each sweep removes them.
  for (let number = 1; number <= 5000; number++) t.ok(used.use(idOf(number), 1, 1))
  t.equal(used.use(idOf(0), 10, 9), false, "no sweep removes one that has not expired")
  for (let number = 5001; number <= 8000; number++) used.use(idOf(number), 10, 10)
  t.equal(used.use(idOf(0), 20, 10), true, "expired orders are refused by their time, and forgotten")
})

t.test("C-1895: unexpired ids are walked only when their number has doubled", async (t) => {
  const used = new UsedOrders()
  let compared = 0
  const now = { valueOf: () => (compared++, 0) } as unknown as number
  const count = 20_000
  for (let number = 0; number < count; number++) used.use(idOf(number), 1, now)
  t.ok(compared > 0, "they are walked")
  t.ok(compared < 2 * count, `${compared} comparisons for ${count} orders`)
})

import t from "tap"
import { Lru } from "../../../services/common/lru.ts"
import { Turns } from "../../../services/common/turns.ts"

t.test("eight turns in a round, all of them in order", async (t) => {
  const turns = new Turns()
  const order: string[] = []
  const names = Array.from("abcdefghijklmnopqr")
  const takers = names.map((name) => turns.take().then(() => order.push(name)))
  for (const count of [8, 16, 18]) {
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(order.length, count)
  }
  await Promise.all(takers)
  t.same(order, names)
  await turns.take()
})

t.test("what was not used for longest is forgotten", async (t) => {
  const lru = new Lru<string, number>(2)
  lru.set("a", 1)
  lru.set("b", 2)
  lru.get("a")
  lru.set("c", 3)
  t.same([lru.get("a"), lru.get("b"), lru.get("c"), lru.size], [1, undefined, 3, 2])
})

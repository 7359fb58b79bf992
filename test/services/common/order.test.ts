import t from "tap"
import { Lru } from "../../../services/common/lru.ts"
import { Turns } from "../../../services/common/turns.ts"

t.test("two turns in a round, all of them in order", async (t) => {
  const turns = new Turns()
  const order: string[] = []
  const takers = ["a", "b", "c", "d", "e"].map((name) => turns.take().then(() => order.push(name)))
  for (const count of [2, 4, 5]) {
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(order.length, count)
  }
  await Promise.all(takers)
  t.same(order, ["a", "b", "c", "d", "e"])
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

import t from "tap"
import { Queues } from "../../../services/api/submit/queues.ts"
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

t.test("tasks of one name wait for one another, even for failed ones", async (t) => {
  const queues = new Queues()
  const order: string[] = []
  const task = (name: string) => async () => {
    order.push(`${name} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    order.push(`${name} ends`)
    if (name === "first") throw new Error("fails")
  }
  const first = queues.run("x", task("first"))
  const second = queues.run("x", task("second"))
  await t.rejects(first, /fails/)
  await second
  t.same(order, ["first begins", "first ends", "second begins", "second ends"])
})

t.test("what was not used for longest is forgotten", async (t) => {
  const lru = new Lru<string, number>(2)
  lru.set("a", 1)
  lru.set("b", 2)
  lru.get("a")
  lru.set("c", 3)
  t.same([lru.get("a"), lru.get("b"), lru.get("c"), lru.size], [1, undefined, 3, 2])
})

import t from "tap"
import { TurnQueue } from "../../../signer/core/turn-queue.ts"
import { useInBatches } from "../../../services/api/store/activity-batcher.ts"

t.test("tasks run in order, so many to a turn of the loop", async (t) => {
  const queue = new TurnQueue(2, 10, () => 0)
  const ran: string[] = []
  const turnsOver = new Promise<void>((resolve) => {
    for (const name of ["a", "b", "c"]) queue.push(() => void ran.push(name))
    queue.push(() => {
      ran.push("d")
      resolve()
    })
    setImmediate(() => ran.push("loop"))
  })
  t.same(ran, [], "nothing runs at once")
  await turnsOver
  t.same(ran, ["a", "b", "loop", "c", "d"])
})

t.test("a turn ends early behind a task that took long", async (t) => {
  let nowMs = 0
  const queue = new TurnQueue(8, 10, () => nowMs)
  const ran: string[] = []
  const slow = () => {
    ran.push("slow")
    nowMs += 4
  }
  const over = new Promise<void>((resolve) => {
    queue.push(slow)
    queue.push(() => {
      ran.push("next")
      resolve()
    })
    setImmediate(() => ran.push("loop"))
  })
  await over
  t.same(ran, ["slow", "loop", "next"])
})

t.test("a task may queue another", async (t) => {
  const queue = new TurnQueue(1, 10)
  const inner = await new Promise((resolve) => queue.push(() => queue.push(() => resolve("inner"))))
  t.equal(inner, "inner")
})

t.test("bounds the tasks that wait, and releases those that are done", async (t) => {
  const queue = new TurnQueue(1, 2)
  t.same([queue.push(nothing), queue.push(nothing), queue.push(nothing)], [true, true, false])
  await new Promise((resolve) => setImmediate(resolve))
  t.ok(queue.push(nothing), "there is room again")
})

t.test("runs thousands in order although it is never empty", async (t) => {
  const queue = new TurnQueue(7, 10_000)
  const ran: number[] = []
  const all = new Promise<void>((resolve) => {
    for (let index = 0; index < 5000; index++) {
      queue.push(() => {
        ran.push(index)
        if (index === 4999) resolve()
      })
    }
  })
  await all
  t.same(
    ran,
    ran.toSorted((a, b) => a - b),
  )
  t.equal(ran.length, 5000)
})

t.test("gives eight turns in a round of the loop, all of them in order", async (t) => {
  const queue = new TurnQueue(8, undefined, () => 0)
  const order: string[] = []
  const names = Array.from("abcdefghijklmnopqr")
  const callers = names.map((name) => queue.turn().then(() => order.push(name)))
  for (const count of [8, 16, 18]) {
    await new Promise((resolve) => setImmediate(resolve))
    t.equal(order.length, count)
  }
  await Promise.all(callers)
  t.same(order, names)
  await queue.turn()
})

t.test("uses the first batch at once and another in each turn of the event loop", async (t) => {
  const seen: number[] = []
  useInBatches([1, 2, 3, 4, 5, 6, 7], 3, (item) => seen.push(item))
  t.same(seen, [1, 2, 3])
  setImmediate(() => seen.push(0))
  await new Promise((resolve) => setImmediate(() => setImmediate(() => setImmediate(resolve))))
  t.same(seen, [1, 2, 3, 4, 5, 6, 0, 7])
})

t.test("a list of one batch or of nothing takes no turn", async (t) => {
  const seen: number[] = []
  useInBatches([1, 2, 3], 3, (item) => seen.push(item))
  useInBatches([], 3, () => seen.push(0))
  t.same(seen, [1, 2, 3])
})

function nothing(): void {}

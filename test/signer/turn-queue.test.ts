import t from "tap"
import { TurnQueue } from "../../signer/turn-queue.ts"

t.test("tasks run in order, so many to a turn of the loop", async (t) => {
  const queue = new TurnQueue(2)
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

t.test("a task may queue another", async (t) => {
  const queue = new TurnQueue(1)
  const inner = await new Promise((resolve) => queue.push(() => queue.push(() => resolve("inner"))))
  t.equal(inner, "inner")
})

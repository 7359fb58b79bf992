import t from "tap"
import { TurnQueue } from "../../../../signer/core/turns/turn-queue.ts"
import { useInBatches } from "../../../../services/api/store/activity-batcher.ts"

t.test("tasks run in order, so many to a turn of the loop", async (t) => {
  const queue = new TurnQueue({ perTurn: 2, nowMs: () => 0 })
  const ran: string[] = []
  const turnsOver = new Promise<void>((resolve) => {
    for (const name of ["a", "b", "c"]) queue.push("", () => void ran.push(name))
    queue.push("", () => {
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
  const queue = new TurnQueue({ perTurn: 8, nowMs: () => nowMs })
  const ran: string[] = []
  const slow = () => {
    ran.push("slow")
    nowMs += 4
  }
  const over = new Promise<void>((resolve) => {
    queue.push("", slow)
    queue.push("", () => {
      ran.push("next")
      resolve()
    })
    setImmediate(() => ran.push("loop"))
  })
  await over
  t.same(ran, ["slow", "loop", "next"])
})

t.test("what cheap tasks do in their promises is done before a costly task begins", async (t) => {
  let nowMs = 0
  const queue = new TurnQueue({ perTurn: 8, nowMs: () => nowMs })
  const ran: string[] = []
  const costly = () =>
    queue.run("costly", () => {
      ran.push("costly")
      nowMs += 1
    })
  const cheap = () =>
    queue.run("cheap", async () => {
      ran.push("begun")
      await Promise.resolve()
      await Promise.resolve()
      ran.push("answered")
    })
  await Promise.all([costly(), costly(), cheap(), costly(), cheap()])
  const texts = ran.join(" ")
  t.match(texts, /begun.* costly/, "a costly task follows a cheap one")
  t.notMatch(texts, /begun costly/, "and begins once the cheap one is answered")
})

t.test("an owner pays for what its tasks compute in their promises", async (t) => {
  let nowMs = 0
  const queue = new TurnQueue({ perTurn: 1, nowMs: () => nowMs })
  const ran: string[] = []
  const work = (owner: string, costMs: number) =>
    queue.run(owner, async () => {
      await Promise.resolve()
      ran.push(owner)
      nowMs += costMs
    })
  const costly = Array.from({ length: 3 }, () => work("costly", 10))
  const cheap = Array.from({ length: 40 }, () => work("cheap", 1))
  await Promise.all([...costly, ...cheap])
  t.ok(indexOfNth(ran, "costly", 2) > 8, "ten milliseconds of the other for ten of this one")
})

t.test("a task may queue another", async (t) => {
  const queue = new TurnQueue({ perTurn: 1 })
  const inner = await new Promise((resolve) => queue.push("", () => queue.push("", () => resolve("inner"))))
  t.equal(inner, "inner")
})

t.test("bounds the tasks that wait, and releases those that are done", async (t) => {
  const queue = new TurnQueue({ perTurn: 1, max: 2 })
  t.same([queue.push("", nothing), queue.push("", nothing), queue.push("", nothing)], [true, true, false])
  await new Promise((resolve) => setImmediate(resolve))
  t.ok(queue.push("", nothing), "there is room again")
})

t.test("runs thousands in order although it is never empty", async (t) => {
  const queue = new TurnQueue({ perTurn: 7 })
  const ran: number[] = []
  const all = new Promise<void>((resolve) => {
    for (let index = 0; index < 5000; index++) {
      queue.push("", () => {
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
  const queue = new TurnQueue({ perTurn: 8, nowMs: () => 0 })
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

/** Runs everything that waits on a clock of the test; returns the owners of the tasks in the order in which they ran. */
async function orderOf(tasks: readonly (readonly [owner: string, costMs: number])[]): Promise<string[]> {
  let nowMs = 0
  const queue = new TurnQueue({ perTurn: 1, nowMs: () => nowMs })
  const ran: string[] = []
  const all = tasks.map(([owner, costMs]) =>
    queue.run(owner, () => {
      ran.push(owner)
      nowMs += costMs
    }),
  )
  await Promise.all(all)
  return ran
}

t.test("an owner with one task does not wait for all tasks of another", async (t) => {
  const flood = Array.from({ length: 500 }, () => ["flood", 1] as const)
  const ran = await orderOf([...flood, ["quiet", 1], ["other", 1]])
  t.equal(ran.indexOf("quiet"), 1)
  t.equal(ran.indexOf("other"), 2)
  t.equal(ran.length, 502)
})

t.test("owners get equal computation, not equal numbers of tasks", async (t) => {
  const costly = Array.from({ length: 20 }, () => ["costly", 10] as const)
  const cheap = Array.from({ length: 1000 }, () => ["cheap", 0.5] as const)
  const ran = await orderOf([...costly, ...cheap])
  const beforeFifth = ran.slice(0, indexOfNth(ran, "costly", 5)).filter((owner) => owner === "cheap")
  t.equal(Math.round(beforeFifth.length / 4), 20, "ten milliseconds of one for ten of the other")
  t.equal(ran.lastIndexOf("costly"), indexOfNth(ran, "costly", 20))
})

t.test("an owner that pauses while others wait does not lose its debt", async (t) => {
  let nowMs = 0
  const queue = new TurnQueue({ perTurn: 1, nowMs: () => nowMs })
  const ran: string[] = []
  const work = (owner: string, costMs: number) =>
    queue.run(owner, () => {
      ran.push(owner)
      nowMs += costMs
    })
  const costly = work("costly", 20)
  const cheap = Array.from({ length: 40 }, () => work("cheap", 1))
  await costly
  const next = work("costly", 20)
  await Promise.all([...cheap, next])
  t.ok(ran.lastIndexOf("costly") > 15, "the second costly task waits for the rounds that it owes")
  t.ok(ran.lastIndexOf("costly") < 40, "and for no others")
})

t.test("bounds the tasks of one owner, and leaves the others their places", async (t) => {
  const queue = new TurnQueue({ perTurn: 1, max: 3, maxOfOwner: 2 })
  const pushed = ["flood", "flood", "flood", "quiet", "other"].map((owner) => queue.push(owner, nothing))
  t.same(pushed, [true, true, false, true, false])
  t.equal(queue.waitingOf("flood"), 2)
  const refused = queue.run("flood", () => Promise.reject(new Error("failed")))
  await t.rejects(refused, /failed/, "work that was taken before is never refused a turn")
})

function indexOfNth(list: readonly string[], item: string, n: number): number {
  return list.flatMap((each, index) => (each === item ? [index] : []))[n - 1] ?? -1
}

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

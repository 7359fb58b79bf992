import t from "tap"
import { ConcurrencyLimit } from "../../../../services/api/http/concurrency-limit.ts"

const SECOND_MS = 1_000

/** A limit with a clock of its own, and the names of what began, in order. */
function prepare(limit: number, heldMs = 60_000) {
  const clock = { nowMs: 0 }
  const concurrency = new ConcurrencyLimit(limit, { nowMs: () => clock.nowMs })
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (owner: string, name: string, weight = 1, kind = "order") =>
    void concurrency.run(owner, { kind, weight, heldMs }, () => {
      began.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  /** Resolves when everything that may begin has begun. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { clock, concurrency, began, begin, end, settled }
}

t.test("an owner without neighbours has no bound", async (t) => {
  const { began, begin, settled } = prepare(2)
  for (let index = 0; index < 100; index++) begin("flood", `${index}`)
  await settled()
  t.equal(began.length, 100)
})

t.test("beside a neighbour, requests of one owner begin as earlier ones end, in their order", async (t) => {
  const { concurrency, began, begin, end, settled } = prepare(2)
  begin("quiet", "quiet 1")
  for (const name of ["a", "b", "c", "d"]) begin("flood", name)
  begin("quiet", "quiet 2")
  await settled()
  t.strictSame(began, ["quiet 1", "a", "b", "quiet 2"])
  t.equal(concurrency.waiting, 2)
  await end("b")
  t.strictSame(began.slice(4), ["c"])
  await end("a")
  t.strictSame(began.slice(4), ["c", "d"])
  t.equal(concurrency.waiting, 0)
})

t.test("a request of the whole weight has its turn among lighter ones", async (t) => {
  const { began, begin, end, settled } = prepare(2)
  begin("quiet", "quiet")
  begin("flood", "light 1")
  begin("flood", "heavy", 2)
  begin("flood", "light 2")
  await settled()
  t.strictSame(began, ["quiet", "light 1"], "a lighter one does not pass a heavier one that came before it")
  await end("light 1")
  t.strictSame(began.slice(2), ["heavy"])
  await end("heavy")
  t.strictSame(began.slice(2), ["heavy", "light 2"])
})

t.test("each kind of work has its bound", async (t) => {
  const { began, begin, settled } = prepare(1)
  begin("quiet", "quiet")
  for (const name of ["query 1", "query 2"]) begin("flood", name, 1, "query")
  begin("flood", "order")
  await settled()
  t.strictSame(began, ["quiet", "query 1", "order"])
})

t.test("requests that began without neighbours keep later ones waiting", async (t) => {
  const { began, begin, end, settled } = prepare(2)
  for (const name of ["a", "b", "c"]) begin("flood", name)
  begin("quiet", "quiet")
  begin("flood", "d")
  await settled()
  t.strictSame(began, ["a", "b", "c", "quiet"])
  await end("a")
  t.strictSame(began.slice(4), [], "two are left, as many as the limit")
  await end("b")
  t.strictSame(began.slice(4), ["d"])
})

t.test("an owner whose neighbours were silent for a second has no bound again", async (t) => {
  const { clock, began, begin, end, settled } = prepare(1)
  begin("quiet", "quiet")
  for (const name of ["a", "b", "c"]) begin("flood", name)
  clock.nowMs = SECOND_MS - 1
  begin("flood", "d")
  await settled()
  t.strictSame(began, ["quiet", "a"])
  clock.nowMs = SECOND_MS
  await end("a")
  t.strictSame(began, ["quiet", "a", "b", "c", "d"])
})

t.test("an owner has a neighbour, however many requests of their own came since", async (t) => {
  const { clock, began, begin, settled } = prepare(1)
  begin("flood", "a")
  clock.nowMs = SECOND_MS / 2
  begin("quiet", "quiet")
  for (const name of ["b", "c"]) begin("flood", name)
  await settled()
  t.strictSame(began, ["a", "quiet"])
})

t.test("a request that takes long keeps nobody waiting, and one that fails neither", async (t) => {
  const { concurrency, began, begin } = prepare(1, 1)
  const alive = setInterval(() => undefined, 1_000) // the limit's own timers keep no process alive
  t.teardown(() => clearInterval(alive))
  begin("quiet", "quiet")
  for (const name of ["slow", "next"]) begin("flood", name)
  await t.rejects(
    concurrency.run("flood", { kind: "order", weight: 1, heldMs: 1 }, () =>
      Promise.reject(new Error("failed")),
    ),
    /failed/,
  )
  t.strictSame(began, ["quiet", "slow", "next"])
  t.equal(
    await concurrency.run("flood", { kind: "order", weight: 1, heldMs: 1 }, async () => "answer"),
    "answer",
  )
})

t.test("room may stay taken after a result, which slows its owner and nobody else", async (t) => {
  const { concurrency, began, begin, settled } = prepare(1)
  begin("quiet", "quiet")
  const read = (owner: string) =>
    concurrency.run(
      owner,
      { kind: "body", weight: 1, heldMs: 60_000 },
      async () => began.push(owner),
      () => 10,
    )
  await read("flood")
  const second = read("flood")
  await read("other")
  await settled()
  t.strictSame(began, ["quiet", "flood", "other"])
  const alive = setInterval(() => undefined, 1_000)
  t.teardown(() => clearInterval(alive))
  await second
  t.strictSame(began, ["quiet", "flood", "other", "flood"])
})

t.test("a failure gives its room back at once", async (t) => {
  const { concurrency, began, begin, settled } = prepare(1)
  begin("quiet", "quiet")
  const work = { kind: "body", weight: 1, heldMs: 60_000 }
  const failed = concurrency.run(
    "flood",
    work,
    () => Promise.reject(new Error("given up")),
    () => 60_000,
  )
  await t.rejects(failed, /given up/)
  begin("flood", "next", 1, "body")
  await settled()
  t.strictSame(began, ["quiet", "next"])
})

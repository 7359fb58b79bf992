import t from "tap"
import { ConcurrencyLimit } from "../../../../services/api/http/concurrency-limit.ts"

const SECOND_MS = 1_000

/** A limit with a clock of its own, and the names of what began, in order. */
function prepare(limit: number) {
  const clock = { nowMs: 0 }
  const concurrency = new ConcurrencyLimit(limit, () => clock.nowMs)
  const began: string[] = []
  /** Resolves when everything that may begin has begun. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const begin = (owner: string, name: string, weight = 1) => {
    concurrency.note(owner)
    const place = concurrency.acquire(owner, weight)
    if (place === undefined) began.push(name)
    else void place.then(() => began.push(name))
  }
  return { clock, concurrency, began, begin, settled }
}

t.test("an owner without neighbours has no bound", async (t) => {
  const { began, begin } = prepare(2)
  for (let index = 0; index < 100; index++) begin("flood", `${index}`)
  t.equal(began.length, 100)
})

t.test("beside a neighbour, requests of one owner begin as earlier ones end, in their order", async (t) => {
  const { concurrency, began, begin, settled } = prepare(2)
  begin("quiet", "quiet 1")
  for (const name of ["a", "b", "c", "d"]) begin("flood", name)
  begin("quiet", "quiet 2")
  t.strictSame(began, ["quiet 1", "a", "b", "quiet 2"])
  t.equal(concurrency.waiting, 2)
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began.slice(4), ["c"])
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began.slice(4), ["c", "d"])
  t.equal(concurrency.waiting, 0)
})

t.test("a request of the whole weight has its turn among lighter ones", async (t) => {
  const { concurrency, began, begin, settled } = prepare(2)
  concurrency.note("quiet")
  begin("flood", "light 1")
  begin("flood", "heavy", 2)
  begin("flood", "light 2")
  t.strictSame(began, ["light 1"], "a lighter one does not pass a heavier one that came before it")
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began, ["light 1", "heavy"])
  concurrency.release("flood", 2)
  await settled()
  t.strictSame(began, ["light 1", "heavy", "light 2"])
})

t.test("requests that began without neighbours keep later ones waiting", async (t) => {
  const { concurrency, began, begin, settled } = prepare(2)
  for (const name of ["a", "b", "c"]) begin("flood", name)
  concurrency.note("quiet")
  begin("flood", "d")
  t.strictSame(began, ["a", "b", "c"])
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began, ["a", "b", "c"], "two are left, as many as the limit")
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began, ["a", "b", "c", "d"])
})

t.test("an owner whose neighbours were silent for a second has no bound again", async (t) => {
  const { clock, concurrency, began, begin, settled } = prepare(1)
  concurrency.note("quiet")
  for (const name of ["a", "b", "c"]) begin("flood", name)
  clock.nowMs = SECOND_MS - 1
  begin("flood", "d")
  t.strictSame(began, ["a"])
  clock.nowMs = SECOND_MS
  concurrency.release("flood", 1)
  await settled()
  t.strictSame(began, ["a", "b", "c", "d"])
})

t.test("an owner has a neighbour, however many requests of their own came since", async (t) => {
  const { clock, concurrency, began, begin } = prepare(1)
  begin("flood", "a")
  clock.nowMs = SECOND_MS / 2
  concurrency.note("quiet")
  for (const name of ["b", "c"]) begin("flood", name)
  t.strictSame(began, ["a"])
})

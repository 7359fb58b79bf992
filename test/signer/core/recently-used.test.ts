import t from "tap"
import { RecentlyUsed } from "../../../signer/core/recently-used.ts"

t.test("keeps what was used recently, up to its whole weight", (t) => {
  const cache = new RecentlyUsed<string, number>(4)
  for (const name of ["a", "b", "c", "d"]) cache.set(name, 1)
  t.equal(cache.get("a"), 1)
  cache.set("e", 1)
  t.strictSame(
    ["a", "b", "c", "d", "e"].map((name) => cache.get(name)),
    [1, undefined, 1, 1, 1],
  )
  cache.set("heavy", 1, 3)
  t.strictSame(
    ["a", "c", "d", "e", "heavy"].map((name) => cache.get(name)),
    [undefined, undefined, undefined, 1, 1],
  )
  for (let turn = 0; turn < 100; turn += 1) {
    cache.set(`${turn}`, turn, 1 + (turn % 4))
    t.equal(cache.get(`${turn}`), turn)
  }
  t.end()
})

t.test("never exceeds its weight", (t) => {
  const cache = new RecentlyUsed<number, number>(8)
  for (let turn = 0; turn < 100; turn += 1) cache.set(turn, 1, 1 + (turn % 3))
  const weights = Array.from({ length: 100 }, (_, turn) =>
    cache.get(turn) === undefined ? 0 : 1 + (turn % 3),
  )
  t.ok(weights.reduce((sum, weight) => sum + weight) <= 8)
  t.end()
})

t.test("never shows an older value of a key", (t) => {
  const cache = new RecentlyUsed<string, number>(4)
  cache.set("key", 1, 1)
  cache.set("key", 2, 2)
  t.equal(cache.get("key"), 2)
  cache.set("other", 1, 2)
  cache.set("key", 3, 2)
  t.equal(cache.get("key"), 3)
  cache.set("key", 4, 5)
  t.equal(cache.get("key"), undefined, "too heavy")
  t.end()
})

t.test("removes a deleted entry", (t) => {
  const cache = new RecentlyUsed<string, number>(4)
  for (const name of ["a", "b", "c"]) cache.set(name, 1)
  for (const name of ["a", "c"]) cache.delete(name)
  t.strictSame([cache.get("a"), cache.get("b"), cache.get("c")], [undefined, 1, undefined])
  t.end()
})

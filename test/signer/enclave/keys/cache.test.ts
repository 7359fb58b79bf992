import t from "tap"
import { KeyCache } from "../../../../signer/enclave/keys/cache.ts"
import { secretOf } from "./tools.ts"

const key = () => secretOf("11".repeat(32))
const isWiped = (secret: { length: number }) => secret.length === 0

t.test("the cache returns a key until it expires, then wipes it", async (t) => {
  const cache = new KeyCache({ maxEntries: 2, ttlMs: 100 })
  const a = key()
  cache.set("a", a, 1000)
  t.equal(cache.get("a", 1099), a)
  t.notOk(isWiped(a))
  t.equal(cache.get("a", 1100), undefined)
  t.ok(isWiped(a))
  t.equal(cache.size, 0)
})

t.test("use does not prolong the lifetime of a cached key", async (t) => {
  const cache = new KeyCache({ maxEntries: 2, ttlMs: 100 })
  cache.set("a", key(), 0)
  for (const now of [30, 60, 90]) t.ok(cache.get("a", now))
  t.notOk(cache.get("a", 120))
})

t.test("the cache evicts and wipes the least recently used key", async (t) => {
  const cache = new KeyCache({ maxEntries: 2, ttlMs: 100 })
  const [a, b, c] = [key(), key(), key()]
  cache.set("a", a, 0)
  cache.set("b", b, 0)
  cache.get("a", 1)
  cache.set("c", c, 2)
  t.strictSame([a, b, c].map(isWiped), [false, true, false])
  t.equal(cache.get("b", 3), undefined)
  t.equal(cache.size, 2)
})

t.test("the cache wipes a replaced key, but not one that is set again", async (t) => {
  const cache = new KeyCache({ maxEntries: 2, ttlMs: 100 })
  const [a, b] = [key(), key()]
  cache.set("a", a, 0)
  cache.set("a", b, 50)
  t.strictSame([a, b].map(isWiped), [true, false])
  cache.set("a", b, 90)
  t.equal(cache.get("a", 180), b)
})

t.test("delete, sweep and clear wipe cached keys", async (t) => {
  const cache = new KeyCache({ maxEntries: 9, ttlMs: 100 })
  const [a, b, c] = [key(), key(), key()]
  cache.set("a", a, 0)
  cache.set("b", b, 10)
  cache.set("c", c, 50)
  cache.delete("a")
  cache.delete("unknown")
  cache.sweep(110)
  t.strictSame([a, b, c].map(isWiped), [true, true, false])
  cache.clear()
  t.ok(isWiped(c))
  t.equal(cache.size, 0)
})

t.test("a key cache without capacity is an error", async (t) => {
  t.throws(() => new KeyCache({ maxEntries: 0, ttlMs: 1 }), RangeError)
})

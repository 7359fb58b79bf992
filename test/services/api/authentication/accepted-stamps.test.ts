import t from "tap"
import { AcceptedStamps } from "../../../../services/api/authentication/accepted-stamps.ts"

const MINUTE_MS = 60_000

function opened() {
  const clock = { nowMs: 0 }
  const stamps = new AcceptedStamps(() => clock.nowMs)
  const accept = (credential: string, times = 4) => {
    for (let count = 0; count < times; count++) stamps.accept("org", credential)
  }
  const isLeft = (credential: string, organizationId = "org") => {
    const end = stamps.begin(organizationId, credential)
    end?.()
    return end !== undefined
  }
  return { clock, stamps, accept, isLeft }
}

t.test(
  "stamps are left to the signer once it accepted four of the credential in the organization",
  async (t) => {
    const { accept, isLeft } = opened()
    t.notOk(isLeft("key"))
    accept("key", 3)
    t.notOk(isLeft("key"))
    accept("key", 1)
    t.ok(isLeft("key"))
    t.notOk(isLeft("key", "another"))
    t.notOk(isLeft("another"))
  },
)

t.test("after an invalid stamp nothing counts for a minute, and four are needed again", async (t) => {
  const { clock, stamps, accept, isLeft } = opened()
  accept("key")
  stamps.drop("org", "key")
  t.notOk(isLeft("key"))
  clock.nowMs = MINUTE_MS - 1
  accept("key", 10)
  t.notOk(isLeft("key"))
  clock.nowMs = MINUTE_MS
  accept("key", 3)
  t.notOk(isLeft("key"))
  accept("key", 1)
  t.ok(isLeft("key"))
})

t.test("strangers' invalid stamps take no memory", async (t) => {
  const { stamps, accept, isLeft } = opened()
  stamps.drop("org", "key")
  accept("key")
  t.ok(isLeft("key"))
})

t.test("W169: at most 64 orders of a credential and 256 of all are under way unverified", async (t) => {
  const { stamps, accept, isLeft } = opened()
  const begin = (credential: string, count: number) =>
    Array.from({ length: count }, () => stamps.begin("org", credential))
  for (const key of ["a", "b", "c", "d", "e"]) accept(key)
  const [first, ...others] = begin("a", 65)
  t.equal(others.at(-1), undefined)
  t.equal([first, ...others].filter(Boolean).length, 64)
  t.ok(isLeft("b"))
  const more = ["b", "c", "d"].flatMap((key) => begin(key, 64))
  t.notOk(more.includes(undefined))
  t.notOk(isLeft("e"))
  first?.()
  t.ok(isLeft("e"))
  t.ok(isLeft("a"))
  for (const end of [...others, ...more]) end?.()
  t.ok(isLeft("b"))
})

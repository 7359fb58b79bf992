import { randomBytes } from "node:crypto"
import t from "tap"
import { IdSource } from "../../../signer/enclave/ids.ts"

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

t.test("ids are UUIDs of version 7 that carry their time", async (t) => {
  const nowMs = Date.UTC(2026, 0, 1)
  const id = new IdSource(randomBytes).next(nowMs)
  t.match(id, UUID_V7)
  t.equal(Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16), nowMs)
})

t.test(
  "ids grow within one millisecond, past the counter, and when the clock stops or goes back",
  async (t) => {
    const ids = new IdSource(randomBytes)
    const made = [
      ...Array.from({ length: 10_000 }, () => ids.next(1_000_000)),
      ids.next(999_000),
      ids.next(2_000_000),
    ]
    t.same(made, made.toSorted())
    t.equal(new Set(made).size, made.length)
    t.ok(made.every((id) => UUID_V7.test(id)))
  },
)

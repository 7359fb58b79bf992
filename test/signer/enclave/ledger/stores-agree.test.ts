// SQLite's store and the one in memory, given the same random verbs: they answer alike, and keep the same bytes.
import t from "tap"
import type { StoredChange } from "../../../../signer/enclave/ledger/store.ts"
import { openConnection } from "../../../../signer/enclave/ledger/sqlite/connection.ts"
import { createDatabase } from "../../../../signer/enclave/ledger/sqlite/database.ts"
import { LongWriter } from "../../../../signer/enclave/ledger/sqlite/long-writer.ts"
import { SqliteStore } from "../../../../signer/enclave/ledger/sqlite/sqlite-store.ts"
import { makeFile } from "../../../../signer/enclave/ledger/files.ts"
import { casesOf } from "../../../harness/long.ts"
import { Random } from "../../../fuzz/random.ts"
import { databaseOf } from "./harness.ts"
import { MemoryStorage, MemoryStore } from "./memory-store.ts"
import { contentOf, entry, NEW, plain, removal, shard, Writer, writerOf } from "./store-harness.ts"

const SHARDS = ["", "#0000", "a", "a#rows-000", "b", "b#1", "é"]
const KINDS = ["record", "fingerprint", "changed"] as const
const KEYS = ["", "a", "a/1", "a0", "b", "\u{ffff}", "\u{10000}"]
const TIMES = [undefined, 5, 5, 10, 15, 2e12]
const STEPS = 150

function change(random: Random): StoredChange {
  const name = random.of(SHARDS)
  const [kind, key] = [random.of(KINDS), random.of(KEYS)]
  if (random.below(4) === 0) return removal(name, kind, key)
  // The value of a row `changed` is a sequence, which is read without a check of its MAC.
  const value = new Uint8Array(kind === "changed" ? 8 : random.below(50)).fill(random.below(256))
  return entry(name, kind, key, value, kind === "changed" ? undefined : random.of(TIMES))
}

function changes(random: Random): StoredChange[] {
  const size = random.below(25) === 0 ? 700 : 1 + random.below(8)
  const made = Array.from({ length: size }, () => change(random))
  const named = new Set(made.map((each) => (each.is === "shard" ? each.name : each.shard)))
  return [...made, ...[...named].map((name) => shard(name, random.below(1_000)))]
}

/** One step, for each of the writers the same; its answers. */
function step(random: Random): (writer: Writer) => Promise<unknown> {
  const [made, name, kind] = [changes(random), random.of(SHARDS), random.of(KINDS)]
  const bounds = Object.fromEntries(
    (["from", "after", "before"] as const).flatMap((bound) =>
      random.below(2) === 0 ? [] : [[bound, random.of(KEYS)]],
    ),
  )
  const atMost = 1 + random.below(5)
  const untilMs = random.below(20)
  switch (random.below(8)) {
    case 0:
      return ({ store }) => store.rows({ of: "rows", shard: name, kind, ...bounds, atMost })
    case 1:
      return ({ store }) => store.rows({ of: "shards", after: name, atMost })
    case 2:
      return async ({ store }) => [store.reads.organizationStates(name, atMost), store.reads.rowsIn(name)]
    case 3:
      return ({ store }) => expiredAt(store, untilMs, atMost)
    case 4:
      // A batch of another sequence, of all lanes.
      return (writer) => {
        const batch = writer.batch([...made, shard("#0000"), shard("a")])
        const lanes = batch.lanes.map((lane) => ({
          ...lane,
          sequence: lane.sequence + BigInt(random.below(2) + 1),
        }))
        return writer.append({ ...batch, lanes }).then(({ is }) => is)
      }
    case 5:
      // A batch that is stored already.
      return async (writer) => {
        const batch = await writer.write(...made)
        return writer.append(batch)
      }
    default:
      return async (writer) => plain((await writer.write(...made)).lanes)
  }
}

/** Names of all rows that expired, page by page; rows of one time have no order that stores share. */
async function expiredAt(store: Writer["store"], untilMs: number, atMost: number): Promise<string[]> {
  const found: string[] = []
  for (let after = { expiresMs: -1, number: 0 }; ; ) {
    const page = await store.rows({ of: "expired", after, untilMs, atMost })
    const last = page.at(-1)
    if (last === undefined) return found.toSorted()
    found.push(...page.map(({ expiresMs, shard: name, kind, key }) => `${expiresMs} ${name} ${kind} ${key}`))
    after = last
  }
}

t.test("two stores answer the same verbs alike", async (t) => {
  const seeds = Array.from({ length: 40 }, (_, index) => index + 1)
  for (const seed of casesOf(4, seeds)) {
    const file = databaseOf(t.testdir({}))
    makeFile(file)
    createDatabase(file, NEW)
    const storage = new MemoryStorage({ ...NEW })
    const openSqlite = () =>
      writerOf(new SqliteStore({ connection: openConnection(file), longWriter: new LongWriter(file) }))
    const random = new Random(seed)
    let [one, other] = [await openSqlite(), await writerOf(new MemoryStore(storage))]
    for (let round = 0; round < STEPS; round++) {
      const number = 1 + random.below(1e9)
      // Each store has a generator of its own with the same seed.
      const [answer, expected] = [await step(new Random(number))(one), await step(new Random(number))(other)]
      if (!t.same(plain(answer), plain(expected), `seed ${seed}, step ${round}`)) break
      if (random.below(30) > 0) continue
      t.same(await contentOf(one.store), await contentOf(other.store), `seed ${seed}, after step ${round}`)
      await one.store.close()
      await other.store.close()
      one = await openSqlite()
      other = await writerOf(new MemoryStore(storage))
    }
    t.same(await contentOf(one.store), await contentOf(other.store), `seed ${seed}, at the end`)
    await one.store.close()
  }
})

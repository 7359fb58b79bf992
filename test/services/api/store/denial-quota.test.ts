// The bound on stored denials: of one user on one day, over all processes.
import t from "tap"
import {
  DenialQuota,
  MAX_STORED_CHARACTERS,
  MAX_STORED_DENIALS,
} from "../../../../services/api/store/denial-quota.ts"
import type { Database } from "../../../../services/database/database.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId, sampleActivity, sampleVote } from "./sample.ts"

const DAY_MS = 86_400_000
const organizationId = nextId()

function denial(userId: string, day = 20_000, message = "{}") {
  return sampleActivity({
    organizationId,
    userId,
    deniedUserId: userId,
    createdMs: day * DAY_MS + DAY_MS - 1,
    votes: [sampleVote({ message })],
    failure: "{}",
  })
}

/** How many of so many denials are stored. */
async function stored(
  quota: DenialQuota,
  count: number,
  make: () => ReturnType<typeof denial>,
): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => quota.admits(make())))
  return answers.filter(Boolean).length
}

const countsOf = (sql: Database) =>
  sql<{ denials: bigint }[]>`select denials from denial_counts order by user_id`

t.test("of a user's denials so many are stored a day, and all are counted", async (t) => {
  const { sql } = await freshDatabase(t)
  const [alice, bob] = [nextId(), nextId()]
  const quota = new DenialQuota(sql)
  t.equal(await stored(quota, MAX_STORED_DENIALS + 20, () => denial(alice)), MAX_STORED_DENIALS)
  t.equal(await quota.admits(denial(alice)), false)
  t.equal(await quota.admits(denial(bob)), true, "another user")
  await quota.idle()
  t.same(await countsOf(sql), [{ denials: BigInt(MAX_STORED_DENIALS + 21) }, { denials: 1n }])
  t.equal(await quota.admits(denial(alice, 20_001)), true, "the next day")
  t.equal(await new DenialQuota(sql).admits(denial(alice, 20_000)), true, "a clock that is behind")
})

t.test("two processes share the bound", async (t) => {
  const { sql } = await freshDatabase(t)
  const alice = nextId()
  const quotas = [new DenialQuota(sql), new DenialQuota(sql)]
  const each = await Promise.all(
    quotas.map((quota) => stored(quota, MAX_STORED_DENIALS, () => denial(alice))),
  )
  t.equal((each[0] ?? 0) + (each[1] ?? 0), MAX_STORED_DENIALS)
  t.equal(await stored(new DenialQuota(sql), 3, () => denial(alice)), 0, "a process that starts later")
})

t.test("large bodies reach the bound sooner", async (t) => {
  const { sql } = await freshDatabase(t)
  const alice = nextId()
  const megabyte = "x".repeat(1024 * 1024)
  const count = await stored(new DenialQuota(sql), 20, () => denial(alice, 20_000, megabyte))
  t.equal(count, MAX_STORED_CHARACTERS / megabyte.length - 1)
})

t.test("a denial that cannot be counted fails, and the next one is counted", async (t) => {
  const { sql } = await freshDatabase(t)
  const quota = new DenialQuota(sql)
  await sql`alter table denial_counts rename to hidden`
  await t.rejects(quota.admits(denial(nextId())), { code: "42P01" })
  await sql`alter table hidden rename to denial_counts`
  t.equal(await quota.admits(denial(nextId())), true)
})

t.test("a flood takes one statement at a time", async (t) => {
  const { sql } = await freshDatabase(t)
  let statements = 0
  const watched = new Proxy(sql, {
    apply: (target, self, given) => {
      statements++
      return Reflect.apply(target, self, given) as unknown
    },
  })
  const quota = new DenialQuota(watched)
  for (const user of [nextId(), nextId()]) await stored(quota, 3_000, () => denial(user))
  await quota.idle()
  t.ok(statements >= 2 && statements <= 4, `${statements} statements`)
})

t.test(
  "C-1922: so many users are remembered beyond their bound, and those who are forgotten are refused as well",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const quota = new DenialQuota(sql, { maxSpent: 2 })
    const users = Array.from({ length: 5 }, nextId)
    for (const user of users) await stored(quota, MAX_STORED_DENIALS, () => denial(user))
    t.equal(quota.spent, 2)
    for (const user of users) t.equal(await quota.admits(denial(user)), false)
    t.equal(quota.spent, 2)
  },
)

import { randomBytes } from "node:crypto"
import t from "tap"
import { restoreState } from "../../../../services/api/store/changes.ts"
import type { Database } from "../../../../services/database/database.ts"
import { getSession, listSessions, type SessionChange } from "../../../../services/api/store/sessions.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId } from "./sample.ts"

const KEY = `02${"11".repeat(32)}`

function sample(given: Partial<SessionChange> = {}): SessionChange {
  const expiresMs = Date.now() + 900_000
  return {
    id: nextId(),
    publicKey: KEY,
    userId: nextId(),
    expiresMs,
    ended: false,
    bytes: randomBytes(200),
    ...given,
  }
}

async function store(sql: Database, organizationId: string, ...sessions: SessionChange[]): Promise<void> {
  await restoreState(sql, { organizationId, records: [], sessions, createdMs: 0 })
}

t.test("an ended session stays ended, in any order of its records and after repetitions", async (t) => {
  const { sql } = await freshDatabase(t)
  const created = sample()
  const ended = { ...created, ended: true, bytes: randomBytes(200) }
  for (const order of [
    [created, ended],
    [ended, created],
    [ended],
    [created, created, ended, ended],
    [ended, created, ended],
  ]) {
    const id = nextId()
    for (const change of order) await store(sql, id, change)
    t.equal(await getSession(sql, id, KEY), undefined)
    t.same(await listSessions(sql, id, { nowMs: Date.now() }), [])
    const all = nextId()
    await store(sql, all, ...order)
    t.equal(await getSession(sql, all, KEY), undefined, "at once")
  }
})

t.test("the newest session of a key is found, in its organization only", async (t) => {
  const { sql } = await freshDatabase(t)
  const [one, other] = [nextId(), nextId()]
  const [first, second, third] = [sample(), sample(), sample()]
  await store(sql, one, second, first)
  await store(sql, other, third)
  t.same(await getSession(sql, one, KEY), { id: second.id, bytes: second.bytes })
  t.same(await getSession(sql, other, KEY), { id: third.id, bytes: third.bytes })
  t.equal(await getSession(sql, one, `03${"11".repeat(32)}`), undefined)
  t.equal(await getSession(sql, "no id", KEY), undefined)
  const ids = async (filter: { nowMs: number; userIds?: readonly string[] }) =>
    (await listSessions(sql, one, filter)).map(({ id }) => id)
  const nowMs = Date.now()
  t.same(await ids({ nowMs }), [first.id, second.id])
  t.same(await ids({ nowMs, userIds: [first.userId] }), [first.id])
  t.same(await ids({ nowMs, userIds: ["no id"] }), [])
  t.same(await ids({ nowMs: first.expiresMs - 1 }), [first.id, second.id], "in the last millisecond")
  t.notOk((await ids({ nowMs: first.expiresMs })).includes(first.id), "no longer once it expires")
})

import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  SessionRecordSchema,
  SessionScopeSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import {
  CurrentSessions,
  writeSessionTarget,
} from "../../../../../signer/enclave/execution/state/sessions.ts"
import { archiveKey } from "../../../../../signer/enclave/execution/state/archived-records.ts"
import { ledgerWithRows, ORGANIZATION, RECORD_KEYS, recordOf } from "./records-fixture.ts"

const { SESSION, WALLET } = RecordKind
const [ONE, TWO] = ["00000000-0000-7000-8000-000000000001", "00000000-0000-7000-8000-000000000002"] as const
const userId = "00000000-0000-7000-8000-000000000009"

function sessionOf(id: string, sessionProfileId?: string, version = 1n) {
  const scope = sessionProfileId && create(SessionScopeSchema, { sessionProfileId, condition: "true" })
  const payload = create(SessionRecordSchema, { userId, publicKey: `key ${id}`, ...(scope && { scope }) })
  return recordOf(SESSION, id, toBinary(SessionRecordSchema, payload), version)
}

const rowOf = (id: string, publicKey: string) => ({
  kind: "session" as const,
  key: publicKey,
  value: writeSessionTarget({ id, userId }),
})

t.test("A5: a key has a session while the ledger has its row", async (t) => {
  const { ledger, put, archive, remove } = await ledgerWithRows(t)
  const sessions = new CurrentSessions(ledger, RECORD_KEYS)
  await archive(sessionOf(ONE))
  t.equal(sessions.find(ORGANIZATION, "key"), undefined)
  await put(rowOf(ONE, "key"))
  const found = sessions.find(ORGANIZATION, "key")
  t.match(found, { id: ONE, userId, publicKey: `key ${ONE}` })
  t.notOk(found?.scope)
  t.equal(sessions.find(ORGANIZATION, "key"), found, "the parsed session is kept")
  t.ok(Object.isFrozen(found), "no activity changes what others read")
  t.equal(sessions.find("other", "key"), undefined)
  t.same(sessions.targets(ORGANIZATION), [{ id: ONE, userId }])
  await remove("session", "key")
  t.equal(sessions.find(ORGANIZATION, "key"), undefined)
  t.same(sessions.targets(ORGANIZATION), [])
})

t.test("a session whose record was purged is none", async (t) => {
  const { ledger, put } = await ledgerWithRows(t)
  const sessions = new CurrentSessions(ledger, RECORD_KEYS)
  await put(rowOf(ONE, "key"))
  t.equal(sessions.find(ORGANIZATION, "key"), undefined)
  t.equal(sessions.record(ORGANIZATION, ONE), undefined)
})

t.test("A5: a session is read from its own record only, which never changes", async (t) => {
  const wrong = [
    [sessionOf(TWO), "RECORD_UNEXPECTED"],
    [recordOf(WALLET, ONE), "RECORD_UNEXPECTED"],
    [sessionOf(ONE, undefined, 2n), "RECORD_ROLLED_BACK"],
    [{ ...sessionOf(ONE), deleted: true }, "RECORD_FORGED"],
  ] as const
  for (const [record, code] of wrong) {
    const { ledger, archive } = await ledgerWithRows(t)
    await archive(record, archiveKey(SESSION, ONE))
    t.throws(() => new CurrentSessions(ledger, RECORD_KEYS).session(ORGANIZATION, ONE), { code })
  }
})

t.test("sessions of one profile share its scope, and others do not", async (t) => {
  const { ledger, archive } = await ledgerWithRows(t)
  const sessions = new CurrentSessions(ledger, RECORD_KEYS)
  const [three, four] = ["00000000-0000-7000-8000-000000000003", "00000000-0000-7000-8000-000000000004"]
  for (const [id, profile] of [
    [ONE, "profile"],
    [TWO, "profile"],
    [three, "profile"],
    [four, "other"],
  ] as const)
    await archive(sessionOf(id, profile))
  const [one, two, third, other] = [ONE, TWO, three, four].map(
    (id) => sessions.session(ORGANIZATION, id)?.scope,
  )
  t.match(one, { sessionProfileId: "profile", condition: "true" })
  t.equal(one, two)
  t.equal(one, third)
  t.match(other, { sessionProfileId: "other" })
})

t.test("a session's row names its record and its user", async (t) => {
  t.equal(Buffer.from(writeSessionTarget({ id: ONE, userId })).toString(), `${ONE} ${userId}`)
})

import { create } from "@bufbuild/protobuf"
import t from "tap"
import { RefusalCode } from "../../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { ReadArchiveResponseSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { recordChanges } from "../../../../services/api/store/state-change.ts"
import { restoreState } from "../../../../services/api/store/changes.ts"
import type { Database } from "../../../../services/database/database.ts"
import { notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { outcome, refused, sha256, signBody, signed, submitBody } from "../prepared.ts"
import { sessionRecord } from "../session-records.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"

const CHILD_ID = "6f0b1c1e-0000-4000-8000-000000000002"
const keys = { alice: makeKey(), bob: makeKey() }
const alice = user("alice", keys.alice)
const bob = user("bob", keys.bob)
const WHOAMI = { organizationId: ORGANIZATION_ID }
const HEAD = `head of ${ORGANIZATION_ID}`

async function started(t: Parameters<typeof startApi>[0]) {
  const api = await startApi(t)
  await storeOrganization(api.sql, {
    users: [alice, bob],
    rootQuorum: { threshold: 1, userIds: [alice.userId] },
  })
  const key = makeKey()
  const session = sessionRecord({ publicKey: key.publicKey, userId: alice.userId })
  const sign = () => api.post("submit/sign_raw_payload", signBody(), key)
  const whoami = () => api.post("query/whoami", WHOAMI, key)
  return { ...api, key, session, sign, whoami }
}

async function stored(sql: Database, ...records: Uint8Array[]): Promise<void> {
  await restoreState(sql, { organizationId: ORGANIZATION_ID, ...recordChanges(records), createdMs: 0 })
}

t.test("a login is stored with its session, which then stamps without a database look-up", async (t) => {
  const { signer, post, sql, key, session, sign } = await started(t)
  const result = { result: { case: "stampLoginResult", value: { session: "token" } } } as const
  signer.answers.push(outcome(alice.userId, { result, records: [session.record] }), signed(alice.userId))
  const login = submitBody("STAMP_LOGIN", { publicKey: key.publicKey })
  t.match(await post("submit/stamp_login", login, keys.alice), {
    status: 200,
    json: { activity: { result: { stampLoginResult: { session: "token" } } } },
  })
  t.match(await sql`select id, ended from sessions`, [{ id: session.id, ended: false }])
  t.same(await sql`select 1 from records`, [], "it passes, so it is not among those that stay")
  t.same(signer.acknowledged, [sha256(login).toString("hex")])

  t.equal((await sign()).status, 200)
  await sql`drop table sessions`
  signer.answers.push(signed(alice.userId))
  t.equal((await sign()).status, 200, "warm, nothing is read")
  t.equal(signer.orders.length, 3, "and nothing more is asked of the signer")
})

t.test("a session of another or an earlier process is found in the database", async (t) => {
  const { signer, sql, session, sign, whoami } = await started(t)
  await stored(sql, session.record)
  signer.answers.push(signed(alice.userId))
  t.equal((await sign()).status, 200)
  t.match(await whoami(), { status: 200, json: { username: "alice" } })
  t.same(signer.questions, [])
})

t.test("a session that the database lost is restored from the signer's archive, once", async (t) => {
  const { signer, sql, key, session, sign, whoami } = await started(t)
  signer.headVersion = 1n
  signer.sessions.set(key.publicKey, [session.record])
  t.match(await whoami(), { status: 200, json: { username: "alice" } })
  const asked = [HEAD, `session of ${key.publicKey} in ${ORGANIZATION_ID}`]
  t.same(signer.questions, asked)
  await sql`delete from sessions`
  signer.answers.push(signed(alice.userId))
  t.equal((await sign()).status, 200, "it was in memory")
  t.match(await whoami(), { status: 200 })
  t.equal((await sql`select 1 from sessions`).length, 1)
  t.same(signer.questions, [...asked, ...asked])
})

t.test("an archive that ends in sessions, or consists of them, is restored", async (t) => {
  const { signer, sql, post } = await startApi(t)
  const first = sessionRecord({ publicKey: makeKey().publicKey, userId: alice.userId })
  const second = sessionRecord({ publicKey: makeKey().publicKey, userId: alice.userId })
  const document = notarized({ users: [alice, bob], rootQuorum: { threshold: 1, userIds: [alice.userId] } })
  signer.archives.push(
    create(ReadArchiveResponseSchema, {
      document,
      records: [first.record],
      more: true,
      nextCursor: "page 2",
    }),
    create(ReadArchiveResponseSchema, { records: [second.record] }),
  )
  t.equal((await post("query/whoami", WHOAMI, keys.alice)).status, 200)
  t.same(await sql`select id from sessions order by id`, [{ id: first.id }, { id: second.id }])
  // A signer that knows no cursors continues after the record.
  t.same(signer.readAfter, [
    { cursor: "", afterRecordId: "" },
    { cursor: "page 2", afterRecordId: first.id },
  ])
})

t.test("an ended session reads nothing more, and the signer refuses it only once", async (t) => {
  const { signer, sql, session, sign, whoami } = await started(t)
  signer.headVersion = 1n
  await stored(sql, session.record)
  signer.answers.push(signed(alice.userId))
  t.equal((await sign()).status, 200)
  await stored(sql, session.ended)
  signer.answers.push(refused(RefusalCode.CREDENTIAL_UNKNOWN, "could not find public key"))
  for (const when of ["while this process remembers it", "afterwards"])
    t.match(await sign(), { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } }, when)
  t.equal(signer.orders.length, 2)
  t.match(await whoami(), { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } })
})

t.test("an ended session does not get its earlier activities", async (t) => {
  const { signer, sql, key, session, post } = await started(t)
  signer.headVersion = 1n
  await stored(sql, session.record)
  const body = submitBody("CREATE_WALLET", { walletName: "One", accounts: [] })
  const value = { walletId: session.id, addresses: [] }
  signer.answers.push(outcome(alice.userId, { result: { result: { case: "createWalletResult", value } } }))
  t.equal((await post("submit/create_wallet", body, key)).status, 200)
  t.equal((await post("submit/create_wallet", body, key)).status, 200, "a repeated body is the same activity")
  t.equal(signer.orders.length, 1)
  await stored(sql, session.ended)
  t.equal((await post("submit/create_wallet", body, key)).status, 401)
})

t.test("refuses an expired session, and a session of a deleted user", async (t) => {
  const { signer, post, sql } = await started(t)
  signer.headVersion = 1n
  const [late, lost] = [makeKey(), makeKey()]
  const expired = { publicKey: late.publicKey, userId: alice.userId, createdMs: Date.now() - 900_000 }
  await stored(sql, sessionRecord(expired).record)
  await stored(sql, sessionRecord({ publicKey: lost.publicKey, userId: ORGANIZATION_ID }).record)
  for (const path of ["query/whoami", "submit/sign_raw_payload"]) {
    const body = path === "query/whoami" ? JSON.stringify(WHOAMI) : signBody()
    t.match(
      await post(path, body, late),
      {
        status: 401,
        json: {
          turnkeyErrorCode: "API_KEY_EXPIRED",
          message: /Unauthenticated desc = expired api key publicKey=0/,
        },
      },
      path,
    )
    t.match(
      await post(path, body, lost),
      { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } },
      path,
    )
  }
  t.same(signer.orders, [])
})

t.test("a session of the parent reads its sub-organizations", async (t) => {
  const { sql, session, post, key } = await started(t)
  await stored(sql, session.record)
  await storeOrganization(sql, { organizationId: CHILD_ID, parentId: ORGANIZATION_ID, users: [bob] })
  const { status, json } = await post("query/list_users", { organizationId: CHILD_ID }, key)
  t.equal(status, 200)
  t.match(json, { users: [{ userName: "bob" }] })
})

t.test("shows sessions among the keys of their users until they expire", async (t) => {
  const { sql, session, post } = await started(t)
  const createdMs = Date.now() - 1_800_000
  const gone = sessionRecord({ publicKey: makeKey().publicKey, userId: alice.userId, createdMs })
  const ended = sessionRecord({ publicKey: makeKey().publicKey, userId: alice.userId })
  await stored(sql, session.record, gone.record, ended.record, ended.ended)
  const ask = async (path: string, parameters: object = {}) =>
    (await post(`query/${path}`, { ...WHOAMI, ...parameters }, keys.alice)).json
  const shown = {
    apiKeyId: session.id,
    apiKeyName: "Session - then",
    credential: { type: "CREDENTIAL_TYPE_LOGIN" },
    expirationSeconds: "900",
  }
  const aliceKeys = [{ apiKeyName: "alice's key" }, shown]
  const bobKeys = [{ apiKeyName: "bob's key" }]
  const exactly = (t: Tap, found: unknown, wanted: object[], what: string) => {
    t.match(found, wanted, what)
    t.equal((found as object[]).length, wanted.length, what)
  }
  exactly(t, (await ask("get_api_keys"))["apiKeys"], [...aliceKeys, ...bobKeys], "get_api_keys of all")
  exactly(
    t,
    (await ask("get_api_keys", { userId: alice.userId }))["apiKeys"],
    aliceKeys,
    "get_api_keys of one",
  )
  exactly(
    t,
    (await ask("get_api_keys", { userId: bob.userId }))["apiKeys"],
    bobKeys,
    "get_api_keys of another",
  )
  const { apiKey } = (await ask("get_api_key", { apiKeyId: session.id })) as { apiKey: object }
  t.match(apiKey, shown, "get_api_key")
  t.equal((await ask("get_api_key", { apiKeyId: ended.id }))["code"], 5, "get_api_key of an ended one")
  type Users = { users: { apiKeys: object[] }[] }
  const { users } = (await ask("list_users")) as Users
  exactly(t, users[0]!.apiKeys, aliceKeys, "list_users")
  exactly(t, users[1]!.apiKeys, bobKeys, "list_users")
  const { user: one } = (await ask("get_user", { userId: alice.userId })) as { user: Users["users"][0] }
  exactly(t, one.apiKeys, aliceKeys, "get_user")
  const { organizationData } = (await ask("get_organization")) as { organizationData: Users }
  exactly(t, organizationData.users[0]!.apiKeys, aliceKeys, "get_organization")
})

type Tap = {
  match: (...args: [unknown, unknown, string]) => unknown
  equal: (...args: [unknown, unknown, string]) => unknown
}

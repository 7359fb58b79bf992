import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ReadArchiveResponseSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { OrganizationCache } from "../../../../services/api/authentication/organization-cache.ts"
import { OrganizationStore } from "../../../../services/api/authentication/organization-store.ts"
import { LedgerSync } from "../../../../services/api/signer/ledger-sync.ts"
import { createLogger } from "../../../../services/common/logger.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { notarized, ORGANIZATION_ID, storeOrganization, user } from "../documents.ts"
import { signBody, signed } from "../prepared.ts"
import { startApi } from "../start-api.ts"
import { makeKey } from "../stamps.ts"
import { StubSigner } from "../stub-signer.ts"

const keys = { alice: makeKey(), bob: makeKey() }
const alice = user("alice", keys.alice)
const bob = user("bob", keys.bob)
const rootQuorum = { threshold: 1, userIds: [alice.userId] }
const HEAD = `head of ${ORGANIZATION_ID}`
const ARCHIVE = `archive of ${ORGANIZATION_ID}`
const UNKNOWN_ID = "6f0b1c1e-0000-4000-8000-00000000ffff"

const archived = (version: bigint) =>
  create(ReadArchiveResponseSchema, { document: notarized({ version, users: [alice, bob], rootQuorum }) })

t.test("an organization that the database has lost is restored from the archive", async (t) => {
  for (const ask of ["query", "submit"] as const) {
    const { signer, post, sql } = await startApi(t)
    signer.archives.push(archived(3n))
    signer.answers.push(signed(alice.userId))
    const query = () => post("query/whoami", { organizationId: ORGANIZATION_ID }, keys.alice)
    const reply = await (ask === "query" ? query() : post("submit/sign_raw_payload", signBody(), keys.alice))
    t.equal(reply.status, 200, ask)
    t.same(await sql`select version from organizations`, [{ version: 3n }])
    t.match(await query(), { status: 200, json: { username: "alice" } })
    t.same(signer.questions, [ARCHIVE], "asked once")
  }
})

t.test("an organization that neither database nor signer has stays unknown", async (t) => {
  const { signer, post, sql } = await startApi(t)
  for (const reply of [
    await post("query/whoami", { organizationId: UNKNOWN_ID }, keys.alice),
    await post("submit/sign_raw_payload", signBody("x", UNKNOWN_ID), keys.alice),
  ]) {
    t.match(reply, { status: 400, json: { turnkeyErrorCode: "ORGANIZATION_NOT_FOUND" } })
  }
  t.same(signer.questions, [`archive of ${UNKNOWN_ID}`, `archive of ${UNKNOWN_ID}`])
  t.same(signer.orders, [])
  t.same(await sql`select 1 from organizations`, [])
})

t.test("a key of a newer version is accepted once the database has caught up", async (t) => {
  for (const ask of ["query", "submit"] as const) {
    const { signer, post, sql } = await startApi(t)
    await storeOrganization(sql, { users: [alice], rootQuorum })
    signer.headVersion = 2n
    signer.archives.push(archived(2n))
    signer.answers.push(signed(bob.userId))
    const query = () => post("query/whoami", { organizationId: ORGANIZATION_ID }, keys.bob)
    const reply = await (ask === "query" ? query() : post("submit/sign_raw_payload", signBody(), keys.bob))
    t.equal(reply.status, 200, ask)
    t.same(await sql`select version from organizations`, [{ version: 2n }])
    t.match(await query(), { status: 200, json: { username: "bob" } })
    t.same(signer.questions, [HEAD, ARCHIVE], "asked once")
  }
})

t.test("a key of no version is refused, and the archive is not read", async (t) => {
  const { signer, post, sql } = await startApi(t)
  await storeOrganization(sql, { version: 2n, users: [alice], rootQuorum })
  signer.headVersion = 2n
  for (const reply of [
    await post("query/whoami", { organizationId: ORGANIZATION_ID }, keys.bob),
    await post("submit/sign_raw_payload", signBody(), keys.bob),
  ]) {
    t.match(reply, { status: 401, json: { turnkeyErrorCode: "PUBLIC_KEY_NOT_FOUND" } })
  }
  const session = `session of ${keys.bob.publicKey} in ${ORGANIZATION_ID}`
  t.same(signer.questions, [HEAD, session, HEAD, session])
  t.same(signer.orders, [])
})

t.test("over 50 look-ups a second the answer is 503, and the signer is not asked", async (t) => {
  const { sql } = await freshDatabase(t)
  const signer = new StubSigner()
  let elapsedMs = 1_999
  const outcomes = { storeRecovered: () => Promise.reject(new Error("no outcome is recovered here")) }
  const log = createLogger("test", "fatal")
  const ledgerSync = new LedgerSync({ signer, sql, outcomes, log, elapsedMs: () => elapsedMs })
  const organizations = new OrganizationStore({ sql, cache: new OrganizationCache(), ledgerSync })
  const known = await storeOrganization(sql, { users: [alice], rootQuorum })
  await organizations.catchUp(known.id)
  for (let question = 1; question < 50; question++) t.equal(await organizations.get(UNKNOWN_ID), undefined)
  await t.rejects(organizations.get(UNKNOWN_ID), { message: /try again/ })
  const refusal: unknown = await organizations.catchUp(known.id).catch((error: unknown) => error)
  t.match(refusal, { status: 503, reason: "UNAVAILABLE" })
  t.equal(signer.questions.length, 50)
  t.equal((await organizations.get(known.id))?.version, 1n, "what the database knows needs no question")
  t.equal(await organizations.get("no id at all"), undefined, "no organization has a malformed id")
  elapsedMs = 2_000
  t.equal(await organizations.get(UNKNOWN_ID), undefined)
  t.equal(signer.questions.length, 51)
})

import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import { DEFAULT_LIMITS } from "../../signer/enclave/organization/limits.ts"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { Draft } from "../../signer/enclave/organization/draft.ts"
import { notarizeDocument, openDocument } from "../../signer/enclave/organization/notarize.ts"
import { Organization } from "../../signer/core/organization/organization.ts"
import { makeRecord, writeRecord } from "../../signer/enclave/records/record.ts"
import { apiKey, outcomeOf, signParams, userParams, valueOf } from "../harness/api-client.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { bitFlips, ledgerDigest, refused, type Fixture, setup } from "./setup.ts"

const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const MINUTE_MS = 60_000

/** A body of the session's key that signs, the same each time. */
function signing({ client, acme, address }: Fixture, key: TestKey) {
  const body = client.body(SIGN, acme.organizationId, signParams(address))
  return () => client.offer(body, stampWith(key, body))
}

t.test("A4: a session is valid from its login to the millisecond in which it expires", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const unborn = newKey()
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", signing(fixture, unborn), "before the login")
  const { outcome } = await client.login(acme, acme.root, { expirationSeconds: "600" }, unborn)
  const endsMs = Number(outcome.decision!.decidedAtMs) + 600_000
  const attempt = signing(fixture, unborn)
  boundary.clock.pass(endsMs - 1 - boundary.clock.wallMs())
  t.match(await attempt(), { is: "outcome" }, "in its last millisecond")
  boundary.clock.pass(1)
  await refused(t, fixture, "CREDENTIAL_EXPIRED", attempt)
  boundary.clock.setWall(boundary.clock.wallMs() - 2 * MINUTE_MS)
  await boundary.restart()
  await refused(t, fixture, "CREDENTIAL_EXPIRED", attempt, "after a restart with a clock two minutes behind")
  await boundary.signer.purge()
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", attempt, "once it was purged")
  const { ledger } = boundary.signer.state()
  t.same(ledger.rows(acme.organizationId, "session"), [], "nothing of it is left")
  t.same(sessionRecords(fixture), [])
})

t.test("A4: stamps of an ended session are refused, whatever records the API tier supplies", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId, root, rootUserId } = acme
  const ways: [string, (id: string) => Promise<unknown>][] = [
    ["by its id", (id) => removeKeys(id)],
    ["by a login that ends the others", () => client.login(acme, root, { invalidateExisting: true })],
  ]
  const removeKeys = (id: string) =>
    client.submit(root, "ACTIVITY_TYPE_DELETE_API_KEYS", organizationId, {
      userId: rootUserId,
      apiKeyIds: [id],
    })
  for (const [way, end] of ways) {
    const { key, record } = await client.login(acme, root, { expirationSeconds: "86400" })
    const document = client.documents.get(organizationId)!
    const body = client.body(SIGN, organizationId, signParams(fixture.address))
    const wallet = [...client.records.values()]
    const attempt = () => client.order(body, stampWith(key, body), { document, records: [...wallet, record] })
    t.match(await attempt(), { is: "outcome" }, `before it is ended ${way}`)
    await end(fromBinary(RecordSchema, record).id)
    for (const when of ["at once", "after a restart of everything but the ledger"]) {
      await refused(t, fixture, "CREDENTIAL_UNKNOWN", attempt, `${way}, ${when}`)
      await boundary.restart()
    }
  }
})

t.test("A4: a session record forged, edited, moved or of another deployment is refused", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const { organizationId, root } = acme
  const other = await client.createOrganization("Other")
  const theirs = await client.login(other, other.root)
  const { record, key } = await client.login(acme, root)
  const thief = newKey()
  const { payload, ...place } = fromBinary(RecordSchema, record)
  const session = { ...fromBinary(SessionRecordSchema, payload), publicKey: thief.publicKeyHex }
  const mine = toBinary(SessionRecordSchema, create(SessionRecordSchema, session))
  const keys = { ...boundary.signer.state().keyring.records, mac: new Uint8Array(32) }
  const forged = makeRecord({ ...place, payload: mine }, keys, () => new Uint8Array(24))
  const body = client.body(SIGN, organizationId, signParams(address))
  for (const [what, by, shown] of [
    ["a record with a key of the thief's", thief, writeRecord(forged)],
    ["the record of another organization", theirs.key, theirs.record],
    ...bitFlips(record, [0x01]).map((bytes) => ["the record with a bit flipped", thief, bytes] as const),
  ] as const) {
    const answer = await client.order(body, stampWith(by, body), { records: [shown] })
    t.match(answer, { is: "refused", code: "CREDENTIAL_UNKNOWN" }, what)
  }
  await boundary.restart()
  t.match(await signing(fixture, key)(), { is: "outcome" }, "the session itself needs no record to be shown")
})

t.test("A8: a session is valid in its own organization only, as is its login body", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const other = await client.createOrganization("Other")
  const theirs = await client.wallet(other)
  const { key } = await client.login(acme, acme.root)
  const body = client.body(SIGN, other.organizationId, signParams(theirs.address))
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(body, stampWith(key, body)))
  const twin = await client.login(other, other.root, {}, key)
  t.match(
    await client.offer(body, stampWith(twin.key, body)),
    { is: "outcome" },
    "until it logs in there too",
  )
})

t.test("A4: sessions of a user who is no longer in the document are void", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { organizationId } = acme
  const alice = await client.user(acme, "alice")
  const { key } = await client.login(acme, alice.key, { expirationSeconds: "86400" })
  const bob = await client.user(acme, "bob")
  const bobsLogin = await client.login(acme, bob.key)
  const bobsAttempt = signing(fixture, bobsLogin.key)
  await refused(t, fixture, "PERMISSION_DENIED", bobsAttempt)
  const deleted = await client.submit(acme.root, "ACTIVITY_TYPE_DELETE_USERS", organizationId, {
    userIds: [bob.userId],
  })
  t.equal(deleted.records.length, 1, "the outcome names it for the database")
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", bobsAttempt, "deleted")
  const attempt = signing(fixture, key)
  await refused(t, fixture, "PERMISSION_DENIED", attempt, "while the user exists")
  // delete_users removes the user's rows; here they remain, without effect.
  await without(fixture, alice.userId)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", attempt)
  t.equal(
    boundary.signer.state().ledger.rows(organizationId, "session").length,
    1,
    "the row of the other session remains",
  )
  const { key: taken } = await client.login(acme, acme.root, {}, key)
  t.match(await signing(fixture, taken)(), { is: "outcome" }, "the key can be used again")
})

t.test("A6: concurrent logins leave at most ten sessions, and none with another user's key", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const alice = await client.user(acme, "alice")
  await Promise.all(Array.from({ length: 25 }, () => client.login(acme, acme.root)))
  t.equal(boundary.signer.state().ledger.rows(acme.organizationId, "session").length, 10)
  t.equal(sessionRecords(fixture).length, 10)
  const both = newKey()
  const bodies = [acme.root, alice.key].map((by) => {
    const body = client.body(LOGIN, acme.organizationId, { publicKey: both.publicKeyHex })
    return client.send(body, by)
  })
  const answers = await Promise.all(bodies)
  t.same(answers.map(({ is }) => is).toSorted(), ["outcome", "refused"])
  t.match(
    answers.find(({ is }) => is === "refused"),
    { code: "CREDENTIAL_TAKEN" },
  )
})

t.test("A5: votes of a session end with the session", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, acme, alice, bob, propose, approve, approval } = fixture
  const { key, record } = await client.login(acme, alice.key, { expirationSeconds: "3600" })
  const { fingerprint } = await propose()
  const vote = approval(fingerprint)
  t.match(await client.send(vote, key), {
    is: "outcome",
    outcome: { status: ActivityStatus.CONSENSUS_NEEDED },
  })
  await refused(t, fixture, "VOTE_REPEATED", () => {
    const again = approval(fingerprint)
    return client.offer(again, stampWith(alice.key, again))
  })
  await client.login(acme, alice.key, { invalidateExisting: true })
  t.equal((await approve(bob, fingerprint)).status, ActivityStatus.CONSENSUS_NEEDED, "two votes of three")
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", () =>
    client.order(vote, stampWith(key, vote), { records: [record] }),
  )
  t.equal((await approve(alice, fingerprint)).status, ActivityStatus.COMPLETED)
})

t.test("C1: a login whose outcome was lost is recovered with the same session", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const key = newKey()
  const body = client.body(LOGIN, acme.organizationId, { publicKey: key.publicKeyHex })
  const first = outcomeOf(await client.offer(body, stampWith(acme.root, body)))
  await boundary.restart()
  const before = ledgerDigest(fixture)
  const { outcomes } = await boundary.recover(acme.organizationId)
  t.ok(
    outcomes.some(({ outcome }) => outcome?.decision?.activityId === first.decision?.activityId),
    "it waits to be acknowledged",
  )
  const again = outcomeOf(await client.offer(body, stampWith(acme.root, body)))
  const token = (outcome: typeof first) => valueOf(outcome, "stampLoginResult").session
  t.equal(token(again), token(first))
  t.equal(ledgerDigest(fixture), before, "and no second one is opened")
  t.match(await signing(fixture, key)(), { is: "outcome" })
})

/** The next version of the document without this user, signed with the signer's own code. */
async function without({ boundary, client, acme }: Fixture, userId: string): Promise<void> {
  const { ledger, keyring, organizations } = boundary.signer.state()
  const { organizationId } = acme
  const base = openDocument(client.documents.get(organizationId)!, keyring.notary)
  const draft = new Draft(base, boundary.nowMs(), DEFAULT_LIMITS)
  draft.document.users = draft.document.users.filter((user) => user.userId !== userId)
  draft.markChanged()
  const document = draft.nextVersion(base.document.version)!
  const { notarized, digest } = notarizeDocument(document, keyring.notary)
  const head = { version: document.version, digest }
  const expect = ledger.head(organizationId)!
  await ledger.commit([{ organizationId, expect, head, put: [], remove: [] }])
  organizations.remember(new Organization(document, digest, 0))
  client.documents.set(organizationId, notarized)
}

function sessionRecords({ boundary, acme }: Fixture) {
  return boundary.signer
    .state()
    .ledger.rows(acme.organizationId, "archive-record")
    .filter(({ key }) => key.startsWith(`${RecordKind.SESSION}/`))
}

t.test("B3: a request reads its sessions once, however many keys it brings", async (t) => {
  const { boundary, client, acme } = await setup(t)
  const { organizationId, root } = acme
  const { ledger } = boundary.signer.state()
  const rows = ledger.rows.bind(ledger)
  let reads = 0
  ledger.rows = (of, kind) => {
    if (kind === "session") reads += 1
    return rows(of, kind)
  }
  const users = Array.from({ length: 10 }, (_, index) => ({
    ...userParams(`user ${index}`),
    apiKeys: Array.from({ length: 10 }, () => apiKey(newKey(), "expiring", "3600")),
  }))
  const made = await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, { users })
  const { userIds } = valueOf(made, "createUsersResult")
  t.equal(reads, 1, "with a hundred keys that expire")
  reads = 0
  await client.submit(root, "ACTIVITY_TYPE_DELETE_USERS", organizationId, { userIds })
  t.equal(reads, 1, "with ten users who leave")
})

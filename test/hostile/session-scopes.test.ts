import { createHash } from "node:crypto"
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  SessionRecordSchema,
} from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { valueOf, signParams, userParams, ethereumAccount } from "../harness/api-client.ts"
import { child } from "../harness/sub-organization.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { transactionParams } from "../harness/transactions.ts"
import { asRoot, refused, type Fixture, setup } from "./setup.ts"

const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`
const SIGN = "SIGN_RAW_PAYLOAD_V2"
const NO_SIGNING = "activity.action != 'SIGN'"

/** A profile, and a session of the root user that is confined to it. */
async function confined(fixture: Fixture, scope: string, owner = fixture.acme) {
  const { client } = fixture
  const parameters = { sessionProfileName: scope.slice(0, 200), scope }
  const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", parameters)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const request = { sessionProfileId, expirationSeconds: "3600" }
  const { key, record } = await client.login(owner, owner.root, request)
  const attempt = (type: string, wanted: object, by: TestKey = key) =>
    client.send(client.body(TYPE(type), owner.organizationId, wanted), by)
  return { key, record, sessionProfileId, attempt }
}

function wallet(walletName: string) {
  return { walletName, accounts: [ethereumAccount(0)] }
}

t.test("A8: a session scope confines requests whatever the user's rights", async (t) => {
  const fixture = await setup(t)
  const { attempt } = await confined(fixture, NO_SIGNING)
  const sign = signParams(fixture.address)
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => attempt(SIGN, sign))
  const { payload, ...others } = sign
  const several = { ...others, payloads: [payload] }
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => attempt("SIGN_RAW_PAYLOADS", several))
  const transaction = transactionParams(fixture.address)
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => attempt("SIGN_TRANSACTION_V2", transaction))
  t.match(await attempt("CREATE_WALLET", wallet("in the session")), { is: "outcome" })
  t.match(
    await attempt(SIGN, sign, fixture.acme.root),
    { is: "outcome" },
    "the user's own key is not confined",
  )

  const only = await confined(fixture, "activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'")
  t.match(await only.attempt(SIGN, sign), { is: "outcome" })
  const other = await confined(fixture, `wallet.id == '${fixture.walletId}'`)
  t.match(await other.attempt(SIGN, sign), { is: "outcome" })
  const second = valueOf(
    await asRoot(fixture).submit("CREATE_WALLET", wallet("second")),
    "createWalletResult",
  )
  const elsewhere = signParams(second.addresses[0]!)
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => other.attempt(SIGN, elsewhere))
})

/** Typed data whose primary type has this name. */
function typedData(primaryType: string): string {
  const types = {
    EIP712Domain: [{ name: "name", type: "string" }],
    [primaryType]: [{ name: "text", type: "string" }],
  }
  return JSON.stringify({ types, primaryType, domain: { name: "Acme" }, message: { text: "hello" } })
}

t.test("A8: a session scope must allow every payload of a request", async (t) => {
  const fixture = await setup(t)
  const { attempt } = await confined(fixture, "eth.eip_712.primary_type == 'Mail'")
  const encoding = { encoding: "PAYLOAD_ENCODING_EIP712", hashFunction: "HASH_FUNCTION_NO_OP" }
  const sign = (...names: string[]) =>
    attempt("SIGN_RAW_PAYLOADS", { signWith: fixture.address, payloads: names.map(typedData), ...encoding })
  t.match(await sign("Mail", "Mail"), { is: "outcome" })
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => sign("Mail", "Permit"))
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => sign("Permit", "Mail"))
  const hex = () => attempt(SIGN, signParams(fixture.address))
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", hex, "what is no typed data has no primary type")
})

t.test("A8: a session profile of the parent confines a session of its sub-organization", async (t) => {
  const fixture = await setup(t)
  const customer = await child(fixture.client, fixture.acme)
  const { attempt } = await confined(fixture, NO_SIGNING, customer)
  const sign = signParams(customer.address)
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => attempt(SIGN, sign))
  t.match(await attempt(SIGN, sign, customer.root), { is: "outcome" })
  t.match(await attempt("CREATE_WALLET", wallet("in the session")), { is: "outcome" })
})

t.test("A8: a session scope that cannot be evaluated refuses every request", async (t) => {
  const fixture = await setup(t)
  const { rootUserId } = fixture.acme
  const byWallet = await confined(fixture, "wallet.label == 'First' || activity.resource == 'USER'")
  const users = { users: [userParams("alice", newKey())] }
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", () => byWallet.attempt("CREATE_USERS_V4", users))
  t.match(await byWallet.attempt(SIGN, signParams(fixture.address)), { is: "outcome" })

  // Activities of the root quorum have no facts for a scope: a scope that reads them is an error.
  const { attempt } = await confined(fixture, NO_SIGNING)
  const quorum = { threshold: 1, userIds: [rootUserId] }
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", () => attempt("UPDATE_ROOT_QUORUM", quorum))
  t.match(await attempt("CREATE_USERS_V4", users), { is: "outcome" })
})

t.test("A8: a confined session opens no session that is less confined", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { attempt, sessionProfileId } = await confined(fixture, NO_SIGNING)
  const wider = await confined(fixture, "1 == 1")
  const publicKey = newKey().publicKeyHex
  const other = { publicKey, sessionProfileId: wider.sessionProfileId }
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => attempt("STAMP_LOGIN", other))
  for (const request of [{}, { sessionProfileId }]) {
    const key = newKey()
    const answer = await attempt("STAMP_LOGIN", { publicKey: key.publicKeyHex, ...request })
    if (answer.is !== "outcome") return t.fail(JSON.stringify(answer))
    const { payload } = fromBinary(RecordSchema, answer.outcome.records.at(-1)!)
    t.equal(fromBinary(SessionRecordSchema, payload).scope?.sessionProfileId, sessionProfileId)
    const sign = client.body(TYPE(SIGN), acme.organizationId, signParams(fixture.address))
    await refused(t, fixture, "SESSION_SCOPE_DENIED", () => client.send(sign, key))
  }
  return undefined
})

t.test("A8: a confined session's vote is confined as well", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, rootUserId } = acme
  const alice = await client.user(acme, "alice")
  const { submit } = asRoot(fixture)
  const noSigning = await confined(fixture, NO_SIGNING)
  const approving = await confined(fixture, "activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'")
  await submit("UPDATE_ROOT_QUORUM", { threshold: 2, userIds: [rootUserId, alice.userId] })
  const body = client.body(TYPE(SIGN), organizationId, signParams(fixture.address))
  t.match(await client.send(body, alice.key), { is: "outcome" }, "waits for a second vote")
  const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`
  const approve = (key: TestKey) =>
    client.send(client.body(TYPE("APPROVE_ACTIVITY"), organizationId, { fingerprint }), key)
  await refused(t, fixture, "SESSION_SCOPE_UNDECIDED", () => approve(noSigning.key))
  await refused(
    t,
    fixture,
    "SESSION_SCOPE_DENIED",
    () => client.send(body, noSigning.key),
    "by the same body",
  )
  await refused(t, fixture, "SESSION_SCOPE_DENIED", () => client.send(body, approving.key), "nor that way")
  t.match(await approve(approving.key), { is: "outcome" })
})

t.test("A4: no record, database or restart removes a session's scope", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { key, record } = await confined(fixture, NO_SIGNING)
  const body = client.body(TYPE(SIGN), acme.organizationId, signParams(fixture.address))
  const stripped = fromBinary(RecordSchema, record)
  const session = fromBinary(SessionRecordSchema, stripped.payload)
  delete session.scope
  stripped.payload = toBinary(SessionRecordSchema, session)
  t.equal(stripped.kind, RecordKind.SESSION)
  const documents = [client.documents.get(acme.organizationId)!]
  const keys = [...client.records.values()]
  const forged = toBinary(RecordSchema, stripped)
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    await refused(t, fixture, "SESSION_SCOPE_DENIED", () => client.send(body, key))
    // The signer reads its own session row, never a supplied one.
    const shown = () => client.order(body, stampWith(key, body), { documents, records: [forged, ...keys] })
    await refused(t, fixture, "SESSION_SCOPE_DENIED", shown, "whatever record is shown")
  }
})

// Length of sessions that begin with a proven contact or identity, under a parent that has enabled the auth proxy.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import type { Outcome } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey } from "../harness/api-client.ts"
import { openedKey } from "../harness/auth-proxy.ts"
import { documentOf } from "../harness/document.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { contactKey, otpLoginParams } from "../harness/verification.ts"
import { attestedKey, identityChild, loginServer, oauthParams } from "./oidc-fixture.ts"
import { asRoot, setup } from "./setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const OAUTH_LOGIN = "ACTIVITY_TYPE_OAUTH_LOGIN"
const OTP_LOGIN = "ACTIVITY_TYPE_OTP_LOGIN_V2"
const LONG = { expirationSeconds: "86400" }

/** Seconds that the session of a login lasts, by its record. */
function secondsOf({ records }: Outcome): number {
  const { payload } = fromBinary(RecordSchema, records.at(-1)!)
  const { expiresAtMs, createdAtMs } = fromBinary(SessionRecordSchema, payload)
  return Number(expiresAtMs - createdAtMs) / 1000
}

async function setUp(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const { client } = fixture
  const alice = await identityChild(fixture, "alice", newKey())
  const key = newKey()
  const root = { userName: "root", userEmail: "ann@example.com", authenticators: [], oauthProviders: [] }
  const ann = await child(client, fixture.acme, { key, rootUsers: [{ ...root, apiKeys: [apiKey(key)] }] })
  const byKey = async (key: TestKey, request: object = LONG) => {
    const parameters = { publicKey: newKey().publicKeyHex, ...request }
    const outcome = await client.submit(key, LOGIN, alice.organizationId, parameters)
    return secondsOf(outcome)
  }
  const attested = async (request: object = LONG) => {
    const by = attestedKey(fixture)
    const parameters = { publicKey: by.key.publicKeyHex, ...request }
    const outcome = await client.submit(by, LOGIN, alice.organizationId, parameters)
    return { key: by.key, seconds: secondsOf(outcome) }
  }
  const oauth = async (by: TestKey) => {
    const parameters = oauthParams(attestedKey(fixture), LONG)
    const outcome = await client.submit(by, OAUTH_LOGIN, alice.organizationId, parameters)
    return secondsOf(outcome)
  }
  const otp = async (by: TestKey) => {
    const parameters = { ...otpLoginParams(fixture, newKey()), ...LONG }
    const outcome = await client.submit(by, OTP_LOGIN, ann.organizationId, parameters)
    return secondsOf(outcome)
  }
  const byContact = async (request: object = LONG) => {
    const by = contactKey(fixture)
    const parameters = { publicKey: by.key.publicKeyHex, ...request }
    return secondsOf(await client.submit(by, LOGIN, ann.organizationId, parameters))
  }
  return { fixture, alice, byKey, attested, byContact, oauth, otp, ...asRoot(fixture) }
}

t.test("A8: no login by contact or identity opens a session longer than the auth proxy's", async (t) => {
  const { fixture, alice, byKey, attested, byContact, oauth, otp, submit } = await setUp(t)
  await submit("ENABLE_AUTH_PROXY", {})
  await submit("UPDATE_AUTH_PROXY_CONFIG", { sessionExpirationSeconds: 600 })
  const proxy = openedKey(documentOf(fixture.client, fixture.acme.organizationId))!
  const server = await loginServer(fixture)
  const otpServer = await loginServer(fixture, OTP_LOGIN)
  t.equal(await oauth(proxy), 600, "oauth_login by the proxy")
  t.equal(await oauth(server.key), 600, "and by another user of the parent")
  t.equal(await otp(proxy), 600, "otp_login by the proxy")
  t.equal(await otp(otpServer.key), 600, "and by another user of the parent")
  const { key, seconds } = await attested()
  t.equal(seconds, 600, "an attested stamp_login")
  t.equal(await byKey(key), 600, "and a session that this one opens")
  t.equal(await byContact(), 600, "a stamp_login that a contact's token attests")
  t.equal((await attested({ expirationSeconds: "60" })).seconds, 60, "a shorter one is as asked")
  t.equal((await attested({})).seconds, 600)
  t.equal(await byKey(alice.root), 86_400, "the user's own key opens sessions of any length")
  await submit("UPDATE_AUTH_PROXY_CONFIG", { sessionExpirationSeconds: 7200 })
  t.equal((await attested({})).seconds, 900, "the setting is a limit, no wish")
  t.equal((await attested()).seconds, 7200)
})

t.test("without an auth proxy a login is as long as it asks", async (t) => {
  const { fixture, attested, byContact, oauth, submit } = await setUp(t)
  const server = await loginServer(fixture)
  t.equal((await attested()).seconds, 86_400)
  t.equal(await byContact(), 86_400)
  t.equal(await oauth(server.key), 86_400)
  await submit("ENABLE_AUTH_PROXY", {})
  t.equal((await attested()).seconds, 900, "900 seconds until it is set")
  await submit("DISABLE_AUTH_PROXY", {})
  t.equal((await attested()).seconds, 86_400)
})

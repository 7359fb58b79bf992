import { fromBinary } from "@bufbuild/protobuf"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t, { type Test } from "tap"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { NIL, TYPE } from "../../../../contract/boundary/names.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { type Tenant, valueOf } from "../../../../harness/api-client.ts"
import { documentOf } from "../../../../harness/document.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"

type Fixture = Awaited<ReturnType<typeof settled>>

const CREATE = "CREATE_SESSION_PROFILE"
const DELETE = "DELETE_SESSION_PROFILE"
const scope = "activity.action != 'SIGN'"

function profile(sessionProfileName: string, others: object = {}) {
  return { sessionProfileName, scope, ...others }
}

async function created({ submit }: Fixture, parameters: object): Promise<string> {
  return valueOf(await submit(CREATE, parameters), "createSessionProfileResult").sessionProfileId
}

function refusals(t: Test, { client, root, organizationId }: Fixture) {
  return (code: RefusalName, parameters: object, field?: string) =>
    refusedAt(t, client, root, [CREATE, organizationId, parameters], code, field)
}

/** Logs in with a profile and reads what token and record say. */
async function login({ client }: Fixture, { organizationId, root }: Tenant, request: object) {
  const publicKey = newKey().publicKeyHex
  const outcome = await client.submit(root, TYPE("STAMP_LOGIN"), organizationId, { publicKey, ...request })
  const token = valueOf(outcome, "stampLoginResult").session
  const claims = JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString())
  const { payload } = fromBinary(RecordSchema, outcome.records.at(-1)!)
  const session = fromBinary(SessionRecordSchema, payload)
  return { token, claims, session, seconds: Number(session.expiresAtMs - session.createdAtMs) / 1000 }
}

t.test("create_session_profile stores scope, lifetime and notes", async (t) => {
  const fixture = await settled(t)
  const long = { expirationSeconds: "3600", notes: "for reading" }
  const ids = [await created(fixture, profile("reader", long)), await created(fixture, profile("plain"))]
  const { sessionProfiles } = documentOf(fixture.client, fixture.organizationId)
  t.match(sessionProfiles, [
    { sessionProfileId: ids[0], name: "reader", scope, expirationSeconds: 3600n, notes: "for reading" },
    { sessionProfileId: ids[1], name: "plain", scope, expirationSeconds: 0n, notes: "" },
  ])
})

t.test("create_session_profile refuses profiles that could never be used", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  await created(fixture, profile("taken"))
  await refuse("NAME_TAKEN", profile("taken"), "parameters.sessionProfileName")
  const misspelt = profile("misspelt", { scope: "activity.actoin == 'SIGN'" })
  const sentence = await refuse("EXPRESSION_FIELD_UNKNOWN", misspelt, "parameters.scope")
  t.equal(
    sentence,
    "invalid session profile scope: Expression cannot be evaluated: field does not exist: actoin",
  )
  await refuse("EXPRESSION_INVALID", profile("cut", { scope: "true &&" }), "parameters.scope")
  const consensus = { scope: "approvers.count() > 1" }
  await refuse("EXPRESSION_FIELD_UNKNOWN", profile("consensus", consensus), "parameters.scope")
  await refuse("REQUEST_INVALID", profile("empty", { scope: "" }), "parameters.scope")
  const never = profile("never", { expirationSeconds: "0" })
  await refuse("REQUEST_INVALID", never, "parameters.expirationSeconds")
  // A token names its session's kind and its session's profile by one claim.
  for (const name of ["SESSION_TYPE_READ_WRITE", "SESSION_TYPE_READ_ONLY", "SESSION_TYPE_X"])
    await refuse("SESSION_PROFILE_NAME_RESERVED", profile(name), "parameters.sessionProfileName")
  for (const name of ["session_type_x", "A SESSION_TYPE_X"]) await created(fixture, profile(name))
})

t.test("session profiles are bounded in number and in bytes together", async (t) => {
  const fixture = await settled(t, { COUNTERSIGN_SIGNER_MAX_SESSION_PROFILES: "10" })
  const refuse = refusals(t, fixture)
  const notes = "ü".repeat(8 * 1024)
  for (let index = 0; index < 7; index++) await created(fixture, profile(`large ${index}`, { notes }))
  await refuse("SESSION_PROFILES_TOO_LARGE", profile("one more", { notes }), "parameters")
  for (let index = 7; index < 10; index++) await created(fixture, profile(`small ${index}`))
  await refuse("LIMIT_EXCEEDED", profile("11th"))
})

t.test("delete_session_profile deletes a profile, whose name and place are free again", async (t) => {
  const fixture = await settled(t, { COUNTERSIGN_SIGNER_MAX_SESSION_PROFILES: "2" })
  const { client, root, organizationId, submit } = fixture
  const idsOf = () =>
    documentOf(client, organizationId).sessionProfiles.map(({ sessionProfileId }) => sessionProfileId)
  const first = await created(fixture, profile("first"))
  const second = await created(fixture, profile("second"))
  await refusals(t, fixture)("LIMIT_EXCEEDED", profile("third"))
  const gone = await submit(DELETE, { sessionProfileId: first.toUpperCase() })
  t.equal(valueOf(gone, "deleteSessionProfileResult").sessionProfileId, first)
  t.same(idsOf(), [second])
  for (const sessionProfileId of [first, NIL]) {
    const order = [DELETE, organizationId, { sessionProfileId }] as const
    const field = "parameters.sessionProfileId"
    const sentence = await refusedAt(t, client, root, order, "RESOURCE_UNKNOWN", field)
    t.equal(sentence, `unable to find session profile ${sessionProfileId} in organization ${organizationId}`)
  }
  const again = await created(fixture, profile("first"))
  t.not(again, first)
  t.same(idsOf(), [second, again])
})

t.test("a sub-organization neither creates nor deletes session profiles", async (t) => {
  const fixture = await settled(t)
  const { client, organizationId } = fixture
  const { organizationId: childId, root } = await child(client, fixture)
  const sessionProfileId = await created(fixture, profile("parent's"))
  for (const order of [
    [CREATE, childId, profile("own")],
    [DELETE, childId, { sessionProfileId }],
  ] as const)
    await refusedAt(t, client, root, order, "ACTIVITY_CALLER_INVALID")
  t.match(documentOf(client, organizationId).sessionProfiles, [{ sessionProfileId }])
})

t.test("a login has the scope of the profile it names, in record and token", async (t) => {
  const fixture = await settled(t)
  const sessionProfileId = await created(fixture, profile("no signing"))
  const { token, claims, session } = await login(fixture, fixture, {
    sessionProfileId: sessionProfileId.toUpperCase(),
  })
  t.match(session.scope, { sessionProfileId, name: "no signing", condition: scope })
  t.match(claims, {
    session_type: "no signing",
    session_profile_id: sessionProfileId,
    scope,
    user_id: fixture.rootUserId,
  })
  const { notarizerPublicKey } = fixture.client.boundary.signer.state().keyring.pins
  t.ok(await verifySessionJwtSignature(token, notarizerPublicKey.slice(-130)), "as published clients verify")
  const plain = await login(fixture, fixture, {})
  t.equal(plain.session.scope, undefined)
  t.same(
    ["scope", "session_profile_id"].filter((claim) => claim in plain.claims),
    [],
  )
})

t.test("the shorter lifetime of login and profile applies, 900 seconds where neither sets one", async (t) => {
  const fixture = await settled(t)
  const short = await created(fixture, profile("short", { expirationSeconds: "600" }))
  const open = await created(fixture, profile("open"))
  const secondsOf = async (request: object) => (await login(fixture, fixture, request)).seconds
  t.equal(await secondsOf({ sessionProfileId: short }), 600)
  t.equal(await secondsOf({ sessionProfileId: short, expirationSeconds: "60" }), 60)
  t.equal(await secondsOf({ sessionProfileId: short, expirationSeconds: "6000" }), 600)
  t.equal(await secondsOf({ sessionProfileId: open, expirationSeconds: "6000" }), 6000)
  t.equal(await secondsOf({ sessionProfileId: open }), 900)
})

t.test("users of a sub-organization log in with its parent's profiles, and with no others", async (t) => {
  const fixture = await settled(t)
  const { client } = fixture
  const customer = await child(client, fixture)
  const sessionProfileId = await created(fixture, profile("parent's"))
  await client.boundary.restart()
  const { session } = await login(fixture, customer, { sessionProfileId })
  t.match(session.scope, { name: "parent's", condition: scope })
  const stranger = await client.createOrganization("Stranger")
  for (const [tenant, id] of [
    [stranger, sessionProfileId],
    [fixture, NIL],
  ] as const) {
    const request = { publicKey: newKey().publicKeyHex, sessionProfileId: id }
    const order = ["STAMP_LOGIN", tenant.organizationId, request] as const
    await refusedAt(t, client, tenant.root, order, "RESOURCE_UNKNOWN", "parameters.sessionProfileId")
  }
})

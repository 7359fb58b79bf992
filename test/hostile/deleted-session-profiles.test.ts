// Session profiles that are deleted: their sessions gain no rights, and no attacker deletes or restores one.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RefusalCode } from "../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, signParams, valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { API_KEY, demand, outcomeOf, SESSION, setupMembers, voteOn } from "./mfa-fixture.ts"
import { quorumOfThree } from "./quorum.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const { AUTHENTICATORS_NEEDED, COMPLETED, CONSENSUS_NEEDED, FAILED } = ActivityStatus
const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`
const DELETE = "DELETE_SESSION_PROFILE"
const NO_SIGNING = "activity.action != 'SIGN'"

async function createProfile(fixture: Pick<Fixture, "client" | "acme">, name: string, scope: string) {
  const parameters = { sessionProfileName: name, scope }
  const made = await asRoot(fixture).submit("CREATE_SESSION_PROFILE", parameters)
  return valueOf(made, "createSessionProfileResult").sessionProfileId
}

t.test("A8: a session keeps its scope when its profile is deleted", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const { submit } = asRoot(fixture)
  const tenants = [{ ...acme, address: fixture.address }, await child(client, acme)]
  for (const { organizationId, root, rootUserId, address } of tenants) {
    const sessionProfileId = await createProfile(fixture, "no signing", NO_SIGNING)
    const terms = { sessionProfileId, expirationSeconds: "3600" }
    const { key, record } = await client.login({ organizationId }, root, terms)
    const attempt = (type: string, parameters: object) =>
      client.send(client.body(TYPE(type), organizationId, parameters), key)
    const sign = () => attempt("SIGN_RAW_PAYLOAD_V2", signParams(address))
    const login = (parameters: object = {}) =>
      attempt("STAMP_LOGIN", { publicKey: newKey().publicKeyHex, ...parameters })
    await refused(t, fixture, "SESSION_SCOPE_DENIED", sign, "before the deletion")

    await submit(DELETE, { sessionProfileId })
    const namesake = await createProfile(fixture, "no signing", "1 == 1")
    for (const when of ["at once", "after a restart"]) {
      await refused(t, fixture, "SESSION_SCOPE_DENIED", sign, when)
      await refused(t, fixture, "RESOURCE_UNKNOWN", login, `a login without profile, ${when}`)
      await refused(t, fixture, "RESOURCE_UNKNOWN", () => login({ sessionProfileId }), `the same, ${when}`)
      const wider = () => login({ sessionProfileId: namesake })
      await refused(t, fixture, "SESSION_SCOPE_DENIED", wider, `the profile that took the name, ${when}`)
      const allowed = await attempt("CREATE_WALLET", { walletName: when, accounts: [] })
      t.match(allowed, { is: "outcome" }, `the scope still allows the rest, ${when}`)
      await boundary.restart()
    }

    const apiKeyIds = [fromBinary(RecordSchema, record).id]
    await client.submit(root, TYPE("DELETE_API_KEYS"), organizationId, { userId: rootUserId, apiKeyIds })
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", login, "the session can be ended")
    await submit(DELETE, { sessionProfileId: namesake })
  }
})

t.test("A1: an older document does not restore a deleted session profile", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme } = fixture
  const customer = await child(client, acme)
  const sessionProfileId = await createProfile(fixture, "no signing", NO_SIGNING)
  const login = { publicKey: newKey().publicKeyHex, sessionProfileId }
  for (const tenant of [acme, customer]) await client.login(tenant, tenant.root, { sessionProfileId })
  const old = client.documents.get(acme.organizationId)!
  await asRoot(fixture).submit(DELETE, { sessionProfileId })
  const current = client.documents.get(acme.organizationId)!
  for (const restarts of [0, 1]) {
    if (restarts > 0) await boundary.restart()
    for (const { organizationId, root } of [acme, customer]) {
      const own = organizationId === acme.organizationId ? [] : [client.documents.get(organizationId)!]
      const body = client.body(TYPE("STAMP_LOGIN"), organizationId, login)
      const shown = (parent: Uint8Array) => () =>
        client.order(body, stampWith(root, body), { documents: [...own, parent] })
      await refused(t, fixture, "DOCUMENT_ROLLED_BACK", shown(old))
      await refused(t, fixture, "RESOURCE_UNKNOWN", shown(current))
    }
  }
})

t.test("A8: a session profile is deleted by its own organization's right only", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const sessionProfileId = await createProfile(fixture, "wallets", "activity.resource == 'WALLET'")
  const alice = await client.user(acme, "alice")
  const confined = await client.login(acme, acme.root, { sessionProfileId })
  const customer = await child(client, acme)
  const stranger = await client.createOrganization("Stranger")
  for (const [code, { organizationId }, key] of [
    ["PERMISSION_DENIED", acme, alice.key],
    ["SESSION_SCOPE_DENIED", acme, confined.key],
    ["CREDENTIAL_UNKNOWN", acme, customer.root],
    ["CREDENTIAL_UNKNOWN", acme, stranger.root],
    ["ACTIVITY_CALLER_INVALID", customer, customer.root],
    ["RESOURCE_UNKNOWN", stranger, stranger.root],
  ] as const) {
    const body = client.body(TYPE(DELETE), organizationId, { sessionProfileId })
    await refused(t, fixture, code, () => client.offer(body, stampWith(key, body)))
  }
  t.match(await asRoot(fixture).attempt(DELETE, { sessionProfileId }), { is: "outcome" })
})

t.test("A5: the deletion of a session profile waits for its votes", async (t) => {
  const { client, acme, alice, bob, propose, approve } = await quorumOfThree(t)
  const parameters = { sessionProfileName: "no signing", scope: NO_SIGNING }
  const creation = await propose("CREATE_SESSION_PROFILE", parameters)
  await approve(alice, creation.fingerprint)
  const made = await approve(bob, creation.fingerprint)
  const { sessionProfileId } = valueOf(made, "createSessionProfileResult")
  const profiles = () => documentOf(client, acme.organizationId).sessionProfiles.length
  const { fingerprint } = await propose(DELETE, { sessionProfileId })
  t.match(await approve(alice, fingerprint), { status: CONSENSUS_NEEDED })
  t.equal(profiles(), 1)
  t.match(await approve(bob, fingerprint), { status: COMPLETED })
  t.equal(profiles(), 0)
})

t.test("A5: the deletion of a session profile and logins with it wait for their user's MFA", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const second = newKey()
  const apiKeys = [apiKey(second, "second")]
  await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId: dan.userId, apiKeys })
  const sessionProfileId = await createProfile(fixture, "no signing", NO_SIGNING)
  await demand(fixture, dan.userId, [API_KEY, API_KEY], {
    condition: "activity.resource in ['AUTH', 'SESSION_PROFILE']",
  })
  const bodyOf = (type: string, parameters: object = {}) =>
    client.body(TYPE(type), acme.organizationId, { sessionProfileId, ...parameters })
  const login = () => bodyOf("STAMP_LOGIN", { publicKey: newKey().publicKeyHex })
  const [before, after, deletion] = [login(), login(), bodyOf(DELETE)]
  for (const body of [before, after, deletion])
    t.match(await outcomeOf(fixture, body, dan.key), { status: AUTHENTICATORS_NEEDED })
  const approve = (body: string) => outcomeOf(fixture, voteOn(fixture, body), second)
  t.match(await approve(before), { status: COMPLETED })
  t.match(await approve(deletion), { status: COMPLETED })
  const failed = { status: FAILED, failure: { code: RefusalCode.RESOURCE_UNKNOWN }, result: undefined }
  t.match(await approve(after), failed, "a login that waited while its profile was deleted")
})

t.test("A5: an MFA policy that names a deleted session profile accepts no other session", async (t) => {
  const fixture = await setupMembers(t)
  const { client, acme, dan } = fixture
  const sessionProfileId = await createProfile(fixture, "signers", "1 == 1")
  await demand(fixture, dan.userId, [{ ...SESSION, id: sessionProfileId }])
  const earlier = await client.login(acme, dan.key, { sessionProfileId })
  await asRoot(fixture).submit(DELETE, { sessionProfileId })
  const namesake = await createProfile(fixture, "signers", "1 == 1")
  const plain = await client.login(acme, dan.key)
  const other = await client.login(acme, dan.key, { sessionProfileId: namesake })
  const sign = (payload: string, key: TestKey) => {
    const parameters = signParams(fixture.address, payload.repeat(32))
    const body = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), acme.organizationId, parameters)
    return outcomeOf(fixture, body, key)
  }
  t.match(await sign("11", dan.key), { status: AUTHENTICATORS_NEEDED }, "the user's key")
  t.match(await sign("22", plain.key), { status: AUTHENTICATORS_NEEDED }, "a session without profile")
  t.match(await sign("33", other.key), { status: AUTHENTICATORS_NEEDED }, "one of the name's new profile")
  t.match(await sign("44", earlier.key), { status: COMPLETED }, "one of the deleted profile")
})

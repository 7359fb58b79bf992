import { fromBinary } from "@bufbuild/protobuf"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, ApiClient, type Tenant, valueOf } from "../../../../harness/api-client.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { InProcessBoundary } from "../../../../harness/boundary.ts"
import { newKey, type Stamper, type TestKey } from "../../../../harness/stamper.ts"
import { ledgerDigest } from "../../../../hostile/setup.ts"

const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"
const CREATE_KEYS = "ACTIVITY_TYPE_CREATE_API_KEYS_V2"
const DELETE_KEYS = "ACTIVITY_TYPE_DELETE_API_KEYS"

const boundary = new InProcessBoundary()
t.teardown(() => boundary.close())
const client = new ApiClient(boundary)
const fixture = { boundary, client }

const ledger = () => boundary.signer.state().ledger
const sessionsOf = ({ organizationId }: Tenant) =>
  ledger()
    .rows(organizationId, "session")
    .map(({ key }) => key)
const idOf = (record: Uint8Array) => fromBinary(RecordSchema, record).id
const claimsOf = (token: string) => JSON.parse(atob(token.split(".")[1]!)) as { exp: number }
/** Checks that the key stamps now, by a body that any known user may send and that changes nothing. */
const stamps = async ({ organizationId }: Tenant, key: TestKey) => {
  const parameters = { fingerprint: `sha256:${"00".repeat(32)}` }
  return (
    (await client.refused(key, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, parameters)) !==
    "CREDENTIAL_UNKNOWN"
  )
}

t.test(
  "stamp_login returns a token that names session, user and organization, signed by the notarizer",
  async (t) => {
    const acme = await client.createOrganization()
    const { organizationId, rootUserId } = acme
    const versionBefore = ledger().head(organizationId)?.version
    const { key, token, outcome, record } = await client.login(acme, acme.root, { expirationSeconds: "3600" })
    const decidedMs = Number(outcome.decision!.decidedAtMs)
    t.same(claimsOf(token), {
      exp: Math.floor((decidedMs + 3_600_000) / 1000),
      public_key: key.publicKeyHex,
      session_type: "SESSION_TYPE_READ_WRITE",
      user_id: rootUserId,
      organization_id: organizationId,
    })
    const { notarizerPublicKey } = boundary.signer.state().keyring.pins
    t.ok(
      await verifySessionJwtSignature(token, notarizerPublicKey.slice(-130)),
      "as published clients verify",
    )
    t.match(fromBinary(SessionRecordSchema, fromBinary(RecordSchema, record).payload), {
      userId: rootUserId,
      name: `Session - ${new Date(decidedMs).toISOString()}`,
      publicKey: key.publicKeyHex,
      type: CredentialType.LOGIN,
      expiresAtMs: BigInt(decidedMs + 3_600_000),
      expirationSeconds: 3600n,
      createdAtMs: BigInt(decidedMs),
      openedBy: acme.root.publicKeyHex,
    })
    t.ok(outcome.receipt, "a login is a change, with a receipt")
    t.equal(ledger().head(organizationId)?.version, versionBefore, "the document stays as it is")
  },
)

t.test(
  "a session records the API key it comes from, through any number of sessions, and no passkey",
  async (t) => {
    const acme = await client.createOrganization()
    const { organizationId, root, rootUserId: userId } = acme
    const openedBy = async (by: Stamper) => {
      const { key, record } = await client.login(acme, by)
      const session = fromBinary(SessionRecordSchema, fromBinary(RecordSchema, record).payload)
      return { key, openedBy: session.openedBy }
    }
    const first = await openedBy(root)
    t.equal(first.openedBy, root.publicKeyHex)
    t.equal((await openedBy(first.key)).openedBy, root.publicKeyHex)
    const passkey = new Passkey()
    const authenticators = [passkey.create()]
    await client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, {
      userId,
      authenticators,
    })
    const byPasskey = await openedBy(passkey)
    t.equal(byPasskey.openedBy, "")
    const next = await openedBy(byPasskey.key)
    t.equal(next.openedBy, byPasskey.key.publicKeyHex)
    t.equal((await openedBy(next.key)).openedBy, byPasskey.key.publicKeyHex)
  },
)

t.test("a session lasts 900 seconds by default", async (t) => {
  const acme = await client.createOrganization()
  const { token, outcome } = await client.login(acme, acme.root)
  t.equal(claimsOf(token).exp, Math.floor((Number(outcome.decision!.decidedAtMs) + 900_000) / 1000))
})

t.test("faulty logins are refused by code, and nothing is stored", async (t) => {
  const acme = await client.createOrganization()
  const alice = await client.user(acme, "alice")
  const ofAlice = await client.login(acme, alice.key)
  const { organizationId, root } = acme
  const publicKey = newKey().publicKeyHex
  const refusals: [string, object, string][] = [
    ["a session profile that is none", { publicKey, sessionProfileId: organizationId }, "RESOURCE_UNKNOWN"],
    ["no point of the curve", { publicKey: `02${"ff".repeat(32)}` }, "PUBLIC_KEY_INVALID"],
    ["no compressed key", { publicKey: `04${publicKey.slice(2)}` }, "PUBLIC_KEY_INVALID"],
    ["a key of another length", { publicKey: "02" }, "REQUEST_INVALID"],
    ["no key", {}, "REQUEST_INVALID"],
    ["an own API key", { publicKey: root.publicKeyHex }, "CREDENTIAL_TAKEN"],
    ["an own API key in upper case", { publicKey: root.publicKeyHex.toUpperCase() }, "CREDENTIAL_TAKEN"],
    ["another user's API key", { publicKey: alice.key.publicKeyHex }, "CREDENTIAL_TAKEN"],
    ["another user's session", { publicKey: ofAlice.key.publicKeyHex }, "CREDENTIAL_TAKEN"],
    ["no time", { publicKey, expirationSeconds: "0" }, "REQUEST_INVALID"],
    ["a time that has passed", { publicKey, expirationSeconds: "-1" }, "REQUEST_INVALID"],
    ["over 100 years", { publicKey, expirationSeconds: "3153600001" }, "REQUEST_INVALID"],
    ["a number", { publicKey, expirationSeconds: 900 }, "REQUEST_INVALID"],
  ]
  for (const [what, parameters, code] of refusals) {
    const before = ledgerDigest(fixture)
    t.equal(await client.refused(root, LOGIN, organizationId, parameters), code, what)
    t.equal(ledgerDigest(fixture), before, `${what}: nothing is stored`)
  }
})

t.test("an eleventh expiring key replaces an expired one, else the oldest", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const addKey = async (key: TestKey, seconds: string) => {
    const parameters = { userId: rootUserId, apiKeys: [apiKey(key, "brief", seconds)] }
    await client.submit(root, CREATE_KEYS, organizationId, parameters)
  }
  const [first, brief] = [newKey(), newKey()]
  await addKey(first, "86400")
  await addKey(brief, "60")
  const sessions = []
  for (let count = 0; count < 8; count++)
    sessions.push(await client.login(acme, root, { expirationSeconds: "86400" }))
  boundary.clock.pass(60_000)
  const [ninth, tenth] = [await client.login(acme, root), await client.login(acme, root)]
  t.notOk(await stamps(acme, brief), "the API key that had expired went first")
  t.notOk(await stamps(acme, first), "then the oldest, an API key")
  await addKey(newKey(), "86400")
  t.notOk(await stamps(acme, sessions[0]!.key), "an API key takes the place of the oldest session")
  for (const { key } of [...sessions.slice(1), ninth, tenth]) t.ok(await stamps(acme, key))
  t.equal(sessionsOf(acme).length, 9)
  boundary.clock.pass(900_000)
  await client.login(acme, root)
  const left = sessionsOf(acme)
  t.notOk(left.includes(ninth.key.publicKeyHex), "an expired session goes before the oldest")
  t.ok(left.includes(sessions[1]!.key.publicKeyHex))
})

t.test("a session can open another, and extend itself", async (t) => {
  const acme = await client.createOrganization()
  const first = await client.login(acme, acme.root)
  const second = await client.login(acme, first.key)
  t.ok(await stamps(acme, first.key), "the one before lives on")
  boundary.clock.pass(600_000)
  const again = await client.login(acme, second.key, {}, second.key)
  t.not(idOf(again.record), idOf(second.record), "as a new session")
  t.same(sessionsOf(acme).length, 2, "in the place of the old one")
  boundary.clock.pass(600_000)
  t.ok(await stamps(acme, second.key))
})

t.test(
  "invalidateExisting ends the user's sessions, and neither their API keys nor others' sessions",
  async (t) => {
    const acme = await client.createOrganization()
    const { organizationId, root, rootUserId } = acme
    const alice = await client.user(acme, "alice")
    const brief = newKey()
    await client.submit(root, CREATE_KEYS, organizationId, {
      userId: rootUserId,
      apiKeys: [apiKey(brief, "brief", "900")],
    })
    const mine = [await client.login(acme, root), await client.login(acme, root)]
    const ofAlice = await client.login(acme, alice.key)
    const last = await client.login(acme, mine[0]!.key, { invalidateExisting: true })
    for (const { key } of mine) t.notOk(await stamps(acme, key))
    for (const key of [last.key, ofAlice.key, brief, root]) t.ok(await stamps(acme, key))
    const ended = last.outcome.records
      .map((bytes) => fromBinary(RecordSchema, bytes))
      .filter(({ deleted }) => deleted)
    t.same(
      ended.map(({ id, version }) => ({ id, version })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      mine.map(({ record }) => ({ id: idOf(record), version: 2n })),
      "the outcome names the ended sessions for the database",
    )
  },
)

t.test("delete_api_keys ends a session by its id", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const alice = await client.user(acme, "alice")
  const { key, record } = await client.login(acme, root)
  const ofAlice = await client.login(acme, alice.key)
  const remove = (...apiKeyIds: string[]) => ({ userId: rootUserId, apiKeyIds })
  t.equal(
    await client.refused(root, DELETE_KEYS, organizationId, remove(idOf(record), idOf(ofAlice.record))),
    "RESOURCE_UNKNOWN",
    "not another user's",
  )
  const outcome = await client.submit(root, DELETE_KEYS, organizationId, remove(idOf(record)))
  t.same(valueOf(outcome, "deleteApiKeysResult").apiKeyIds, [idOf(record)])
  t.equal(outcome.document.length, 0, "no API key went: the document stays")
  t.notOk(await stamps(acme, key))
  t.ok(await stamps(acme, ofAlice.key))
  t.equal(await client.refused(root, DELETE_KEYS, organizationId, remove(idOf(record))), "RESOURCE_UNKNOWN")
})

t.test("a session can add a lasting key for its user, but not its own key", async (t) => {
  const acme = await client.createOrganization()
  const alice = await client.user(acme, "alice")
  const { organizationId } = acme
  const { key } = await client.login(acme, alice.key)
  const give = (given: TestKey) => ({ userId: alice.userId, apiKeys: [apiKey(given)] })
  t.equal(await client.refused(key, CREATE_KEYS, organizationId, give(key)), "CREDENTIAL_TAKEN")
  const lasting = newKey()
  await client.submit(key, CREATE_KEYS, organizationId, give(lasting))
  boundary.clock.pass(900_000)
  t.ok(await stamps(acme, lasting))
  await client.submit(lasting, CREATE_KEYS, organizationId, give(key))
  t.ok(await stamps(acme, key), "a key whose session is over is free")
})

t.test("a member of the root quorum logs in without the others", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const alice = await client.user(acme, "alice")
  const quorum = { threshold: 2, userIds: [rootUserId, alice.userId] }
  await client.submit(root, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", organizationId, quorum)
  const { key } = await client.login(acme, root)
  t.equal(
    await client.refused(key, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, {
      fingerprint: `sha256:${"00".repeat(32)}`,
    }),
    "ACTIVITY_UNKNOWN",
  )
})

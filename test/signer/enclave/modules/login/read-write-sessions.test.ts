import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { CredentialType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Outcome } from "../../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema, SessionRecordSchema } from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { ApiClient, type Tenant, userParams, valueOf } from "../../../../harness/api-client.ts"
import { Passkey } from "../../../../harness/authenticator.ts"
import { InProcessBoundary } from "../../../../harness/boundary.ts"
import { Target } from "../../../../harness/credential-target.ts"
import { newKey, type Stamper, type TestKey } from "../../../../harness/stamper.ts"
import { ledgerDigest } from "../../../../hostile/setup.ts"

const V1 = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION"
const V2 = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"

const boundary = new InProcessBoundary()
t.teardown(() => boundary.close())
const client = new ApiClient(boundary)
const fixture = { boundary, client }

const sessionOf = (outcome: Outcome) =>
  fromBinary(SessionRecordSchema, fromBinary(RecordSchema, outcome.records.at(-1)!).payload)

async function opened({ organizationId }: Tenant, by: Stamper, parameters: object = {}) {
  const target = new Target()
  const { targetPublicKey } = target
  const outcome = await client.submit(by, V2, organizationId, { targetPublicKey, ...parameters })
  const result = valueOf(outcome, "createReadWriteSessionResultV2")
  return { outcome, result, key: target.open(result.credentialBundle), session: sessionOf(outcome) }
}

/** The code of a vote that any known key may send, and that changes nothing. */
const voteOf = ({ organizationId }: Tenant, key: TestKey) =>
  client.refused(key, "ACTIVITY_TYPE_APPROVE_ACTIVITY", organizationId, {
    fingerprint: `sha256:${"00".repeat(32)}`,
  })

t.test("a session's key is sealed to the client, and stamps for its user until it expires", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId: userId } = acme
  const { outcome, result, key, session } = await opened(acme, root)
  const decidedMs = Number(outcome.decision!.decidedAtMs)
  t.match(result, { organizationId, organizationName: "Acme", userId, username: "root" })
  t.match(session, {
    userId,
    publicKey: key.publicKeyHex,
    name: `Read Write Session - ${new Date(decidedMs).toISOString()}`,
    type: CredentialType.READ_WRITE_SESSION_KEY_P256,
    expirationSeconds: 900n,
    expiresAtMs: BigInt(decidedMs + 900_000),
    openedBy: root.publicKeyHex,
  })
  await client.submit(key, "ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName: "W", accounts: [] })
  boundary.clock.pass(decidedMs + 900_000 - boundary.clock.wallMs())
  t.equal(await voteOf(acme, key), "CREDENTIAL_EXPIRED")
})

t.test("name, length, and the end of the user's other sessions are as asked", async (t) => {
  const acme = await client.createOrganization()
  const first = await opened(acme, acme.root)
  const login = await client.login(acme, acme.root)
  const asked = { apiKeyName: "laptop", expirationSeconds: "60", invalidateExisting: true }
  const { session, key, result } = await opened(acme, acme.root, asked)
  t.match(session, { name: "laptop", expirationSeconds: 60n })
  t.equal(await voteOf(acme, first.key), "CREDENTIAL_UNKNOWN")
  t.equal(await voteOf(acme, login.key), "CREDENTIAL_UNKNOWN")
  const removal = { userId: acme.rootUserId, apiKeyIds: [result.apiKeyId] }
  await client.submit(acme.root, "ACTIVITY_TYPE_DELETE_API_KEYS", acme.organizationId, removal)
  t.equal(await voteOf(acme, key), "CREDENTIAL_UNKNOWN", "ended by its id")
})

t.test("users open sessions of their own, and the root quorum those of every user", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const [alice, bob] = [await client.user(acme, "alice"), await client.user(acme, "bob")]
  for (const parameters of [{}, { userId: alice.userId }]) {
    const { session } = await opened(acme, alice.key, parameters)
    t.match(session, { userId: alice.userId, openedBy: alice.key.publicKeyHex })
  }
  for (const userId of [bob.userId, rootUserId]) {
    const parameters = { targetPublicKey: new Target().targetPublicKey, userId }
    const before = ledgerDigest(fixture)
    t.equal(await client.refused(alice.key, V2, organizationId, parameters), "PERMISSION_DENIED")
    t.equal(ledgerDigest(fixture), before)
  }
  const { session } = await opened(acme, root, { userId: bob.userId })
  t.match(session, { userId: bob.userId, openedBy: root.publicKeyHex })
})

t.test(
  "version 1 names the user by e-mail address, and needs the right to open sessions of others",
  async (t) => {
    const acme = await client.createOrganization()
    const { organizationId, root } = acme
    const alice = newKey()
    const users = [
      { ...userParams("alice", alice), userEmail: "Ann@example.com" },
      { ...userParams("bob", newKey()), userEmail: "bob@example.com" },
      { ...userParams("rob", newKey()), userEmail: "BOB@example.com" },
    ]
    await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, { users })
    const target = new Target()
    const { targetPublicKey } = target
    const asked = { email: "ann@EXAMPLE.com", targetPublicKey }
    const outcome = await client.submit(root, V1, organizationId, asked)
    const { username, credentialBundle } = valueOf(outcome, "createReadWriteSessionResult")
    t.equal(username, "alice")
    t.equal(target.open(credentialBundle).publicKeyHex, sessionOf(outcome).publicKey)
    t.equal(
      await client.refused(alice, V1, organizationId, asked),
      "PERMISSION_DENIED",
      "by default right: version 2",
    )
    const refusals = { "bob@example.com": "CONTACT_AMBIGUOUS", "carl@example.com": "RESOURCE_UNKNOWN" }
    for (const [email, code] of Object.entries(refusals))
      t.equal(await client.refused(root, V1, organizationId, { email, targetPublicKey }), code, email)
  },
)

t.test("a faulty target key is refused before anything is opened", async (t) => {
  const acme = await client.createOrganization()
  const { organizationId, root, rootUserId } = acme
  const { targetPublicKey } = new Target()
  const cases: [object, string][] = [
    [{ targetPublicKey: newKey().publicKeyHex }, "REQUEST_INVALID"],
    [{ targetPublicKey: `04${"ff".repeat(64)}` }, "TARGET_KEY_INVALID"],
    [{}, "REQUEST_INVALID"],
    [{ targetPublicKey, userId: organizationId }, "RESOURCE_UNKNOWN"],
    [{ targetPublicKey, userId: rootUserId, expirationSeconds: "0" }, "REQUEST_INVALID"],
  ]
  for (const [parameters, code] of cases) {
    const before = ledgerDigest(fixture)
    t.equal(await client.refused(root, V2, organizationId, parameters), code, JSON.stringify(parameters))
    t.equal(ledgerDigest(fixture), before)
  }
})

t.test("a session that a passkey opened counts beside the passkey, as after a login", async (t) => {
  const acme = await client.createOrganization()
  const passkey = new Passkey()
  const authenticators = { userId: acme.rootUserId, authenticators: [passkey.create()] }
  const type = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
  await client.submit(acme.root, type, acme.organizationId, authenticators)
  const first = await opened(acme, passkey)
  t.equal(first.session.openedBy, "")
  t.equal((await opened(acme, first.key)).session.openedBy, first.key.publicKeyHex)
})

t.test("the eleventh session of a user replaces the oldest, whichever activity opened it", async (t) => {
  const acme = await client.createOrganization()
  const { key } = await opened(acme, acme.root)
  for (let count = 1; count < 10; count++) await client.login(acme, acme.root)
  t.not(await voteOf(acme, key), "CREDENTIAL_UNKNOWN", "the tenth")
  await opened(acme, acme.root)
  t.equal(await voteOf(acme, key), "CREDENTIAL_UNKNOWN", "the eleventh")
})

// Deleted users and organization settings, against an API tier that supplies older state.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signParams, userParams, valueOf } from "../harness/api-client.ts"
import { documentOf } from "../harness/document.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused, setup } from "./setup.ts"

const { COMPLETED, CONSENSUS_NEEDED } = ActivityStatus
const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`

t.test(
  "A4: refuses the key of a deleted user, also with the document that still held that user",
  async (t) => {
    const fixture = await setup(t)
    const { boundary, client, acme, address } = fixture
    const { organizationId, root } = acme
    const alice = await client.user(acme, "alice")
    const old = client.documents.get(organizationId)!
    const body = client.body(TYPE("CREATE_API_KEYS_V2"), organizationId, {
      userId: alice.userId,
      apiKeys: [{ apiKeyName: "back", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
    })
    const asAlice = (documents: Uint8Array[]) => client.order(body, stampWith(alice.key, body), { documents })
    await client.submit(root, TYPE("DELETE_USERS"), organizationId, { userIds: [alice.userId] })
    const current = client.documents.get(organizationId)!
    for (const when of ["at once", "after a restart"]) {
      await refused(t, fixture, "DOCUMENT_ROLLED_BACK", () => asAlice([old]), `the older document ${when}`)
      await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => asAlice([current]), `the current one ${when}`)
      await boundary.restart()
    }
    const sign = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", () => client.offer(sign, stampWith(alice.key, sign)))
  },
)

t.test("A4: stamps of a deleted user do not act for the next holder of the same key", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId, root } = acme
  const alice = await client.user(acme, "alice")
  const kept = client.body(TYPE("CREATE_API_KEYS_V2"), organizationId, {
    userId: alice.userId,
    apiKeys: [{ apiKeyName: "kept", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
  })
  await client.submit(root, TYPE("DELETE_USERS"), organizationId, { userIds: [alice.userId] })
  const users = [userParams("alice", alice.key)]
  const made = await client.submit(root, TYPE("CREATE_USERS_V4"), organizationId, { users })
  t.not(valueOf(made, "createUsersResult").userIds[0], alice.userId)
  const again = () => client.offer(kept, stampWith(alice.key, kept))
  await refused(t, fixture, "PERMISSION_DENIED", again, "it names a user who is another now")
})

t.test(
  "A5: the votes of a deleted user no longer count, also when another user holds the same key",
  async (t) => {
    const fixture = await quorumOfThree(t)
    const { client, acme, alice, bob, eve, propose, approve, approval } = fixture
    const { rootUserId } = acme
    const { fingerprint } = await propose()
    t.equal((await approve(alice, fingerprint)).status, CONSENSUS_NEEDED, "two of three")

    const others = { threshold: 3, userIds: [rootUserId, bob.userId, eve.userId] }
    const expulsion = await propose("UPDATE_ROOT_QUORUM", others)
    await approve(alice, expulsion.fingerprint)
    t.equal((await approve(bob, expulsion.fingerprint)).status, COMPLETED)
    const removal = await propose("DELETE_USERS", { userIds: [alice.userId] })
    await approve(bob, removal.fingerprint)
    t.equal((await approve(eve, removal.fingerprint)).status, COMPLETED)

    const late = approval(fingerprint)
    const asAlice = () => client.offer(late, stampWith(alice.key, late))
    await refused(t, fixture, "CREDENTIAL_UNKNOWN", asAlice, "a new vote of hers")
    t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "hers is no third vote")

    const heir = await propose("CREATE_USERS_V4", { users: [userParams("alice", alice.key)] })
    await approve(bob, heir.fingerprint)
    t.equal((await approve(eve, heir.fingerprint)).status, COMPLETED)
    await refused(t, fixture, "VOTE_NOT_COUNTED", asAlice, "a key now held by an ordinary user")
    const done = await approve(eve, fingerprint)
    t.equal(done.status, COMPLETED, "three who are members now")
    t.ok(valueOf(done, "createWalletResult").walletId)
  },
)

t.test("A1: refuses the document of before a feature was set or removed", async (t) => {
  const fixture = await setup(t)
  const { boundary, client, acme, address } = fixture
  const { organizationId, root } = acme
  const older: Uint8Array[] = []
  const change = async (type: string, parameters: object) => {
    older.push(client.documents.get(organizationId)!)
    await client.submit(root, TYPE(type), organizationId, parameters)
  }
  const name = "FEATURE_NAME_WEBAUTHN_ORIGINS"
  await change("SET_ORGANIZATION_FEATURE", { name, value: "https://app.example" })
  await change("REMOVE_ORGANIZATION_FEATURE", { name })
  await change("SET_ORGANIZATION_FEATURE", { name, value: "https://app.example" })
  const body = client.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
  await boundary.restart()
  for (const document of older) {
    const offer = () => client.order(body, stampWith(root, body), { documents: [document] })
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", offer)
  }
})

t.test("A8: users without permission change no features, names or users", async (t) => {
  const fixture = await quorumOfThree(t)
  const { client, acme, alice, eve, propose } = fixture
  const { organizationId } = acme
  for (const [type, parameters] of [
    ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://evil.example" }],
    ["REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBAUTHN_ORIGINS" }],
    ["UPDATE_ORGANIZATION_NAME", { organizationName: "Evil" }],
    ["DELETE_USERS", { userIds: [alice.userId] }],
    ["UPDATE_USER_EMAIL", { userId: alice.userId, userEmail: "eve@example.com" }],
    ["CREATE_USER_TAG", { userTagName: "admins", userIds: [eve.userId] }],
  ] as const) {
    const body = client.body(TYPE(type), organizationId, parameters)
    const asEve = () => client.offer(body, stampWith(eve.key, body))
    await refused(t, fixture, "PERMISSION_DENIED", asEve, `${type} by an ordinary user`)
    const before = client.documents.get(organizationId)
    const { fingerprint } = await propose(type, parameters)
    const vote = client.body(TYPE("APPROVE_ACTIVITY"), organizationId, {
      fingerprint: `sha256:${fingerprint}`,
    })
    const byEve = () => client.offer(vote, stampWith(eve.key, vote))
    await refused(t, fixture, "VOTE_NOT_COUNTED", byEve, `${type}: an ordinary user's vote beside root's`)
    t.equal(client.documents.get(organizationId), before)
  }
})

t.test(
  "L1: the only root user keeps one way to log in, and hands the quorum to nobody without one",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme, fakeFetcher } = fixture
    const { organizationId, root, rootUserId: userId } = acme
    const attack = (type: string, parameters: object) => {
      const body = client.body(TYPE(type), organizationId, parameters)
      return () => client.offer(body, stampWith(root, body))
    }
    const identity = (sub: string) => ({ providerName: "idp", oidcToken: fakeFetcher.token({ sub }) })
    const mine = { userId, oauthProviders: [identity("root")] }
    await client.submit(root, TYPE("CREATE_OAUTH_PROVIDERS_V2"), organizationId, mine)
    const carol = { ...userParams("carol"), oauthProviders: [identity("carol")] }
    const made = await client.submit(root, TYPE("CREATE_USERS_V4"), organizationId, { users: [carol] })

    const held = documentOf(client, organizationId).users.find((user) => user.userId === userId)
    const apiKeyIds = held?.apiKeys.map(({ apiKeyId }) => apiKeyId)
    const providerIds = held?.oauthProviders.map(({ providerId }) => providerId)
    const { userIds } = valueOf(made, "createUsersResult")
    const dave = { ...userParams("dave"), apiKeys: [], userEmail: "dave@example.com" }
    const other = await client.submit(root, TYPE("CREATE_USERS_V4"), organizationId, { users: [dave] })
    const unreachable = { threshold: 1, userIds: valueOf(other, "createUsersResult").userIds }
    await refused(
      t,
      fixture,
      "QUORUM_INVALID",
      attack("UPDATE_ROOT_QUORUM", unreachable),
      "nobody can log in",
    )
    const handed = { threshold: 1, userIds: [...userIds, userId] }
    await client.submit(root, TYPE("UPDATE_ROOT_QUORUM"), organizationId, handed)
    const session = newKey()
    await client.submit(root, TYPE("STAMP_LOGIN"), organizationId, { publicKey: session.publicKeyHex })
    await client.submit(session, TYPE("DELETE_API_KEYS"), organizationId, { userId, apiKeyIds })
    const body = client.body(TYPE("DELETE_OAUTH_PROVIDERS"), organizationId, { userId, providerIds })
    const last = () => client.offer(body, stampWith(session, body))
    await refused(t, fixture, "LAST_CREDENTIAL", last, "the identity is the last login method")
  },
)

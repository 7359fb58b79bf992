// Users who were removed, and settings of the organization, against an API tier that would have it otherwise.
import t from "tap"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signParams, userParams, valueOf } from "../harness/api-seat.ts"
import { documentOf } from "../harness/document.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { quorumOfThree } from "./quorum.ts"
import { refused, stage } from "./stage.ts"

const { COMPLETED, CONSENSUS_NEEDED } = ActivityStatus
const TYPE = (name: string) => `ACTIVITY_TYPE_${name}`

t.test(
  "A4: refuses the key of a deleted user, also with the document that still held that user",
  async (t) => {
    const scene = await stage(t)
    const { boundary, seat, acme, address } = scene
    const { organizationId, root } = acme
    const alice = await seat.user(acme, "alice")
    const old = seat.documents.get(organizationId)!
    const body = seat.body(TYPE("CREATE_API_KEYS_V2"), organizationId, {
      userId: alice.userId,
      apiKeys: [{ apiKeyName: "back", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
    })
    const asAlice = (documents: Uint8Array[]) => seat.order(body, stampWith(alice.key, body), { documents })
    await seat.submit(root, TYPE("DELETE_USERS"), organizationId, { userIds: [alice.userId] })
    const current = seat.documents.get(organizationId)!
    for (const when of ["at once", "after a restart"]) {
      await refused(t, scene, "DOCUMENT_ROLLED_BACK", () => asAlice([old]), `his own document ${when}`)
      await refused(t, scene, "CREDENTIAL_UNKNOWN", () => asAlice([current]), `the current one ${when}`)
      await boundary.restart()
    }
    const sign = seat.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
    await refused(t, scene, "CREDENTIAL_UNKNOWN", () => seat.offer(sign, stampWith(alice.key, sign)))
  },
)

t.test("A4: stamps of a deleted user do not act for the next holder of the same key", async (t) => {
  const scene = await stage(t)
  const { seat, acme } = scene
  const { organizationId, root } = acme
  const alice = await seat.user(acme, "alice")
  const kept = seat.body(TYPE("CREATE_API_KEYS_V2"), organizationId, {
    userId: alice.userId,
    apiKeys: [{ apiKeyName: "kept", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }],
  })
  await seat.submit(root, TYPE("DELETE_USERS"), organizationId, { userIds: [alice.userId] })
  const users = [userParams("alice", alice.key)]
  const made = await seat.submit(root, TYPE("CREATE_USERS_V4"), organizationId, { users })
  t.not(valueOf(made, "createUsersResult").userIds[0], alice.userId)
  const again = () => seat.offer(kept, stampWith(alice.key, kept))
  await refused(t, scene, "PERMISSION_DENIED", again, "it names a user who is another now")
})

t.test(
  "A5: the votes of a deleted user no longer count, also when another user holds the same key",
  async (t) => {
    const scene = await quorumOfThree(t)
    const { seat, acme, alice, bob, eve, propose, approve, approval } = scene
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
    const asAlice = () => seat.offer(late, stampWith(alice.key, late))
    await refused(t, scene, "CREDENTIAL_UNKNOWN", asAlice, "a new vote of hers")
    t.equal((await approve(bob, fingerprint)).status, CONSENSUS_NEEDED, "hers is no third vote")

    const heir = await propose("CREATE_USERS_V4", { users: [userParams("alice", alice.key)] })
    await approve(bob, heir.fingerprint)
    t.equal((await approve(eve, heir.fingerprint)).status, COMPLETED)
    await refused(t, scene, "VOTE_NOT_COUNTED", asAlice, "her key in the hands of an ordinary user")
    const done = await approve(eve, fingerprint)
    t.equal(done.status, COMPLETED, "three who are members now")
    t.ok(valueOf(done, "createWalletResult").walletId)
  },
)

t.test("A1: refuses the document of before a feature was set or removed", async (t) => {
  const scene = await stage(t)
  const { boundary, seat, acme, address } = scene
  const { organizationId, root } = acme
  const older: Uint8Array[] = []
  const change = async (type: string, parameters: object) => {
    older.push(seat.documents.get(organizationId)!)
    await seat.submit(root, TYPE(type), organizationId, parameters)
  }
  const name = "FEATURE_NAME_WEBAUTHN_ORIGINS"
  await change("SET_ORGANIZATION_FEATURE", { name, value: "https://app.example" })
  await change("REMOVE_ORGANIZATION_FEATURE", { name })
  await change("SET_ORGANIZATION_FEATURE", { name, value: "https://app.example" })
  const body = seat.body(TYPE("SIGN_RAW_PAYLOAD_V2"), organizationId, signParams(address))
  await boundary.restart()
  for (const document of older) {
    const offer = () => seat.order(body, stampWith(root, body), { documents: [document] })
    await refused(t, scene, "DOCUMENT_ROLLED_BACK", offer)
  }
})

t.test("A5: users without permission change no features, names or users", async (t) => {
  const scene = await quorumOfThree(t)
  const { seat, acme, alice, eve, propose } = scene
  const { organizationId } = acme
  for (const [type, parameters] of [
    ["SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://evil.example" }],
    ["REMOVE_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_WEBAUTHN_ORIGINS" }],
    ["UPDATE_ORGANIZATION_NAME", { organizationName: "Evil" }],
    ["DELETE_USERS", { userIds: [alice.userId] }],
    ["UPDATE_USER_EMAIL", { userId: alice.userId, userEmail: "eve@example.com" }],
    ["CREATE_USER_TAG", { userTagName: "admins", userIds: [eve.userId] }],
  ] as const) {
    const body = seat.body(TYPE(type), organizationId, parameters)
    const asEve = () => seat.offer(body, stampWith(eve.key, body))
    await refused(t, scene, "PERMISSION_DENIED", asEve, `${type} by an ordinary user`)
    const before = seat.documents.get(organizationId)
    const { fingerprint } = await propose(type, parameters)
    const vote = seat.body(TYPE("APPROVE_ACTIVITY"), organizationId, { fingerprint: `sha256:${fingerprint}` })
    const byEve = () => seat.offer(vote, stampWith(eve.key, vote))
    await refused(t, scene, "VOTE_NOT_COUNTED", byEve, `${type}: her vote beside root's`)
    t.equal(seat.documents.get(organizationId), before)
  }
})

t.test("L1: an OAuth provider does not replace the last key of the only root user", async (t) => {
  const scene = await stage(t)
  const { seat, acme, outside } = scene
  const { organizationId, root, rootUserId: userId } = acme
  const attack = (type: string, parameters: object) => {
    const body = seat.body(TYPE(type), organizationId, parameters)
    return () => seat.offer(body, stampWith(root, body))
  }
  const identity = (sub: string) => ({ providerName: "idp", oidcToken: outside.token({ sub }) })
  const mine = { userId, oauthProviders: [identity("root")] }
  await seat.submit(root, TYPE("CREATE_OAUTH_PROVIDERS_V2"), organizationId, mine)
  const carol = { ...userParams("carol"), oauthProviders: [identity("carol")] }
  const made = await seat.submit(root, TYPE("CREATE_USERS_V4"), organizationId, { users: [carol] })

  const held = documentOf(seat, organizationId).users.find((user) => user.userId === userId)
  const apiKeyIds = held?.apiKeys.map(({ apiKeyId }) => apiKeyId)
  const last = attack("DELETE_API_KEYS", { userId, apiKeyIds })
  await refused(t, scene, "LAST_CREDENTIAL", last, "nobody logs in by an identity yet")
  const { userIds } = valueOf(made, "createUsersResult")
  const handed = attack("UPDATE_ROOT_QUORUM", { threshold: 1, userIds })
  await refused(t, scene, "QUORUM_INVALID", handed, "a quorum of one who cannot stamp")
})

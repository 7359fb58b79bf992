// The power of a holder of an organization's proxy key, and the ways to that key.
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { AuthProxyUse } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { NotarizedDocumentSchema } from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { apiKey, outcomeOf, userParams, valueOf } from "../harness/api-client.ts"
import { openedKey, proxyOf } from "../harness/auth-proxy.ts"
import { documentOf } from "../harness/document.ts"
import { asking } from "../harness/otp.ts"
import { newKey, stampWith, type TestKey } from "../harness/stamper.ts"
import { child, subOrganization } from "../harness/sub-organization.ts"
import { otpLoginParams } from "../harness/verification.ts"
import { claimsOfSession } from "./oidc-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

/** A fixture whose organization has enabled the auth proxy, and the key that its proxy opens. */
async function enabled(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const done = await asRoot(fixture).submit("ENABLE_AUTH_PROXY", {})
  const { userId } = valueOf(done, "enableAuthProxyResult")
  return { ...fixture, userId, proxyKey: keyOf(fixture) }
}

function keyOf({ client, acme }: Pick<Fixture, "client" | "acme">): TestKey {
  const key = openedKey(documentOf(client, acme.organizationId))
  if (key === undefined) throw new Error("the proxy cannot open its key")
  return key
}

const OWN = [...activityTypes.values()].filter((type) => type.authProxyUse === AuthProxyUse.OWN_ORGANIZATION)

t.test("the list of what the proxy key may do is the published one", async (t) => {
  t.same(OWN.map(({ type }) => type.replace("ACTIVITY_TYPE_", "")).toSorted(), [
    "CREATE_SUB_ORGANIZATION_V7",
    "CREATE_SUB_ORGANIZATION_V8",
    "INIT_OTP",
    "INIT_OTP_V2",
    "INIT_OTP_V3",
    "OAUTH2_AUTHENTICATE",
    "VERIFY_OTP",
    "VERIFY_OTP_V2",
  ])
})

t.test("X1: the proxy key does nothing outside its list, whatever policies allow", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey, userId } = fixture
  const all = { policyName: "all", effect: "EFFECT_ALLOW", notes: "" }
  await asRoot(fixture).submit("CREATE_POLICY_V3", all)
  const alice = await client.user(acme, "alice")
  await client.submit(alice.key, "ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, wallet("twin"))
  const others = [...activityTypes.values()].filter((type) => !OWN.includes(type) && type.served)
  t.ok(others.length > 80)
  const before = documentOf(client, acme.organizationId).version
  for (const { type } of others) {
    const answer = await client.send(client.body(type, acme.organizationId, minimal(type, userId)), proxyKey)
    if (answer.is !== "refused") t.fail(`${type} ran`)
    // Parameters are read before the user is known: a body that some types cannot read is refused for that.
    else if (!READ_FIRST.includes(answer.code)) t.equal(answer.code, "AUTH_PROXY_USER_DENIED", type)
  }
  t.equal(documentOf(client, acme.organizationId).version, before)
})

/** Refusals of a body, before its stamp is looked at. */
const READ_FIRST: readonly string[] = ["REQUEST_INVALID", "SETUP_CODE_INVALID"]

const wallet = (walletName: string) => ({ walletName, accounts: [] })

/** Parameters by which these types would run. */
function minimal(type: string, userId: string): object {
  const key = { apiKeyName: "k", publicKey: newKey().publicKeyHex, curveType: "API_KEY_CURVE_P256" }
  const parameters: { readonly [type: string]: object } = {
    CREATE_WALLET: wallet("w"),
    STAMP_LOGIN: { publicKey: newKey().publicKeyHex },
    CREATE_API_KEYS_V2: { userId, apiKeys: [key] },
    DELETE_USERS: { userIds: [userId] },
    SET_ORGANIZATION_FEATURE: { name: "FEATURE_NAME_STRICT_DENY" },
  }
  return parameters[type.replace("ACTIVITY_TYPE_", "")] ?? {}
}

t.test("X1: what would run by another user's stamp is refused to the proxy key by name", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey, userId } = fixture
  const types = [
    "CREATE_WALLET",
    "STAMP_LOGIN",
    "CREATE_API_KEYS_V2",
    "DELETE_USERS",
    "SET_ORGANIZATION_FEATURE",
  ]
  for (const type of types) {
    const body = client.body(`ACTIVITY_TYPE_${type}`, acme.organizationId, minimal(type, userId))
    await refused(t, fixture, "AUTH_PROXY_USER_DENIED", () => client.send(body, proxyKey), type)
  }
})

t.test("X1: the proxy key casts no vote, and cannot be a member of the root quorum", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey, userId } = fixture
  const quorum = { threshold: 1, userIds: [acme.rootUserId, userId] }
  const member = () => asRoot(fixture).attempt("UPDATE_ROOT_QUORUM", quorum)
  await refused(t, fixture, "QUORUM_INVALID", member, "as a member")
  const alice = await client.user(acme, "alice")
  await asRoot(fixture).submit("UPDATE_ROOT_QUORUM", {
    threshold: 2,
    userIds: [acme.rootUserId, alice.userId],
  })
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", acme.organizationId, wallet("waits"))
  const { activityFingerprint } = outcomeOf(await client.send(body, acme.root))
  const fingerprint = `sha256:${Buffer.from(activityFingerprint).toString("hex")}`
  const vote = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint })
  await refused(t, fixture, "AUTH_PROXY_USER_DENIED", () => client.send(vote, proxyKey), "a vote")
  await refused(t, fixture, "AUTH_PROXY_USER_DENIED", () => client.send(body, proxyKey), "the same body")
})

t.test("X1: the proxy key creates sub-organizations, and has no right in them", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey } = fixture
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  const creation = subOrganization([{ name: "end user", key: newKey() }], { version: "v7" })
  const made = await client.submit(proxyKey, type, acme.organizationId, creation)
  const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", subOrganizationId, wallet("stolen"))
  await refused(t, fixture, "ORGANIZATION_MISMATCH", () => client.send(body, proxyKey))
})

t.test("X1: in a sub-organization the proxy key asks for a proven login, and for nothing else", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey, userId } = fixture
  const root = { ...userParams("ann"), userEmail: "ann@example.com" }
  const { userTags: _, ...rootUser } = { ...root, apiKeys: [apiKey(newKey())] }
  const { organizationId } = await child(client, acme, { rootUsers: [rootUser] })
  const login = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", organizationId, otpLoginParams(fixture))
  t.match(await client.send(login, proxyKey), { is: "outcome" })
  for (const { type, served, authProxyUse, intentSchema } of activityTypes.values()) {
    if (!served || authProxyUse === AuthProxyUse.SUB_ORGANIZATION) continue
    // Each version with the members that it has: others are refused before the stamp is looked at.
    const has = ([name]: [string, unknown]) => intentSchema.fields.some(({ jsonName }) => jsonName === name)
    const parameters = type.includes("INIT_OTP")
      ? Object.fromEntries(Object.entries(asking()).filter(has))
      : minimal(type, userId)
    const body = client.body(type, organizationId, parameters)
    const answer = await client.send(body, proxyKey)
    const expected = type.includes("INIT_OTP") ? ["AUTH_PROXY_USER_DENIED"] : REFUSED_THERE
    if (answer.is !== "refused") t.fail(`${type} ran`)
    else if (!expected.includes(answer.code)) t.fail(`${type}: ${answer.code}`)
  }
})

/** Refusals of the proxy key in a sub-organization. */
const REFUSED_THERE: readonly string[] = [...READ_FIRST, "AUTH_PROXY_USER_DENIED", "ORGANIZATION_MISMATCH"]

t.test(
  "X1: a login that the proxy stamped opens nothing else when its body is exchanged on the way",
  async (t) => {
    const fixture = await enabled(t)
    const { client, acme, proxyKey } = fixture
    const tenant = () => {
      const { userTags: _, ...user } = { ...userParams("ann"), userEmail: "ann@example.com" }
      return child(client, acme, { rootUsers: [{ ...user, apiKeys: [apiKey(newKey())] }] })
    }
    const [ann, other, stranger] = [await tenant(), await tenant(), await child(client, acme)]
    const [users, attackers] = [newKey(), newKey()]
    const login = otpLoginParams(fixture, users)
    const type = "ACTIVITY_TYPE_OTP_LOGIN_V2"
    const body = client.body(type, ann.organizationId, login)
    const stamp = stampWith(proxyKey, body)
    const exchanged = {
      "another session key": body.replaceAll(users.publicKeyHex, attackers.publicKeyHex),
      "another organization": body.replace(ann.organizationId, other.organizationId),
      "another person's token": client.body(type, ann.organizationId, otpLoginParams(fixture, attackers)),
      "a longer session": body.replace('"publicKey"', '"expirationSeconds":"2592000","publicKey"'),
    }
    for (const [what, altered] of Object.entries(exchanged)) {
      t.not(altered, body)
      await refused(t, fixture, "STAMP_INVALID", () => client.offer(altered, stamp), what)
    }
    const misled = client.body(type, stranger.organizationId, login)
    await refused(t, fixture, "RESOURCE_UNKNOWN", () => client.send(misled, proxyKey), "a false look-up")
    t.match(await client.offer(body, stamp), { is: "outcome" }, "the unaltered twin")
  },
)

t.test(
  "what remains: the API tier sends a login to another organization with the same contact",
  async (t) => {
    const { client, acme, proxyKey, ...fixture } = await enabled(t)
    const { userTags: _, ...user } = { ...userParams("ann"), userEmail: "ann@example.com" }
    const stranger = newKey()
    const theirs = await child(client, acme, { rootUsers: [{ ...user, apiKeys: [apiKey(stranger)] }] })
    const login = otpLoginParams({ client, acme, ...fixture })
    const body = client.body("ACTIVITY_TYPE_OTP_LOGIN_V2", theirs.organizationId, login)
    const { session } = valueOf(outcomeOf(await client.send(body, proxyKey)), "otpLoginResult")
    t.match(
      claimsOfSession(session),
      { organization_id: theirs.organizationId },
      "the session says where it is",
    )
  },
)

t.test(
  "X1: the policy alone decides what the list leaves open: without it the proxy key does nothing",
  async (t) => {
    const fixture = await enabled(t)
    const { client, acme, proxyKey } = fixture
    const { policyId } = proxyOf(documentOf(client, acme.organizationId))
    await asRoot(fixture).submit("DELETE_POLICY", { policyId })
    const creation = subOrganization([{ name: "end user", key: newKey() }], { version: "v7" })
    const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
    const body = client.body(type, acme.organizationId, creation)
    await refused(t, fixture, "PERMISSION_DENIED", () => client.send(body, proxyKey))
  },
)

t.test("X2: a key that the organization was given before, or that it lost, stamps nothing", async (t) => {
  const fixture = await enabled(t)
  const { client, acme, proxyKey } = fixture
  const creation = subOrganization([{ name: "end user", key: newKey() }], { version: "v7" })
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  const attack = () => client.send(client.body(type, acme.organizationId, creation), proxyKey)
  await asRoot(fixture).submit("ENABLE_AUTH_PROXY", {})
  t.not(keyOf(fixture).publicKeyHex, proxyKey.publicKeyHex)
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", attack, "after another enabling")
  await asRoot(fixture).submit("DISABLE_AUTH_PROXY", {})
  await refused(t, fixture, "CREDENTIAL_UNKNOWN", attack, "after it was disabled")
})

t.test(
  "X2: a sealed proxy key opens for its organization and configuration alone, with the own key alone",
  async (t) => {
    const fixture = await enabled(t)
    const { client, acme, proxyKey } = fixture
    const document = documentOf(client, acme.organizationId)
    const other = await client.createOrganization("Other")
    await client.submit(other.root, "ACTIVITY_TYPE_ENABLE_AUTH_PROXY", other.organizationId, {})
    const others = documentOf(client, other.organizationId)
    t.ok(openedKey(others))
    const { configId, publicKey, sealedPrivateKey } = proxyOf(document)
    const moved = (members: object) => ({ ...others, authProxy: { ...proxyOf(others), ...members } })
    t.notOk(openedKey(moved({ sealedPrivateKey })), "moved to another organization")
    t.notOk(openedKey(moved({ sealedPrivateKey, configId, publicKey })), "with its configuration")
    t.notOk(openedKey({ ...document, authProxy: { ...proxyOf(document), configId: others.organizationId } }))
    t.notOk(openedKey(document, newKey()), "by another proxy")
    for (const [at] of sealedPrivateKey.entries()) {
      const altered = Uint8Array.from(sealedPrivateKey, (byte, index) => (index === at ? byte ^ 1 : byte))
      if (openedKey({ ...document, authProxy: { ...proxyOf(document), sealedPrivateKey: altered } }))
        t.fail(`byte ${at}`)
    }
    const scalar = Buffer.from(proxyKey.privateKey.export({ format: "jwk" }).d ?? "", "base64url")
    const { document: bytes } = fromBinary(
      NotarizedDocumentSchema,
      client.documents.get(acme.organizationId)!,
    )
    t.notOk(Buffer.from(bytes).includes(scalar), "the document has it sealed only")
  },
)

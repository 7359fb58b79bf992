import { oauth2Application } from "./oauth2-fixture.ts"
import { fromBinary } from "@bufbuild/protobuf"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { apiKey, ethereumAccount, userParams, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { subOrganization } from "../harness/sub-organization.ts"
import { newKey, type TestKey } from "../harness/stamper.ts"
import { otpLoginParams } from "../harness/verification.ts"
import { bundleReplayCases } from "./replay-cases-bundles.ts"
import { attestedKey, oauthParams } from "./oidc-fixture.ts"
import { onRampReplayCases } from "./replay-cases-on-ramp.ts"
import { otpReplayCases } from "./replay-cases-otp.ts"
import { policyReplayCases } from "./replay-cases-policies.ts"
import { sendReplayCases } from "./replay-cases-sends.ts"
import { secretReplayCases } from "./replay-cases-secrets.ts"
import { sessionReplayCases } from "./replay-cases-sessions.ts"
import { userReplayCases } from "./replay-cases-users.ts"
import { webhookReplayCases } from "./replay-cases-webhooks.ts"
import type { Actors, ReplayCase } from "./replay-case.ts"
import { asRoot, type Fixture } from "./setup.ts"

/** One case for every activity that changes state, except creations of organizations and votes, tested elsewhere. */
export const replayCases: { [type: string]: (actors: Actors) => Promise<Omit<ReplayCase, "type">> } = {
  ...userReplayCases,
  ...bundleReplayCases,
  ...policyReplayCases,
  ...onRampReplayCases,
  ...otpReplayCases,
  ...sendReplayCases,
  ...secretReplayCases,
  ...sessionReplayCases,
  ...webhookReplayCases,
  CREATE_USERS_V3: async () => ({ ...twoUsers(), harm: "a second user with the same key" }),
  CREATE_USERS_V4: async () => ({ ...twoUsers(), harm: "a second user with the same key" }),
  CREATE_API_KEYS: async (actors) => ({ ...twoKeys(actors, firstForm), harm: "a removed key comes back" }),
  CREATE_API_KEYS_V2: async (actors) => ({ ...twoKeys(actors, apiKey), harm: "a removed key comes back" }),
  DELETE_API_KEYS: async (actors) => deletions(actors),
  CREATE_AUTHENTICATORS_V2: async ({ alice: { userId } }) => {
    const one = () => ({ userId, authenticators: [new Passkey().create()] })
    return { first: one(), second: one(), harm: "a removed passkey comes back" }
  },
  DELETE_AUTHENTICATORS: async (actors) => passkeyDeletions(actors),
  CREATE_SUB_ORGANIZATION_V4: async () => twoSubOrganizations("v4"),
  CREATE_SUB_ORGANIZATION_V5: async () => twoSubOrganizations("v5"),
  CREATE_SUB_ORGANIZATION_V6: async () => twoSubOrganizations("v6"),
  CREATE_SUB_ORGANIZATION_V7: async () => twoSubOrganizations("v7"),
  CREATE_SUB_ORGANIZATION_V8: async () => twoSubOrganizations("v8"),
  CREATE_OAUTH_PROVIDERS: async (actors) => twoIdentities(actors, "an identity that was taken away is back"),
  CREATE_OAUTH_PROVIDERS_V2: async (actors) =>
    twoIdentities(actors, "an identity that was taken away is back"),
  DELETE_OAUTH_PROVIDERS: async (actors) => identityDeletions(actors),
  CREATE_OAUTH2_CREDENTIAL: async ({ fixture }) => ({
    first: await oauth2Credential(fixture, "one"),
    second: await oauth2Credential(fixture, "two"),
    harm: "a withdrawn client secret is back",
  }),
  OAUTH2_AUTHENTICATE: async ({ fixture, acme }) => {
    const { code } = await oauth2Application(fixture, acme)
    return { first: code().parameters, second: code().parameters, harm: "a second token for one code" }
  },
  UPDATE_OAUTH2_CREDENTIAL: async (actors) => credentialUpdates(actors),
  DELETE_OAUTH2_CREDENTIAL: async (actors) => credentialDeletions(actors),
  CREATE_WALLET: async () => ({
    first: { walletName: "One", accounts: [ethereumAccount(0)] },
    second: { walletName: "Two", accounts: [] },
    harm: "a second wallet for one authorization",
  }),
  CREATE_WALLET_ACCOUNTS: async ({ fixture: { walletId } }) => ({
    first: { walletId, accounts: [ethereumAccount(3)] },
    second: { walletId, accounts: [ethereumAccount(4)] },
    harm: "a second account for one authorization",
  }),
  UPDATE_WALLET: async ({ fixture: { walletId } }) => ({
    first: { walletId, walletName: "One" },
    second: { walletId, walletName: "Two" },
    harm: "an old name comes back",
  }),
  UPDATE_WALLET_ACCOUNT_NAME: async (actors) => {
    const [walletAccountId] = await twoAccounts(actors)
    return {
      first: { walletAccountId, name: "One" },
      second: { walletAccountId, name: "Two" },
      harm: "an old name comes back",
    }
  },
  DELETE_WALLET_ACCOUNTS: async (actors) => accountDeletions(actors),
  OAUTH_LOGIN: async (actors) => twoOauthLogins(actors),
  OTP_LOGIN: async (actors) => twoOtpLogins(actors),
  OTP_LOGIN_V2: async (actors) => twoOtpLogins(actors),
  STAMP_LOGIN: async () => ({
    first: { publicKey: newKey().publicKeyHex },
    second: { publicKey: newKey().publicKeyHex, invalidateExisting: true },
    harm: "a session that was ended is open again",
  }),
  CREATE_PRIVATE_KEYS: async () => ({ ...twoPrivateKeys(), harm: "a second key for one authorization" }),
  CREATE_PRIVATE_KEYS_V2: async () => ({ ...twoPrivateKeys(), harm: "a second key for one authorization" }),
  DELETE_PRIVATE_KEYS: async (actors) => privateKeyDeletions(actors),
  CREATE_PRIVATE_KEY_TAG: async () => ({
    first: { privateKeyTagName: "one", privateKeyIds: [] },
    second: { privateKeyTagName: "two", privateKeyIds: [] },
    harm: "a deleted tag comes back",
  }),
  UPDATE_PRIVATE_KEY_TAG: async (actors) => tagChanges(actors),
  DELETE_PRIVATE_KEY_TAGS: async (actors) => tagDeletions(actors),
  CREATE_SMART_CONTRACT_INTERFACE: async () => ({
    first: contractInterface("11"),
    second: contractInterface("22"),
    harm: "a deleted interface comes back",
  }),
  DELETE_SMART_CONTRACT_INTERFACE: async (actors) => interfaceDeletions(actors),
  UPDATE_ROOT_QUORUM: async ({ acme, alice }) => ({
    first: { threshold: 1, userIds: [acme.rootUserId, alice.userId] },
    second: { threshold: 1, userIds: [acme.rootUserId] },
    harm: "somebody who was taken out of the root quorum is in it again",
  }),
}

function twoSubOrganizations(version: "v4" | "v5" | "v6" | "v7" | "v8") {
  const one = () => subOrganization([{ name: "root", key: newKey() }], { version })
  return { first: one(), second: one(), harm: "a second sub-organization for one authorization" }
}

function twoUsers() {
  const one = (name: string) => ({ users: [userParams(name, newKey())] })
  return { first: one("dora"), second: one("emil") }
}

const firstForm = (key: TestKey) => ({ apiKeyName: "first form", publicKey: key.publicKeyHex })

function twoKeys({ alice }: Actors, form: (key: TestKey) => object) {
  const one = () => ({ userId: alice.userId, apiKeys: [form(newKey())] })
  return { first: one(), second: one() }
}

/** Ids of new accounts. */
async function twoAccounts({ fixture: { client, walletId }, acme }: Actors): Promise<string[]> {
  const accounts = [ethereumAccount(5), ethereumAccount(6)]
  const type = "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
  const { records } = await client.submit(acme.root, type, acme.organizationId, { walletId, accounts })
  return records.map((bytes) => fromBinary(RecordSchema, bytes).id)
}

async function accountDeletions(actors: Actors) {
  const [one, two] = await twoAccounts(actors)
  const without = (id: string | undefined) => ({ walletAccountIds: [id], deleteWithoutExport: true })
  return { first: without(one), second: without(two), harm: "an account made again is deleted again" }
}

const privateKeysNamed = (...names: string[]) => ({
  privateKeys: names.map((privateKeyName) => ({
    privateKeyName,
    curve: "CURVE_SECP256K1",
    privateKeyTags: [],
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
  })),
})

function twoPrivateKeys() {
  return { first: privateKeysNamed("one"), second: privateKeysNamed("two") }
}

async function bornKeys({ fixture, acme }: Actors): Promise<string[]> {
  const { submit } = asRoot({ client: fixture.client, acme })
  const made = await submit("CREATE_PRIVATE_KEYS", privateKeysNamed("first", "second"))
  return valueOf(made, "createPrivateKeysResult").privateKeyIds
}

async function privateKeyDeletions(actors: Actors) {
  const [one, two] = await bornKeys(actors)
  const without = (id: string | undefined) => ({ privateKeyIds: [id], deleteWithoutExport: true })
  return { first: without(one), second: without(two), harm: "a key is deleted twice" }
}

async function bornTag({ fixture, acme }: Actors, privateKeyTagName: string, privateKeyIds: string[] = []) {
  const { submit } = asRoot({ client: fixture.client, acme })
  const made = await submit("CREATE_PRIVATE_KEY_TAG", { privateKeyTagName, privateKeyIds })
  return valueOf(made, "createPrivateKeyTagResult").privateKeyTagId
}

async function tagChanges(actors: Actors) {
  const [id = ""] = await bornKeys(actors)
  const privateKeyTagId = await bornTag(actors, "hot")
  const change = (addPrivateKeyIds: string[], removePrivateKeyIds: string[]) => ({
    privateKeyTagId,
    addPrivateKeyIds,
    removePrivateKeyIds,
  })
  return {
    first: change([id], []),
    second: change([], [id]),
    harm: "a key carries a tag that was taken from it",
  }
}

async function tagDeletions(actors: Actors) {
  const [one, two] = [await bornTag(actors, "one"), await bornTag(actors, "two")]
  const without = (id: string) => ({ privateKeyTagIds: [id] })
  return { first: without(one), second: without(two), harm: "a tag is deleted twice" }
}

function contractInterface(byte: string) {
  const smartContractAddress = `0x${byte.repeat(20)}`
  const type = "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM"
  return { smartContractAddress, smartContractInterface: "[]", type, label: byte }
}

async function interfaceDeletions({ fixture, acme }: Actors) {
  const { submit } = asRoot({ client: fixture.client, acme })
  const born = async (byte: string) => {
    const made = await submit("CREATE_SMART_CONTRACT_INTERFACE", contractInterface(byte))
    const { smartContractInterfaceId } = valueOf(made, "createSmartContractInterfaceResult")
    return { smartContractInterfaceId }
  }
  return { first: await born("11"), second: await born("22"), harm: "an interface is deleted twice" }
}

async function deletions({ fixture: { client }, acme, alice }: Actors) {
  const apiKeys = [apiKey(newKey(), "one"), apiKey(newKey(), "two")]
  const parameters = { userId: alice.userId, apiKeys }
  const made = await client.submit(
    acme.root,
    "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    acme.organizationId,
    parameters,
  )
  const [one, two] = valueOf(made, "createApiKeysResult").apiKeyIds
  const without = (id: string | undefined) => ({ userId: alice.userId, apiKeyIds: [id] })
  return { first: without(one), second: without(two), harm: "a key is removed twice" }
}

async function passkeyDeletions({ fixture: { client }, acme, alice: { userId } }: Actors) {
  const authenticators = [new Passkey().create("one"), new Passkey().create("two")]
  const type = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
  const made = await client.submit(acme.root, type, acme.organizationId, { userId, authenticators })
  const [one, two] = valueOf(made, "createAuthenticatorsResult").authenticatorIds
  const without = (id: string | undefined) => ({ userId, authenticatorIds: [id] })
  return { first: without(one), second: without(two), harm: "a passkey is removed twice" }
}

function twoIdentities({ fixture: { fakeFetcher }, alice }: Actors, harm: string) {
  const one = (sub: string) => ({
    userId: alice.userId,
    oauthProviders: [{ providerName: sub, oidcToken: fakeFetcher.token({ sub }) }],
  })
  return { first: one("one"), second: one("two"), harm }
}

async function identityDeletions(actors: Actors) {
  const { fixture, acme, alice } = actors
  const { first, second } = twoIdentities(actors, "")
  const type = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
  const made = async (parameters: object) => {
    const outcome = await fixture.client.submit(acme.root, type, acme.organizationId, parameters)
    return { userId: alice.userId, providerIds: valueOf(outcome, "createOauthProvidersResultV2").providerIds }
  }
  return { first: await made(first), second: await made(second), harm: "an identity is taken away twice" }
}

async function oauth2Credential({ fakeFetcher }: Fixture, clientId: string) {
  return {
    provider: "OAUTH2_PROVIDER_X",
    clientId,
    encryptedClientSecret: await fakeFetcher.sealClientSecret(`secret of ${clientId}`),
  }
}

async function newOauth2Credential({ fixture, acme }: Actors, clientId: string): Promise<string> {
  const type = "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"
  const parameters = await oauth2Credential(fixture, clientId)
  const outcome = await fixture.client.submit(acme.root, type, acme.organizationId, parameters)
  return valueOf(outcome, "createOauth2CredentialResult").oauth2CredentialId
}

async function credentialUpdates(actors: Actors) {
  const oauth2CredentialId = await newOauth2Credential(actors, "app")
  const next = async (clientId: string) => ({
    oauth2CredentialId,
    ...(await oauth2Credential(actors.fixture, clientId)),
  })
  return { first: await next("one"), second: await next("two"), harm: "a replaced client secret is back" }
}

async function credentialDeletions(actors: Actors) {
  const one = async (clientId: string) => ({
    oauth2CredentialId: await newOauth2Credential(actors, clientId),
  })
  return { first: await one("one"), second: await one("two"), harm: "a registration is deleted twice" }
}

async function twoOtpLogins({ fixture, acme, alice: { userId } }: Actors) {
  const parameters = { userId, userEmail: "ann@example.com" }
  await fixture.client.submit(acme.root, "ACTIVITY_TYPE_UPDATE_USER_EMAIL", acme.organizationId, parameters)
  const feature = { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" }
  await fixture.client.submit(
    acme.root,
    "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    acme.organizationId,
    feature,
  )
  const login = () => otpLoginParams(fixture)
  return { first: login(), second: login(), harm: "a session that was ended is back" }
}

async function twoOauthLogins({ fixture, acme, alice: { userId } }: Actors) {
  const oauthProviders = [{ providerName: "idp", oidcToken: fixture.fakeFetcher.token() }]
  const type = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
  await fixture.client.submit(acme.root, type, acme.organizationId, { userId, oauthProviders })
  const login = () => oauthParams(attestedKey(fixture))
  return { first: login(), second: login(), harm: "a session that was ended is back" }
}

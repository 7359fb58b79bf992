import t from "tap"
import { apiKey, valueOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, type Stamper, stampWith } from "../harness/stamper.ts"
import { asRoot, refused, setup } from "./setup.ts"
import {
  allow,
  API_KEY,
  AUTHENTICATORS_NEEDED,
  COMPLETED,
  demand,
  givePasskey,
  outcomeOf,
  PASSKEY,
  voteOn,
} from "./mfa-fixture.ts"

t.test("A5: a stolen key cannot create a factor that its user's MFA policies require", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const { organizationId } = acme
  const dan = await client.user(acme, "dan")
  const { userId } = dan
  const [passkey, forged] = [new Passkey(), new Passkey()]
  await asRoot(fixture).submit("CREATE_AUTHENTICATORS_V2", { userId, authenticators: [passkey.create()] })
  await allow(fixture, { condition: "activity.action == 'SIGN'" })
  await demand(fixture, userId, [PASSKEY])
  const others = { condition: "activity.action == 'EXPORT'", order: 1 }
  await demand(fixture, userId, [PASSKEY, API_KEY], others)

  const additions = {
    CREATE_AUTHENTICATORS_V2: { authenticators: [forged.create()] },
    CREATE_API_KEYS_V2: { apiKeys: [apiKey(newKey(), "another")] },
    CREATE_OAUTH_PROVIDERS_V2: {
      oauthProviders: [{ providerName: "idp", oidcToken: fixture.fakeFetcher.token() }],
    },
  }
  for (const [type, parameters] of Object.entries(additions)) {
    const body = client.body(`ACTIVITY_TYPE_${type}`, organizationId, { userId, ...parameters })
    const opened = await outcomeOf(fixture, body, dan.key)
    const mfaStatuses = [{ satisfied: false }, { satisfied: false }]
    t.match(opened, { status: AUTHENTICATORS_NEEDED, decision: { mfaStatuses } }, `${type} waits for all`)
    t.equal(opened.result, undefined)
    const again = voteOn(fixture, body)
    const session = await client.login(acme, dan.key)
    for (const key of [dan.key, session.key])
      await refused(t, fixture, "VOTE_REPEATED", () => client.offer(again, stampWith(key, again)), type)
    t.match(
      await outcomeOf(fixture, again, passkey),
      { status: COMPLETED },
      "the user with all required factors",
    )
  }
})

t.test(
  "an MFA policy that matches credential changes, an ALLOW policy or the root quorum overrides the all-policies rule",
  async (t) => {
    const fixture = await setup(t)
    const { client, acme } = fixture
    const dan = await client.user(acme, "dan")
    const { userId } = dan
    const add = (stamper: Stamper, name: string) => {
      const apiKeys = [apiKey(newKey(), name)]
      const body = client.body("ACTIVITY_TYPE_CREATE_API_KEYS_V2", acme.organizationId, { userId, apiKeys })
      return outcomeOf(fixture, body, stamper)
    }
    await givePasskey(fixture, userId)
    await demand(fixture, userId, [PASSKEY])
    t.match(await add(dan.key, "alone"), { status: AUTHENTICATORS_NEEDED })
    t.match(await add(acme.root, "by the root quorum"), { status: COMPLETED })
    const about = { condition: "activity.resource == 'CREDENTIAL'", order: 9 }
    const mfaPolicyId = await demand(fixture, userId, [API_KEY], about)
    t.match(await add(dan.key, "by its own policy"), { status: COMPLETED })
    await asRoot(fixture).submit("DELETE_MFA_POLICY", { userId, mfaPolicyId })
    await allow(fixture, { condition: "activity.resource == 'CREDENTIAL'" })
    t.match(await add(dan.key, "by an ALLOW"), { status: COMPLETED })
  },
)

t.test("a user with MFA policies deletes a stolen key with any one credential", async (t) => {
  const fixture = await setup(t)
  const { client, acme } = fixture
  const dan = await client.user(acme, "dan")
  const { userId } = dan
  const stolen = newKey()
  const made = await asRoot(fixture).submit("CREATE_API_KEYS_V2", { userId, apiKeys: [apiKey(stolen)] })
  await givePasskey(fixture, userId)
  await demand(fixture, userId, [PASSKEY])
  const { apiKeyIds } = valueOf(made, "createApiKeysResult")
  const body = client.body("ACTIVITY_TYPE_DELETE_API_KEYS", acme.organizationId, { userId, apiKeyIds })
  t.match(await outcomeOf(fixture, body, dan.key), { status: COMPLETED })
})

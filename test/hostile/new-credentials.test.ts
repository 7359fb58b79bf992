// A5: a body that was stamped before its credential was registered does not act for the credential's user.
import t from "tap"
import { apiKey, outcomeOf } from "../harness/api-client.ts"
import { Passkey } from "../harness/authenticator.ts"
import { newKey, type Stamper, stampBy } from "../harness/stamper.ts"
import { refused, setup } from "./setup.ts"

const MINUTE_MS = 60 * 1000

t.test("A4: a credential carries out no body that is over five minutes older than it", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root, rootUserId: userId } = acme
  const [key, session, passkey] = [newKey(), newKey(), new Passkey()]
  const bodyOf = (walletName: string, timestampMs: number) =>
    client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] }, timestampMs)

  const register: readonly (readonly [string, Stamper, () => Promise<unknown>])[] = [
    [
      "an API key",
      key,
      () =>
        client.submit(root, "ACTIVITY_TYPE_CREATE_API_KEYS_V2", organizationId, {
          userId,
          apiKeys: [apiKey(key)],
        }),
    ],
    [
      "a passkey",
      passkey,
      () =>
        client.submit(root, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", organizationId, {
          userId,
          authenticators: [passkey.create()],
        }),
    ],
    ["a session", session, () => client.login(acme, root, {}, session)],
  ]
  for (const [what, credential, add] of register) {
    const early = bodyOf(`${what}, early`, boundary.nowMs())
    await boundary.pass(3 * MINUTE_MS)
    const slow = bodyOf(`${what}, by a slow clock`, boundary.nowMs())
    await boundary.pass(2 * MINUTE_MS)
    await add()
    const offer = () => client.offer(early, stampBy(credential, early))
    await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", offer, what)
    outcomeOf(await client.send(slow, credential))
    const present = bodyOf(`${what}, now`, boundary.nowMs())
    outcomeOf(await client.send(present, credential))
  }
})

t.test("A4: a key that changes its owner carries out no body of the former owner", async (t) => {
  const fixture = await setup(t)
  const { client, acme, boundary } = fixture
  const { organizationId, root } = acme
  const former = await client.user(acme, "former")
  const body = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, { publicKey: newKey().publicKeyHex })
  await boundary.pass(6 * MINUTE_MS)
  await client.submit(root, "ACTIVITY_TYPE_DELETE_USERS", organizationId, { userIds: [former.userId] })
  const users = [
    { userName: "next", apiKeys: [apiKey(former.key)], authenticators: [], oauthProviders: [], userTags: [] },
  ]
  await client.submit(root, "ACTIVITY_TYPE_CREATE_USERS_V3", organizationId, { users })
  await refused(t, fixture, "CREDENTIAL_NEWER_THAN_REQUEST", () =>
    client.offer(body, stampBy(former.key, body)),
  )
  const own = client.body("ACTIVITY_TYPE_STAMP_LOGIN", organizationId, { publicKey: newKey().publicKeyHex })
  outcomeOf(await client.send(own, former.key))
})

// Published clients sign up and log in with an OpenID provider that we did not write.
import { TurnkeyClient } from "@turnkey/http"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import t from "tap"
import { AttestedKey, attestedStamper, nonceOf } from "../harness/attested.ts"
import { sharedProxiedSystem } from "../harness/shared-system.ts"
import { newKey } from "../harness/stamper.ts"
import { httpOf, sdkOf } from "./published.ts"

t.test("an end user signs up and logs in with an identity alone, by a server of the parent", async (t) => {
  const { system, provider } = await sharedProxiedSystem()
  const acme = await system.createOrganization()
  const server = sdkOf(system, acme.organizationId, acme.root)
  const tokenFor = (publicKeyHex: string) => provider.idToken("app", "alice", nonceOf({ publicKeyHex }))

  const key = newKey()
  const oidcToken = await tokenFor(key.publicKeyHex)
  const { subOrganizationId, rootUserIds } = await server.createSubOrganization({
    subOrganizationName: "Alice",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "alice",
        apiKeys: [],
        authenticators: [],
        oauthProviders: [{ providerName: "idp", oidcToken }],
      },
    ],
    wallet: { walletName: "First", accounts: [] },
  })
  const { session } = await server.oauthLogin({
    organizationId: subOrganizationId,
    oidcToken,
    publicKey: key.publicKeyHex,
  })
  const pins = (await system.send("/public/v1/pins", {})).json
  t.ok(await verifySessionJwtSignature(session, String(pins["notarizerPublicKey"]).slice(-130)))
  const owner = { organizationId: subOrganizationId, userId: rootUserIds![0] }
  t.match(await httpOf(system, key).getWhoami({ organizationId: subOrganizationId }), owner)
  const again = { organizationId: subOrganizationId, oidcToken, publicKey: key.publicKeyHex }
  await t.rejects(server.oauthLogin(again), { message: /has opened a session here before/ })

  const next = newKey()
  const stamper = new AttestedKey(next, await tokenFor(next.publicKeyHex))
  const client = new TurnkeyClient({ baseUrl: system.url }, attestedStamper(stamper))
  const login = {
    type: "ACTIVITY_TYPE_STAMP_LOGIN",
    timestampMs: String(Date.now()),
    parameters: { publicKey: next.publicKeyHex, expirationSeconds: "900" },
  } as const
  const { activity } = await client.stampLogin({ ...login, organizationId: acme.organizationId })
  t.match(activity, { organizationId: subOrganizationId, status: "ACTIVITY_STATUS_COMPLETED" })
  t.match(activity.votes, [{ publicKey: next.publicKeyHex, scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" }])
  t.match(await httpOf(system, next).getWhoami({ organizationId: subOrganizationId }), owner)
  t.match(await client.getWhoami({ organizationId: acme.organizationId }), owner, "who would log in")
  const shown = { organizationId: subOrganizationId, activityId: activity.id }
  t.match(await client.getActivity(shown), { activity: { id: activity.id, result: activity.result } })
  await t.rejects(client.getUsers({ organizationId: subOrganizationId }), { message: /attested stamp/ })
  const stolen = new TurnkeyClient(
    { baseUrl: system.url },
    attestedStamper(new AttestedKey(next, `${stamper.token.slice(0, -8)}AAAAAAAA`)),
  )
  await t.rejects(stolen.getWhoami({ organizationId: subOrganizationId }), { message: /invalid OIDC token/ })
})

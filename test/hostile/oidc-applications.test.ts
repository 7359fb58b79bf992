// Issuers and client ids that an organization trusts: its own stamped list decides, inside the operator's.
import { fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { signParams, type Tenant, valueOf } from "../harness/api-client.ts"
import { Target } from "../harness/credential-target.ts"
import { nonceOf } from "../harness/attested.ts"
import { OWN_ISSUER } from "../harness/fake-fetcher.ts"
import { newKey, stampWith } from "../harness/stamper.ts"
import { oauth2Application } from "./oauth2-fixture.ts"
import { attestedKey, identityChild, loginServer, oauthParams } from "./oidc-fixture.ts"
import { asRoot, type Fixture, refused, setup } from "./setup.ts"

const NAME = "FEATURE_NAME_OIDC_APPLICATIONS"
const REFUSED = "OIDC_APPLICATION_NOT_ALLOWED"
const LOGIN = "ACTIVITY_TYPE_STAMP_LOGIN"

/** Sets an organization's list; without one removes it. */
function trust({ client, boundary }: Fixture, { organizationId, root }: Tenant, list?: object) {
  boundary.clock.pass(1)
  return list === undefined
    ? client.submit(root, "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE", organizationId, { name: NAME })
    : client.submit(root, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", organizationId, {
        name: NAME,
        value: JSON.stringify(list),
      })
}

/** Every way in which a token of this user is used. */
async function ways(fixture: Fixture, alice: Tenant) {
  const { client, boundary, acme } = fixture
  const server = await loginServer(fixture)
  const send = (type: string, organizationId: string, parameters: object, key = server.key) => {
    boundary.clock.pass(1)
    const body = client.body(type, organizationId, parameters)
    return client.offer(body, stampWith(key, body))
  }
  const stamped = (organizationId: string) => () => {
    boundary.clock.pass(1)
    const by = attestedKey(fixture)
    const body = client.body(LOGIN, organizationId, { publicKey: by.key.publicKeyHex })
    return client.offer(body, { xStampAttested: by.stamp(body) })
  }
  const token = (changes: object = {}) => fixture.fakeFetcher.token({ sub: "new", ...changes })
  const provider = (members: object) => ({ providerName: "idp", ...members })
  return {
    "an attested login": stamped(alice.organizationId),
    "an attested login by the parent's id": stamped(acme.organizationId),
    oauth_login: () =>
      send("ACTIVITY_TYPE_OAUTH_LOGIN", alice.organizationId, oauthParams(attestedKey(fixture))),
    oauth: () => {
      const { targetPublicKey } = new Target()
      const oidcToken = fixture.fakeFetcher.token({
        sub: "alice",
        nonce: nonceOf({ publicKeyHex: targetPublicKey }),
      })
      return send("ACTIVITY_TYPE_OAUTH", alice.organizationId, { oidcToken, targetPublicKey }, alice.root)
    },
    create_oauth_providers: () =>
      send(
        "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2",
        alice.organizationId,
        { userId: alice.rootUserId, oauthProviders: [provider({ oidcToken: token() })] },
        alice.root,
      ),
    create_sub_organization: () =>
      send(
        "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
        acme.organizationId,
        {
          subOrganizationName: "Another",
          rootUsers: [
            {
              userName: "new",
              apiKeys: [],
              authenticators: [],
              oauthProviders: [provider({ oidcToken: token() })],
            },
          ],
          rootQuorumThreshold: 1,
        },
        acme.root,
      ),
  }
}

t.test(
  "A8: an application that an organization removes from its list neither logs in nor registers",
  async (t) => {
    const fixture = await setup(t)
    const { acme, client, fakeFetcher } = fixture
    const { issuer } = fakeFetcher
    const alice = await identityChild(fixture, "alice", newKey())
    await trust(fixture, acme, { [issuer]: ["app"] })
    const each = await ways(fixture, alice)
    for (const [what, way] of Object.entries(each)) t.match(await way(), { is: "outcome" }, what)
    const by = attestedKey(fixture)
    const session = await client.submit(by, LOGIN, alice.organizationId, { publicKey: by.key.publicKeyHex })
    t.ok(valueOf(session, "stampLoginResult"))
    const lists: [what: string, list: object][] = [
      ["another client id", { [issuer]: ["another"] }],
      ["a client id that begins alike", { [issuer]: ["ap", "app2", "APP"] }],
      ["another issuer", { "https://accounts.google.com": ["*", "app"] }],
      ["an issuer that begins alike", { [`${issuer}/app`]: ["app"] }],
      ["none", {}],
    ]
    for (const [list, value] of lists) {
      await trust(fixture, acme, value)
      for (const [what, way] of Object.entries(each))
        await refused(t, fixture, REFUSED, way, `${list}: ${what}`)
    }
    const body = client.body(
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      alice.organizationId,
      signParams(alice.address),
    )
    t.match(await client.send(body, by.key), { is: "outcome" }, "a session that is open stays open")
    await trust(fixture, acme, { [issuer]: ["*"] })
    t.match(await each["an attested login"](), { is: "outcome" }, "all applications of the issuer")
    await trust(fixture, acme)
    t.match(await each.oauth_login(), { is: "outcome" }, "without a list the operator's decides alone")
  },
)

t.test("A8: claims without a token are for applications of the list too", async (t) => {
  const fixture = await setup(t)
  const { acme, fakeFetcher, boundary } = fixture
  const { issuer } = fakeFetcher
  const root = asRoot(fixture)
  await trust(fixture, acme, { [issuer]: ["app", "mobile"] })
  const add = (aud: string) => () => {
    boundary.clock.pass(1)
    return root.attempt("CREATE_OAUTH_PROVIDERS_V2", {
      userId: acme.rootUserId,
      oauthProviders: [
        { providerName: aud, oidcToken: fakeFetcher.token({ sub: aud }) },
        { providerName: `${aud} claims`, oidcClaims: { iss: issuer, sub: aud, aud } },
      ],
    })
  }
  await refused(t, fixture, REFUSED, add("other"))
  t.match(await add("mobile")(), { is: "outcome" })
})

t.test(
  "A8: each organization has its own list, and a sub-organization only narrows its parent's",
  async (t) => {
    const fixture = await setup(t)
    const { acme, client, fakeFetcher } = fixture
    const { issuer } = fakeFetcher
    const alice = await identityChild(fixture, "alice", newKey())
    const beta = await client.createOrganization("Beta")
    await trust(fixture, acme, { [issuer]: ["app"] })
    await trust(fixture, beta, { [issuer]: ["another"] })
    const register = ({ organizationId, root, rootUserId }: Tenant) => {
      const oauthProviders = [{ providerName: "idp", oidcToken: fakeFetcher.token({ sub: "new" }) }]
      const parameters = { userId: rootUserId, oauthProviders }
      fixture.boundary.clock.pass(1)
      return client.send(
        client.body("ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2", organizationId, parameters),
        root,
      )
    }
    await refused(t, fixture, REFUSED, () => register(beta), "the neighbour's client id")
    t.match(await register(acme), { is: "outcome" }, "its twin")
    await trust(fixture, alice, { [issuer]: ["app"] })
    await trust(fixture, acme, { [issuer]: ["another"] })
    const each = await ways(fixture, alice)
    await refused(
      t,
      fixture,
      REFUSED,
      each.oauth_login,
      "the sub-organization lists what its parent does not",
    )
    await trust(fixture, acme, { [issuer]: ["app"] })
    await trust(fixture, alice, { [issuer]: ["another"] })
    await refused(t, fixture, REFUSED, each["an attested login"], "the sub-organization accepts less")
    await trust(fixture, alice)
    t.match(await each["an attested login"](), { is: "outcome" })
  },
)

t.test(
  "A8: the API tier edits no client id and no issuer, and brings no other organization's list",
  async (t) => {
    const fixture = await setup(t)
    const { acme, boundary, client, fakeFetcher } = fixture
    const alice = await identityChild(fixture, "alice", newKey())
    const beta = await client.createOrganization("Beta")
    await trust(fixture, beta, { [fakeFetcher.issuer]: ["app"] })
    await trust(fixture, acme, { [fakeFetcher.issuer]: ["app"] })
    const open = client.documents.get(acme.organizationId)!
    await trust(fixture, acme, { [fakeFetcher.issuer]: ["another"] })
    const closed = client.documents.get(acme.organizationId)!
    const edited = (value: string) => {
      const notarized = fromBinary(NotarizedDocumentSchema, closed)
      const document = fromBinary(OrganizationDocumentSchema, notarized.document)
      document.features = document.features.map((feature) => ({ ...feature, value }))
      notarized.document = toBinary(OrganizationDocumentSchema, document)
      return toBinary(NotarizedDocumentSchema, notarized)
    }
    const attack = (parent: Uint8Array) => async () => {
      await boundary.restart()
      const by = attestedKey(fixture)
      const body = client.body(LOGIN, alice.organizationId, { publicKey: by.key.publicKeyHex })
      const own = client.documents.get(alice.organizationId)!
      const xStampAttested = by.stamp(body)
      const documents = [own, parent]
      const first = await client.order(body, { xStampAttested }, { documents })
      if (first.is !== "needed") return first
      const fetched = await Promise.all(first.needed.fetchOrders.map((order) => fakeFetcher.fetch(order)))
      return client.order(body, { xStampAttested }, { documents, fetched })
    }
    const wider = JSON.stringify({ [fakeFetcher.issuer]: ["app", "another"] })
    await refused(t, fixture, "DOCUMENT_FORGED", attack(edited(wider)), "another client id")
    await refused(
      t,
      fixture,
      "DOCUMENT_FORGED",
      attack(edited('{"https://evil.example":["*"]}')),
      "another issuer",
    )
    await refused(t, fixture, "DOCUMENT_ROLLED_BACK", attack(open), "the list before the removal")
    const other = client.documents.get(beta.organizationId)!
    t.match(await attack(other)(), {
      is: "needed",
      needed: { documents: [{ organizationId: acme.organizationId }] },
    })
    await refused(t, fixture, REFUSED, attack(closed), "the true one")
  },
)

t.test(
  "the operator's issuers are the ceiling: a listed issuer that the fetcher does not ask is refused",
  async (t) => {
    const fixture = await setup(t)
    const { acme, fakeFetcher } = fixture
    const elsewhere = "https://login.example.org"
    await trust(fixture, acme, { [elsewhere]: ["*"] })
    const { attempt } = asRoot(fixture)
    const add = (oidcToken: string) => () =>
      attempt("CREATE_OAUTH_PROVIDERS_V2", {
        userId: acme.rootUserId,
        oauthProviders: [{ providerName: "idp", oidcToken }],
      })
    await refused(t, fixture, "ISSUER_NOT_ALLOWED", add(fakeFetcher.token({ iss: elsewhere })))
  },
)

t.test(
  "a code of X is not exchanged where the service's own issuer, or the client id, is not on the list",
  async (t) => {
    const fixture = await setup(t)
    const { acme } = fixture
    const { code, providers, clientId } = await oauth2Application(fixture, acme)
    const { attempt } = asRoot(fixture)
    const exchange = () => attempt("OAUTH2_AUTHENTICATE", code().parameters)
    for (const list of [{ [OWN_ISSUER]: ["another"] }, { [fixture.fakeFetcher.issuer]: ["*"] }]) {
      await trust(fixture, acme, list)
      await refused(t, fixture, REFUSED, exchange)
    }
    t.same(providers.asked, [])
    await trust(fixture, acme, { [OWN_ISSUER]: [clientId] })
    t.match(await exchange(), { is: "outcome" })
  },
)

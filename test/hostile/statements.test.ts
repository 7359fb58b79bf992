import { createPublicKey } from "node:crypto"
import { create, fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  FetchStatementSchema,
  type IssuerKeys,
  SignedStatementSchema,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { makeOrder, ORDER_TAG, STATEMENT_TAG } from "../../signer/core/fetch-orders/order.ts"
import { signTagged } from "../../signer/core/crypto/keyset.ts"
import { ApiClient } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { newKeySet } from "../harness/fetcher.ts"
import { claimsOf, idToken, issuerKey } from "../harness/id-token.ts"
import { FakeFetcher } from "../harness/fake-fetcher.ts"
import { stampWith } from "../harness/stamper.ts"
import { plain, restated } from "./restated.ts"
import { allRefused, bitFlips, refused, type Fixture, setup } from "./setup.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
const HOUR_MS = 60 * 60 * 1000

/** A request to register an identity, as far as the signer's orders to the fetcher. */
async function asked(fixture: Fixture, oidcToken = fixture.fakeFetcher.token(), sub = "alice") {
  const { client, acme, fakeFetcher } = fixture
  const parameters = { userId: acme.rootUserId, oauthProviders: [{ providerName: sub, oidcToken }] }
  const body = client.body(CREATE, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const context = { documents: [client.documents.get(acme.organizationId)!] }
  const answer = await client.order(body, xStamp, context)
  if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
  const orders = answer.needed.fetchOrders
  return {
    orders,
    honest: () => Promise.all(orders.map((order) => fakeFetcher.fetch(order))),
    send: (fetched: FetchedStatement[]) => client.order(body, xStamp, { ...context, fetched }),
    attack: (fetched: FetchedStatement[]) => () => client.order(body, xStamp, { ...context, fetched }),
  }
}

t.test("F6: an issuer's keys count only under the paired fetcher's signature", async (t) => {
  const fixture = await setup(t)
  const mine = issuerKey("p256", "first")
  const { issuer } = fixture.fakeFetcher
  const forgedToken = idToken(claimsOf(issuer, fixture.boundary.clock.wallMs()), mine)
  const { honest, attack } = await asked(fixture, forgedToken)
  const [fetched] = await honest()
  const value = { ...plain(keysOf(fetched!)), keys: [{ keyId: "first", spki: spkiOf(mine) }] }
  const invented = restated(fetched!, { finding: { case: "issuerKeys", value } } as never)
  await refused(t, fixture, "STATEMENT_INVALID", attack([invented]), "keys that the API tier made up")
  const relabelled = {
    ...fetched!,
    statement: { ...invented.statement!, signature: fetched!.statement!.signature },
  }
  await refused(t, fixture, "STATEMENT_INVALID", attack([relabelled]), "under the signature on others")
  const notarized = fixture.boundary.signer
    .state()
    .keyring.notary.sign(STATEMENT_TAG, invented.statement!.statement)
  const bySigner = { ...fetched!, statement: { ...invented.statement!, signature: notarized } }
  await refused(
    t,
    fixture,
    "STATEMENT_INVALID",
    attack([bySigner]),
    "the signer's own key is not the fetcher's",
  )
  await refused(
    t,
    fixture,
    "OIDC_TOKEN_INVALID",
    attack([fetched!]),
    "the honest keys did not sign the token",
  )
})

t.test("F6: refuses a statement with a bit flipped, at every byte", async (t) => {
  const fixture = await setup(t)
  const { honest, send } = await asked(fixture)
  const [fetched] = await honest()
  const { statement, signature } = fetched!.statement!
  const altered = [
    ...bitFlips(statement, [1]).map((bytes) =>
      create(SignedStatementSchema, { statement: bytes, signature }),
    ),
    ...bitFlips(signature, [1]).map((bytes) =>
      create(SignedStatementSchema, { statement, signature: bytes }),
    ),
  ]
  await allRefused(t, fixture, "STATEMENT_INVALID", altered, (one) => send([{ ...fetched!, statement: one }]))
  t.match(await send([fetched!]), { is: "outcome" }, "the unaltered one is accepted")
})

t.test("F7: a statement is accepted only for the order it answers", async (t) => {
  const fixture = await setup(t)
  const { client, fakeFetcher, boundary } = fixture
  const first = await asked(fixture)
  const [ofFirst] = await first.honest()
  const second = await asked(fixture, fakeFetcher.token({ sub: "bob" }), "bob")
  await refused(t, fixture, "STATEMENT_INVALID", second.attack([ofFirst!]), "of another request")
  const mixed = create(FetchedStatementSchema, { order: second.orders[0]!, statement: ofFirst!.statement! })
  await refused(t, fixture, "STATEMENT_INVALID", second.attack([mixed]), "beside another order")
  const globex = await client.createOrganization("Globex")
  const elsewhere = await asked({ ...fixture, acme: globex })
  await refused(t, fixture, "STATEMENT_INVALID", elsewhere.attack([ofFirst!]), "of another organization")

  const forged = newKeySet()
  const { clock } = boundary
  const errand = {
    organizationId: fixture.acme.organizationId,
    requestFingerprint: new Uint8Array(32),
  }
  const own = makeOrder(
    { case: "issuerKeys", value: { issuer: fakeFetcher.issuer } },
    errand,
    clock.wallMs(),
    {
      sign: (tag, bytes) => signTagged(forged, tag, bytes),
      random: (length) => new Uint8Array(length),
    },
  )
  const madeUp = { ...ofFirst!, order: own }
  await refused(
    t,
    fixture,
    "STATEMENT_INVALID",
    first.attack([madeUp]),
    "an order that the signer never made",
  )
  const empty = create(FetchedStatementSchema, {})
  await refused(t, fixture, "STATEMENT_INVALID", first.attack([empty]), "nothing at all")
  t.match(await first.send([ofFirst!]), { is: "outcome" })
})

t.test("F7: a statement of the fetcher about another issuer, question or order is refused", async (t) => {
  const fixture = await setup(t)
  const { fakeFetcher } = fixture
  const { honest, attack } = await asked(fixture)
  const [fetched] = await honest()
  const by = (changes: object) => attack([restated(fetched!, changes, fakeFetcher.keySet)])
  const keys = plain(keysOf(fetched!))
  const issuer = { finding: { case: "issuerKeys", value: { ...keys, issuer: "https://other.example" } } }
  await refused(t, fixture, "STATEMENT_INVALID", by(issuer), "another issuer")
  const secret = { finding: { case: "clientSecret", value: { sealedSecretDigest: new Uint8Array(32) } } }
  await refused(t, fixture, "STATEMENT_INVALID", by(secret), "another kind of task")
  await refused(t, fixture, "STATEMENT_INVALID", by({ finding: { case: undefined } }), "nothing")
  await refused(t, fixture, "STATEMENT_INVALID", by({ organizationId: "other" }), "another organization")
  await refused(t, fixture, "STATEMENT_INVALID", by({ orderDigest: new Uint8Array(32) }), "another order")
})

t.test("F8: a stale statement is not accepted; the signer requests a new one", async (t) => {
  const fixture = await setup(t)
  const { clock } = fixture.boundary
  const { honest, send } = await asked(fixture)
  const [fetched] = await honest()
  const now = BigInt(clock.wallMs())
  const stale: [what: string, changes: object][] = [
    ["expired by its own word", { expiresAtMs: now }],
    ["an hour old, whatever it says", { fetchedAtMs: now - BigInt(HOUR_MS), expiresAtMs: now + 1_000_000n }],
    ["of a future beyond the clocks' difference", { fetchedAtMs: now + 301_000n }],
  ]
  for (const [what, changes] of stale) {
    const old = restated(fetched!, changes, fixture.fakeFetcher.keySet)
    t.match(await send([old]), { is: "needed", needed: { fetchOrders: [{}] } }, what)
  }
  clock.pass(2 * 60 * 1000)
  t.match(await send([fetched!]), { is: "needed" }, "to an order that has lapsed")
})

t.test("F8: an older statement never replaces a newer one, also after a restart", async (t) => {
  for (const isRestarted of [false, true]) {
    const fixture = await setup(t)
    const { client, fakeFetcher, boundary } = fixture
    const globex = await client.createOrganization("Globex")
    const register = (sub: string) => {
      const oauthProviders = [{ providerName: sub, oidcToken: fakeFetcher.token({ sub }) }]
      const parameters = { userId: globex.rootUserId, oauthProviders }
      return client.submit(globex.root, CREATE, globex.organizationId, parameters)
    }
    const stolen = await asked(fixture, fakeFetcher.token())
    const older = await stolen.honest()
    fakeFetcher.issuerKeys = [issuerKey("p256", "second")]
    boundary.clock.pass(1_000)
    await register("bob")
    if (isRestarted) await boundary.restart()
    const expected = isRestarted ? { is: "needed" } : { is: "refused", code: "OIDC_TOKEN_INVALID" }
    t.match(await stolen.send(older), expected, "a key withdrawn meanwhile is not believed again")
    await register("carol")
    t.match(await stolen.send(older), { is: "refused", code: "OIDC_TOKEN_INVALID" })
  }
})

t.test("F8: a statement that is not older than the last one is accepted, also after a restart", async (t) => {
  const fixture = await setup(t)
  const { boundary } = fixture
  const { honest, send } = await asked(fixture)
  const statements = await honest()
  await boundary.restart()
  t.match(await send(statements), { is: "outcome" })
})

t.test("fetched issuer keys serve other requests for one hour", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher, boundary } = fixture
  const register = (sub: string) => {
    const oauthProviders = [{ providerName: sub, oidcToken: fakeFetcher.token({ sub }) }]
    return client.submit(acme.root, CREATE, acme.organizationId, { userId: acme.rootUserId, oauthProviders })
  }
  await register("one")
  await register("two")
  t.equal(fakeFetcher.asked, 1)
  boundary.clock.pass(HOUR_MS - 60_000)
  await register("three")
  t.equal(fakeFetcher.asked, 1)
  boundary.clock.pass(60_000)
  await register("four")
  t.equal(fakeFetcher.asked, 2)
})

t.test("an unknown issuer key is fetched again, at most once a minute", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher, boundary } = fixture
  const register = (sub: string, key?: (typeof fakeFetcher.issuerKeys)[number]) => {
    const oauthProviders = [{ providerName: sub, oidcToken: fakeFetcher.token({ sub }, key) }]
    const parameters = { userId: acme.rootUserId, oauthProviders }
    return client.send(client.body(CREATE, acme.organizationId, parameters), acme.root)
  }
  t.match(await register("one"), { is: "outcome" })
  const next = issuerKey("p256", "second")
  fakeFetcher.issuerKeys = [next, ...fakeFetcher.issuerKeys]
  t.match(await register("two"), { is: "refused", code: "OIDC_TOKEN_INVALID" })
  t.equal(fakeFetcher.asked, 1, "not at once: anybody could invent key ids")
  boundary.clock.pass(60_000)
  t.match(await register("two"), { is: "outcome" })
  t.equal(fakeFetcher.asked, 2)
  boundary.clock.pass(60_000)
  t.match(await register("three", issuerKey("p256", "invented")), { code: "OIDC_TOKEN_INVALID" })
  t.equal(fakeFetcher.asked, 3, "looked for once")
})

t.test("an order brings at most 32 statements", async (t) => {
  const fixture = await setup(t)
  const { honest, attack } = await asked(fixture)
  const [fetched] = await honest()
  const many = Array.from({ length: 33 }, () => fetched!)
  await refused(t, fixture, "REQUEST_TOO_LARGE", attack(many))
  t.match(await attack(many.slice(1))(), { is: "outcome" })
})

t.test("F9: a signer paired with no fetcher accepts no statement", async (t) => {
  const fakeFetcher = await FakeFetcher.open(t)
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  fakeFetcher.obey(boundary)
  const client = new ApiClient(boundary, fakeFetcher)
  const acme = await client.createOrganization()
  const oauthProviders = [{ providerName: "one", oidcToken: fakeFetcher.token() }]
  const parameters = { userId: acme.rootUserId, oauthProviders }
  t.equal(await client.refused(acme.root, CREATE, acme.organizationId, parameters), "FETCHER_NOT_PAIRED")
  const { pins } = boundary.signer.state().keyring
  t.equal(pins.fetcherPublicKey, "")
})

t.test("F9: the pins include the fetcher's key", async (t) => {
  const { boundary, fakeFetcher } = await setup(t)
  t.equal(boundary.signer.state().keyring.pins.fetcherPublicKey, fakeFetcher.keySet.publicHex)
})

t.test("a request that is refused causes no fetch", async (t) => {
  const fixture = await setup(t)
  const { client, acme, fakeFetcher } = fixture
  const alice = await client.user(acme, "alice")
  const oauthProviders = [{ providerName: "one", oidcToken: fakeFetcher.token() }]
  const parameters = { userId: acme.rootUserId, oauthProviders }
  t.equal(await client.refused(alice.key, CREATE, acme.organizationId, parameters), "PERMISSION_DENIED")
  t.equal(fakeFetcher.asked, 0)
})

t.test("a signature on a fetch order verifies under no other tag of the notarizer", async (t) => {
  const fixture = await setup(t)
  const { orders } = await asked(fixture)
  const { notary } = fixture.boundary.signer.state().keyring
  const { order, signature } = orders[0]!
  t.ok(notary.verify(ORDER_TAG, order, signature))
  for (const tag of ["countersign/v1/receipt", "countersign/v1/organization-document", STATEMENT_TAG]) {
    t.notOk(notary.verify(tag, order, signature), tag)
  }
})

/** The issuer keys in the statement. */
function keysOf({ statement }: FetchedStatement): IssuerKeys {
  const { finding } = fromBinary(FetchStatementSchema, statement!.statement)
  if (finding.case !== "issuerKeys") throw new Error("the statement is about something else")
  return finding.value
}

function spkiOf({ privateKey }: ReturnType<typeof issuerKey>): Uint8Array {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" })
}

import { createPublicKey } from "node:crypto"
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  type FetchedStatement,
  FetchedStatementSchema,
  FetchStatementSchema,
  type IssuerKeys,
  SignedStatementSchema,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { makeOrder, ORDER_TAG } from "../../signer/core/fetch-orders/order.ts"
import { STATEMENT_TAG } from "../../signer/core/fetch-orders/statement.ts"
import { signTagged } from "../../signer/core/crypto/tagged-signature.ts"
import { ApiSeat } from "../harness/api-seat.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { newKeySet } from "../harness/fetcher.ts"
import { claimsOf, idToken, issuerKey } from "../harness/id-token.ts"
import { Outside } from "../harness/outside.ts"
import { stampWith } from "../harness/stamper.ts"
import { allRefused, flips, refused, type Stage, stage } from "./stage.ts"

const CREATE = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
const HOUR_MS = 60 * 60 * 1000

/** A request to register an identity, as far as the signer's orders to the fetcher. */
async function asked(scene: Stage, oidcToken = scene.outside.token(), sub = "alice") {
  const { seat, acme, outside } = scene
  const parameters = { userId: acme.rootUserId, oauthProviders: [{ providerName: sub, oidcToken }] }
  const body = seat.body(CREATE, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const context = { documents: [seat.documents.get(acme.organizationId)!] }
  const answer = await seat.order(body, xStamp, context)
  if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
  const orders = answer.needed.fetchOrders
  return {
    orders,
    honest: () => Promise.all(orders.map((order) => outside.fetch(order))),
    send: (fetched: FetchedStatement[]) => seat.order(body, xStamp, { ...context, fetched }),
    attack: (fetched: FetchedStatement[]) => () => seat.order(body, xStamp, { ...context, fetched }),
  }
}

/** The same fetched statement with something changed, signed by whom the attacker likes. */
function restated(
  { order, statement }: FetchedStatement,
  changes: MessageInitShape<typeof FetchStatementSchema>,
  keySet = newKeySet(),
): FetchedStatement {
  const altered = { ...plain(fromBinary(FetchStatementSchema, statement!.statement)), ...changes }
  const bytes = toBinary(FetchStatementSchema, create(FetchStatementSchema, altered as never))
  const signature = signTagged(keySet, STATEMENT_TAG, bytes)
  const signed = create(SignedStatementSchema, { statement: bytes, signature })
  return create(FetchedStatementSchema, { order: order!, statement: signed })
}

/** Without its type, so that what is put into it is made a message too. */
function plain<M extends { $typeName: string }>(message: M): Omit<M, "$typeName"> {
  const { $typeName, ...members } = message
  if ($typeName === "") throw new Error("every message has a type")
  return members
}

t.test("F6: an issuer's keys count only under the paired fetcher's signature", async (t) => {
  const scene = await stage(t)
  const mine = issuerKey("p256", "first")
  const { issuer } = scene.outside
  const forgedToken = idToken(claimsOf(issuer, scene.boundary.clock.wallMs()), mine)
  const { honest, attack } = await asked(scene, forgedToken)
  const [fetched] = await honest()
  const value = { ...plain(keysOf(fetched!)), keys: [{ keyId: "first", spki: spkiOf(mine) }] }
  const invented = restated(fetched!, { finding: { case: "issuerKeys", value } } as never)
  await refused(t, scene, "STATEMENT_INVALID", attack([invented]), "keys that the API tier made up")
  const relabelled = {
    ...fetched!,
    statement: { ...invented.statement!, signature: fetched!.statement!.signature },
  }
  await refused(t, scene, "STATEMENT_INVALID", attack([relabelled]), "under the signature on others")
  const notarized = scene.boundary.signer
    .work()
    .keyring.notary.sign(STATEMENT_TAG, invented.statement!.statement)
  const bySigner = { ...fetched!, statement: { ...invented.statement!, signature: notarized } }
  await refused(
    t,
    scene,
    "STATEMENT_INVALID",
    attack([bySigner]),
    "the signer's own key is not the fetcher's",
  )
  await refused(t, scene, "OIDC_TOKEN_INVALID", attack([fetched!]), "the honest keys did not sign the token")
})

t.test("F6: refuses a statement with a bit flipped, at every byte", async (t) => {
  const scene = await stage(t)
  const { honest, send } = await asked(scene)
  const [fetched] = await honest()
  const { statement, signature } = fetched!.statement!
  const altered = [
    ...flips(statement, [1]).map((bytes) => create(SignedStatementSchema, { statement: bytes, signature })),
    ...flips(signature, [1]).map((bytes) => create(SignedStatementSchema, { statement, signature: bytes })),
  ]
  await allRefused(t, scene, "STATEMENT_INVALID", altered, (one) => send([{ ...fetched!, statement: one }]))
  t.match(await send([fetched!]), { is: "outcome" }, "the unaltered one is accepted")
})

t.test("F7: a statement is accepted only for the order it answers", async (t) => {
  const scene = await stage(t)
  const { seat, outside, boundary } = scene
  const first = await asked(scene)
  const [ofFirst] = await first.honest()
  const second = await asked(scene, outside.token({ sub: "bob" }), "bob")
  await refused(t, scene, "STATEMENT_INVALID", second.attack([ofFirst!]), "of another request")
  const mixed = create(FetchedStatementSchema, { order: second.orders[0]!, statement: ofFirst!.statement! })
  await refused(t, scene, "STATEMENT_INVALID", second.attack([mixed]), "beside another order")
  const globex = await seat.tenant("Globex")
  const elsewhere = await asked({ ...scene, acme: globex })
  await refused(t, scene, "STATEMENT_INVALID", elsewhere.attack([ofFirst!]), "of another organization")

  const forged = newKeySet()
  const { clock } = boundary
  const errand = {
    organizationId: scene.acme.organizationId,
    requestFingerprint: new Uint8Array(32),
  }
  const own = makeOrder({ case: "issuerKeys", value: { issuer: outside.issuer } }, errand, clock.wallMs(), {
    sign: (tag, bytes) => signTagged(forged, tag, bytes),
    random: (length) => new Uint8Array(length),
  })
  const madeUp = { ...ofFirst!, order: own }
  await refused(t, scene, "STATEMENT_INVALID", first.attack([madeUp]), "an order that the signer never made")
  const empty = create(FetchedStatementSchema, {})
  await refused(t, scene, "STATEMENT_INVALID", first.attack([empty]), "nothing at all")
  t.match(await first.send([ofFirst!]), { is: "outcome" })
})

t.test("F7: a statement of the fetcher about another issuer, question or order is refused", async (t) => {
  const scene = await stage(t)
  const { outside } = scene
  const { honest, attack } = await asked(scene)
  const [fetched] = await honest()
  const by = (changes: object) => attack([restated(fetched!, changes, outside.keySet)])
  const keys = plain(keysOf(fetched!))
  const issuer = { finding: { case: "issuerKeys", value: { ...keys, issuer: "https://other.example" } } }
  await refused(t, scene, "STATEMENT_INVALID", by(issuer), "another issuer")
  const secret = { finding: { case: "clientSecret", value: { sealedSecretDigest: new Uint8Array(32) } } }
  await refused(t, scene, "STATEMENT_INVALID", by(secret), "another question")
  await refused(t, scene, "STATEMENT_INVALID", by({ finding: { case: undefined } }), "nothing")
  await refused(t, scene, "STATEMENT_INVALID", by({ organizationId: "other" }), "another organization")
  await refused(t, scene, "STATEMENT_INVALID", by({ orderDigest: new Uint8Array(32) }), "another order")
})

t.test("F8: a stale statement is not accepted; the signer requests a new one", async (t) => {
  const scene = await stage(t)
  const { clock } = scene.boundary
  const { honest, send } = await asked(scene)
  const [fetched] = await honest()
  const now = BigInt(clock.wallMs())
  const stale: [what: string, changes: object][] = [
    ["expired by its own word", { expiresAtMs: now }],
    ["an hour old, whatever it says", { fetchedAtMs: now - BigInt(HOUR_MS), expiresAtMs: now + 1_000_000n }],
    ["of a future beyond the clocks' difference", { fetchedAtMs: now + 301_000n }],
  ]
  for (const [what, changes] of stale) {
    const old = restated(fetched!, changes, scene.outside.keySet)
    t.match(await send([old]), { is: "needed", needed: { fetchOrders: [{}] } }, what)
  }
  clock.pass(2 * 60 * 1000)
  t.match(await send([fetched!]), { is: "needed" }, "to an order that has lapsed")
})

t.test("fetched issuer keys serve other requests for one hour", async (t) => {
  const scene = await stage(t)
  const { seat, acme, outside, boundary } = scene
  const register = (sub: string) => {
    const oauthProviders = [{ providerName: sub, oidcToken: outside.token({ sub }) }]
    return seat.submit(acme.root, CREATE, acme.organizationId, { userId: acme.rootUserId, oauthProviders })
  }
  await register("one")
  await register("two")
  t.equal(outside.asked, 1)
  boundary.clock.pass(HOUR_MS - 60_000)
  await register("three")
  t.equal(outside.asked, 1)
  boundary.clock.pass(60_000)
  await register("four")
  t.equal(outside.asked, 2)
})

t.test("an unknown issuer key is fetched again, at most once a minute", async (t) => {
  const scene = await stage(t)
  const { seat, acme, outside, boundary } = scene
  const register = (sub: string, key?: (typeof outside.issuerKeys)[number]) => {
    const oauthProviders = [{ providerName: sub, oidcToken: outside.token({ sub }, key) }]
    const parameters = { userId: acme.rootUserId, oauthProviders }
    return seat.send(seat.body(CREATE, acme.organizationId, parameters), acme.root)
  }
  t.match(await register("one"), { is: "outcome" })
  const next = issuerKey("p256", "second")
  outside.issuerKeys = [next, ...outside.issuerKeys]
  t.match(await register("two"), { is: "refused", code: "OIDC_TOKEN_INVALID" })
  t.equal(outside.asked, 1, "not at once: anybody could invent key ids")
  boundary.clock.pass(60_000)
  t.match(await register("two"), { is: "outcome" })
  t.equal(outside.asked, 2)
  boundary.clock.pass(60_000)
  t.match(await register("three", issuerKey("p256", "invented")), { code: "OIDC_TOKEN_INVALID" })
  t.equal(outside.asked, 3, "looked for once")
})

t.test("an order brings at most 32 statements", async (t) => {
  const scene = await stage(t)
  const { honest, attack } = await asked(scene)
  const [fetched] = await honest()
  const many = Array.from({ length: 33 }, () => fetched!)
  await refused(t, scene, "REQUEST_TOO_LARGE", attack(many))
  t.match(await attack(many.slice(1))(), { is: "outcome" })
})

t.test("F9: a signer paired with no fetcher accepts no statement", async (t) => {
  const outside = await Outside.open(t)
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  outside.obey(boundary)
  const seat = new ApiSeat(boundary, outside)
  const acme = await seat.tenant()
  const oauthProviders = [{ providerName: "one", oidcToken: outside.token() }]
  const parameters = { userId: acme.rootUserId, oauthProviders }
  t.equal(await seat.refused(acme.root, CREATE, acme.organizationId, parameters), "FETCHER_NOT_PAIRED")
  const { pins } = boundary.signer.work().keyring
  t.equal(pins.fetcherPublicKey, "")
})

t.test("F9: the pins include the fetcher's key", async (t) => {
  const { boundary, outside } = await stage(t)
  t.equal(boundary.signer.work().keyring.pins.fetcherPublicKey, outside.keySet.publicHex)
})

t.test("a request that is refused causes no fetch", async (t) => {
  const scene = await stage(t)
  const { seat, acme, outside } = scene
  const alice = await seat.user(acme, "alice")
  const oauthProviders = [{ providerName: "one", oidcToken: outside.token() }]
  const parameters = { userId: acme.rootUserId, oauthProviders }
  t.equal(await seat.refused(alice.key, CREATE, acme.organizationId, parameters), "PERMISSION_DENIED")
  t.equal(outside.asked, 0)
})

t.test("a signature on a fetch order verifies under no other tag of the notarizer", async (t) => {
  const scene = await stage(t)
  const { orders } = await asked(scene)
  const { notary } = scene.boundary.signer.work().keyring
  const { order, signature } = orders[0]!
  t.ok(notary.verify(ORDER_TAG, order, signature))
  for (const tag of ["countersign/v1/receipt", "countersign/v1/organization-document", STATEMENT_TAG]) {
    t.notOk(notary.verify(tag, order, signature), tag)
  }
})

/** What the fetcher found. */
function keysOf({ statement }: FetchedStatement): IssuerKeys {
  const { finding } = fromBinary(FetchStatementSchema, statement!.statement)
  if (finding.case !== "issuerKeys") throw new Error("the statement is about something else")
  return finding.value
}

function spkiOf({ privateKey }: ReturnType<typeof issuerKey>): Uint8Array {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" })
}

// The API tier carries orders and statements of purchases, and wants a provider's key to serve something else.
import { randomBytes } from "node:crypto"
import { create, fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  type FetchedStatement,
  FetchOrderSchema,
  FetchStatementSchema,
  OnRampKeysSchema,
  type OnRampPurchaseTask,
  OnRampPurchaseTaskSchema,
  type SignedFetchOrder,
} from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { bindSecret } from "../../signer/core/fetch-orders/bound-secret.ts"
import { makeOrder } from "../../signer/core/fetch-orders/order.ts"
import { decodeSealedKey } from "../../signer/core/fetch-orders/sealed-key-text.ts"
import type { RefusalName } from "../../signer/core/refusal.ts"
import { outcomeOf, type Tenant, valueOf } from "../harness/api-client.ts"
import { purchase } from "../harness/on-ramp.ts"
import type { FakeProviders } from "../harness/on-ramp-providers.ts"
import { stampWith } from "../harness/stamper.ts"
import { shop } from "./on-ramp-fixture.ts"
import { plain, restated } from "./restated.ts"
import { asRoot, type Fixture, refused } from "./setup.ts"

const INIT = "ACTIVITY_TYPE_INIT_FIAT_ON_RAMP"

/** A request for a purchase, as far as the signer's order to the fetcher. */
async function asked({ client, fakeFetcher, acme: ours }: Fixture, parameters: object, acme: Tenant = ours) {
  const body = client.body(INIT, acme.organizationId, parameters)
  const xStamp = stampWith(acme.root, body)
  const context = { documents: [client.documents.get(acme.organizationId)!] }
  const ask = async () => {
    const answer = await client.order(body, xStamp, context)
    if (answer.is !== "needed") throw new Error(`the signer asks for nothing: ${JSON.stringify(answer)}`)
    return (answer.needed.fetchOrders as [SignedFetchOrder])[0]
  }
  const order = await ask()
  return {
    order,
    /** The statement of another order for the same body. */
    again: async () => fakeFetcher.fetch(await ask()),
    honest: () => fakeFetcher.fetch(order),
    send: (...fetched: FetchedStatement[]) => client.order(body, xStamp, { ...context, fetched }),
  }
}

const ATTACKER = "0x000000000000000000000000000000000000dEaD"

t.test("F14: only the widget's address of this purchase is signed", async (t) => {
  const { fixture, providers } = await shop(t)
  const { walletAddress } = purchase()
  const host = "https://buy-sandbox.moonpay.com"
  const good = `?apiKey=pk_test_NotARealKey&walletAddress=${walletAddress}`
  const texts: [what: string, url: string][] = [
    ["another host", `https://buy.moonpay.com/${good}`],
    ["a host that begins alike", `${host}.evil.example/${good}`],
    ["a user before the host", `https://buy-sandbox.moonpay.com@evil.example/${good}`],
    ["a port", `${host}:444/${good}`],
    ["plain HTTP", `http://buy-sandbox.moonpay.com/${good}`],
    ["another path", `${host}/buy${good}`],
    ["no query", host],
    ["a text to sign", `anything${good}`],
    ["another key", `${host}/?apiKey=pk_test_Other&walletAddress=${walletAddress}`],
    ["no key", `${host}/?walletAddress=${walletAddress}`],
    ["another wallet", `${host}/?apiKey=pk_test_NotARealKey&walletAddress=${ATTACKER}`],
    ["no wallet", `${host}/?apiKey=pk_test_NotARealKey`],
    ["two wallets", `${host}/${good}&walletAddress=${ATTACKER}`],
    ["two wallets, one of them encoded", `${host}/${good}&%77alletAddress=${ATTACKER}`],
    ["wallets of all currencies", `${host}/${good}&walletAddresses=%7B%22eth%22%3A%22${ATTACKER}%22%7D`],
    ["another currency", `${host}/${good}&currencyCode=btc`],
    ["a signature", `${host}/${good}&signature=AA%3D%3D`],
    ["a parameter that nobody knows", `${host}/${good}&walletAddressTag=1`],
    ["a fragment", `${host}/${good}#x`],
    ["bytes that a reader encodes", `${host}/${good}&theme=a b`],
    ["a line break", `${host}/${good}\n`],
  ]
  const { attempt } = asRoot(fixture)
  for (const [what, urlForSignature] of texts) {
    const attack = () => attempt("INIT_FIAT_ON_RAMP", purchase({ urlForSignature }))
    await refused(t, fixture, "ON_RAMP_URL_NOT_ALLOWED", attack, what)
  }
  const twin = `${host}/${good}&theme=dark`
  t.match(await attempt("INIT_FIAT_ON_RAMP", purchase({ urlForSignature: twin })), { is: "outcome" })
  t.strictSame(providers.asked, [])
})

t.test("F14: the fetcher refuses such an address too, in every order", async (t) => {
  const { fixture } = await shop(t)
  const { order } = await asked(fixture, purchase())
  const task = taskOf(order)
  const urlForSignature = "https://evil.example/?apiKey=pk_test_NotARealKey"
  const statement = await fixture.fakeFetcher.fetch(reordered(fixture, { ...task, urlForSignature }))
  t.match(findingOf(statement), { case: "refused" })
  const honest = await fixture.fakeFetcher.fetch(reordered(fixture, task))
  t.match(findingOf(honest), { case: "onRampPurchase" })
})

t.test("F15: a statement starts only the purchase that its order names", async (t) => {
  const { fixture } = await shop(t)
  const ours = await asked(fixture, purchase())
  const other = await asked(fixture, purchase({ fiatCurrencyAmount: "5000" }))
  const statement = await other.honest()
  const cases: [code: RefusalName, what: string, fetched: FetchedStatement][] = [
    ["STATEMENT_INVALID", "of another request", statement],
    ["STATEMENT_INVALID", "relabelled", { ...statement, order: ours.order }],
  ]
  const mine = await ours.honest()
  const value = {
    urlSignature: new Uint8Array(32).fill(1),
    widgetSignature: new Uint8Array(0),
    sessionToken: "",
  }
  const invented = restated(mine, { finding: { case: "onRampPurchase", value } } as never)
  cases.push(["STATEMENT_INVALID", "made up by the API tier", invented])
  for (const [code, what, fetched] of cases) await refused(t, fixture, code, () => ours.send(fetched), what)
  t.match(await ours.send(mine), { is: "outcome" }, "the unaltered twin")
})

t.test("F15: an order is carried out once, and its statement starts one purchase", async (t) => {
  const { fixture, providers } = await shop(t)
  const { order, honest, send } = await asked(fixture, {
    ...purchase(),
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
  })
  const statement = await honest()
  await t.rejects(fixture.fakeFetcher.fetch(order), { code: "FETCH_ORDER_SPENT" })
  t.equal(providers.sessions.length, 1)
  t.match(await send(statement), { is: "outcome" })
  const again = await asked(fixture, { ...purchase(), onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" })
  const replayed = () => again.send(statement)
  await refused(t, fixture, "STATEMENT_INVALID", replayed, "for another request of the same parameters")
})

t.test("F15: a signer that ends while the fetcher asks records one purchase", async (t) => {
  const { fixture, providers } = await shop(t)
  const { boundary, fakeFetcher } = fixture
  const restart = async () => {
    await boundary.restart()
    fakeFetcher.obey(boundary)
  }
  const parameters = { ...purchase(), onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" }
  const { honest, send } = await asked(fixture, parameters)
  const statement = await honest()
  await restart()
  const outcome = outcomeOf(await send(statement))
  const { onRampTransactionId } = valueOf(outcome, "initFiatOnRampResult")
  t.equal(providers.sessions.length, 1, "the statement of before the restart is used")
  await restart()
  const kept = valueOf(outcomeOf(await send(statement)), "initFiatOnRampResult")
  t.match(kept, { onRampTransactionId }, "the outcome is kept until it is acknowledged")
  const lost = await asked(fixture, {
    ...parameters,
    fiatCurrencyAmount: "7",
    fiatCurrencyCode: "FIAT_ON_RAMP_CURRENCY_USD",
  })
  await lost.honest()
  await restart()
  const second = outcomeOf(await lost.send(await lost.again()))
  t.equal(second.records.length, 1, "one purchase, though two sessions were opened: nobody has the first one")
  t.equal(providers.sessions.length, 3)
  t.strictSame(providers.faults, [])
})

t.test("F15: the keys of another organization, provider or mode serve no purchase", async (t) => {
  const { fixture } = await shop(t)
  const { client } = fixture
  const thief = { client, acme: await client.createOrganization("Thief") }
  const missing = () => asRoot(thief).attempt("INIT_FIAT_ON_RAMP", purchase())
  await refused(t, fixture, "ON_RAMP_CREDENTIAL_MISSING", missing, "another top-level organization")
  const { order } = await asked(fixture, purchase())
  const task = taskOf(order)
  const keys = task.keys!
  const text = bindSecret("on-ramp-key", fixture.acme.organizationId, Buffer.from("sk_test_x"))
  const sealed = await fixture.fakeFetcher.sealOnRampKey(Buffer.from(text).toString())
  const sealedSecretApiKey = decodeSealedKey(sealed)!
  const { organizationId } = thief.acme
  const altered: [what: string, keys: object][] = [
    ["the other provider's order", { provider: 1, sealedPrivateApiKey: keys.sealedSecretApiKey }],
    ["live purchases", { sandbox: false }],
    ["another organization's bound key", { sealedSecretApiKey, organizationId }],
  ]
  const withKeys = (changes: object) =>
    reordered(fixture, { ...task, keys: create(OnRampKeysSchema, { ...plain(keys), ...changes }) })
  const own = await fixture.fakeFetcher.fetch(withKeys({ sealedSecretApiKey }))
  t.match(findingOf(own), { case: "onRampPurchase" }, "the unaltered twin")
  for (const [what, changes] of altered) {
    const forged = withKeys(changes)
    t.match(findingOf(await fixture.fakeFetcher.fetch(forged)), { case: "refused" }, what)
  }
})

t.test("F16: a provider's refusal is passed on by its status alone", async (t) => {
  const { fixture, providers } = await shop(t)
  const { attempt } = asRoot(fixture)
  const parameters = purchase({ onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" })
  for (const status of [400, 401, 403, 404, 422]) {
    providers.next.push({ status, body: '{"errorMessage":"token eyJ is wrong"}' })
    const answer = await attempt("INIT_FIAT_ON_RAMP", parameters)
    t.match(answer, { is: "refused", code: "ON_RAMP_REFUSED", sentence: `status ${status}` })
    t.notMatch(answer.is === "refused" && answer.sentence, "eyJ")
  }
})

t.test("F16: an answer that is late, cut off or none of the provider's ends nothing", async (t) => {
  const { fixture, providers } = await shop(t)
  const { fakeFetcher } = fixture
  const parameters = purchase({ onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" })
  const body = JSON.stringify({ token: "session/1" })
  const answers: [what: string, answer: FakeProviders["next"][number]][] = [
    ["cut off", { body, cut: body.length - 1 }],
    ["HTML", { body: "<html>" }],
    ["without token", { body: "{}" }],
    ["a token that would enter the address", { body: JSON.stringify({ token: "a b" }) }],
    ["an empty body", { body: "" }],
    ["a redirect", { status: 302, headers: { location: "https://evil.example/" } }],
    ["too many requests", { status: 429 }],
    ["a fault", { status: 503 }],
    ["too large", { body: "x".repeat(300_000) }],
  ]
  for (const [what, answer] of answers) {
    const { order } = await asked(fixture, parameters)
    providers.next.push(answer)
    await t.rejects(fakeFetcher.fetch(order), { code: "ON_RAMP_UNAVAILABLE" }, what)
  }
  fakeFetcher.clientAddress = "unknown"
  const { order } = await asked(fixture, parameters)
  await t.rejects(fakeFetcher.fetch(order), { code: "ON_RAMP_UNAVAILABLE" }, "no address of the buyer")
  fakeFetcher.clientAddress = "2001:db8::7"
  t.match(await asRoot(fixture).attempt("INIT_FIAT_ON_RAMP", parameters), { is: "outcome" })
  t.equal(providers.sessions.at(-1)?.clientIp, "2001:db8::7")
})

function taskOf(order: SignedFetchOrder): OnRampPurchaseTask {
  const { task } = fromBinary(FetchOrderSchema, order.order)
  if (task.case !== "onRampPurchase") throw new Error("the order is for no purchase")
  return task.value
}

function findingOf({ statement }: FetchedStatement) {
  return fromBinary(FetchStatementSchema, statement!.statement).finding
}

/** An order that the notarizer signs, as a signer that was taken over would make it. */
function reordered({ boundary, acme }: Fixture, task: OnRampPurchaseTask): SignedFetchOrder {
  const { keyring } = boundary.signer.state()
  const value = create(OnRampPurchaseTaskSchema, plain(task))
  const request = { organizationId: acme.organizationId, requestFingerprint: new Uint8Array(32) }
  const sign = (tag: string, bytes: Uint8Array) => keyring.notary.sign(tag, bytes)
  const random = (length: number) => randomBytes(length)
  return makeOrder({ case: "onRampPurchase", value }, request, boundary.clock.wallMs(), { sign, random })
}

import { createHmac } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import t from "tap"
import { ActivityStatus } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  OnRampTransactionRecordSchema,
  RecordSchema,
} from "../../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { shop as setupShop } from "../../../../hostile/on-ramp-fixture.ts"
import { quorumOfTwo } from "../../../../hostile/proven-fixture.ts"
import { asRoot, type Fixture, refused } from "../../../../hostile/setup.ts"
import { outcomeOf, type Tenant, valueOf } from "../../../../harness/api-client.ts"
import { coinbaseCredential, coinbaseKey, purchase } from "../../../../harness/on-ramp.ts"
import { fingerprintOf } from "../../../../harness/stamper.ts"
import { child } from "../../../../harness/sub-organization.ts"

const KEY = "sk_test_NotARealKey0123456789"

async function shop(t: Parameters<typeof setupShop>[0]) {
  const { fixture, providers } = await setupShop(t)
  return { fixture, providers, ...buyer(fixture) }
}

function buyer(fixture: Fixture, acme: Tenant = fixture.acme) {
  const { submit, attempt } = asRoot({ client: fixture.client, acme })
  return {
    attempt: (parameters: object) => attempt("INIT_FIAT_ON_RAMP", parameters),
    start: async (parameters: object) =>
      valueOf(await submit("INIT_FIAT_ON_RAMP", parameters), "initFiatOnRampResult"),
  }
}

function signatureOf(url: string): { signed: string; expected: string } {
  const [unsigned = "", signed = ""] = url.split("&signature=")
  const query = unsigned.slice(unsigned.indexOf("?"))
  return {
    signed: decodeURIComponent(signed),
    expected: createHmac("sha256", KEY).update(query).digest("base64"),
  }
}

t.test("MoonPay: the widget's address is signed, and nothing is asked of the network", async (t) => {
  const { fixture, providers, start } = await shop(t)
  const { onRampUrl, onRampTransactionId, onRampUrlSignature } = await start(
    purchase({ fiatCurrencyCode: "FIAT_ON_RAMP_CURRENCY_USD", fiatCurrencyAmount: "100" }),
  )
  const { signed, expected } = signatureOf(onRampUrl)
  t.equal(signed, expected)
  const url = new URL(onRampUrl)
  t.equal(url.host, "buy-sandbox.moonpay.com")
  t.strictSame(Object.fromEntries(url.searchParams), {
    apiKey: "pk_test_NotARealKey",
    currencyCode: "eth",
    walletAddress: purchase().walletAddress,
    baseCurrencyCode: "usd",
    baseCurrencyAmount: "100",
    externalTransactionId: onRampTransactionId,
    signature: signed,
  })
  t.equal(onRampUrlSignature, undefined)
  const record = fromBinary(RecordSchema, fixture.client.records.get(onRampTransactionId)!)
  t.match(fromBinary(OnRampTransactionRecordSchema, record.payload), { sandbox: true })
  t.strictSame(providers.asked, [])
  t.not((await start(purchase())).onRampTransactionId, onRampTransactionId)
})

t.test("MoonPay: an address that its SDK built is signed beside it", async (t) => {
  const { start } = await shop(t)
  const query = `?apiKey=pk_test_NotARealKey&currencyCode=eth&walletAddress=${purchase().walletAddress}&redirectURL=https%3A%2F%2Fexample.com%2F`
  for (const urlForSignature of [
    `https://buy-sandbox.moonpay.com${query}`,
    `https://buy-sandbox.moonpay.com/${query}`,
  ]) {
    const { onRampUrlSignature } = await start(purchase({ urlForSignature }))
    t.equal(onRampUrlSignature, createHmac("sha256", KEY).update(query).digest("base64"))
  }
})

t.test(
  "Coinbase: a session is opened with a token that verifies, for the wallet and the buyer",
  async (t) => {
    const { providers, start, fixture } = await shop(t)
    const parameters = purchase({
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
      network: "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE",
      cryptoCurrencyCode: "FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC",
      fiatCurrencyCode: "FIAT_ON_RAMP_CURRENCY_EUR",
      fiatCurrencyAmount: "99.5",
      paymentMethod: "FIAT_ON_RAMP_PAYMENT_METHOD_CREDIT_DEBIT_CARD",
      countryCode: "US",
      countrySubdivisionCode: "NY",
    })
    const { onRampUrl, onRampTransactionId } = await start(parameters)
    const { origin, pathname, searchParams } = new URL(onRampUrl)
    t.equal(origin + pathname, "https://pay-sandbox.coinbase.com/buy/select-asset")
    t.strictSame(Object.fromEntries(searchParams), {
      sessionToken: "session/1==",
      defaultNetwork: "base",
      defaultAsset: "USDC",
      presetFiatAmount: "99.5",
      fiatCurrency: "EUR",
      defaultPaymentMethod: "CARD",
      defaultExperience: "buy",
      partnerUserRef: onRampTransactionId,
    })
    const addresses = [{ address: purchase().walletAddress, blockchains: ["base"] }]
    t.strictSame(providers.sessions, [{ addresses, assets: ["USDC"], clientIp: "203.0.113.7" }])
    t.strictSame(providers.faults, [])
    const { submit } = asRoot(fixture)
    const es256 = coinbaseKey("ES256")
    providers.coinbaseKey = es256.publicKey
    await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", await coinbaseCredential(fixture.fakeFetcher, es256.text))
    const live = await start({
      ...parameters,
      sandboxMode: false,
      fiatCurrencyCode: "FIAT_ON_RAMP_CURRENCY_SEK",
    })
    t.match(live.onRampUrl, /^https:\/\/pay\.coinbase\.com\/buy\/select-asset\?/)
    t.notMatch(live.onRampUrl, /presetFiatAmount/, "Coinbase takes amounts in four currencies only")
    t.strictSame(providers.faults, [], "a token of P-256 verifies too")
  },
)

t.test("a sub-organization buys with its parent's credential", async (t) => {
  const { fixture } = await shop(t)
  const sub = await child(fixture.client, fixture.acme)
  const { onRampUrl } = await buyer(fixture, sub).start(purchase())
  const { signed, expected } = signatureOf(onRampUrl)
  t.equal(signed, expected)
})

t.test("each rule of a purchase has its own refusal", async (t) => {
  const { fixture, attempt } = await shop(t)
  const coinbase = { onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" }
  const method = (name: string) => ({ paymentMethod: `FIAT_ON_RAMP_PAYMENT_METHOD_${name}` })
  const onBitcoin = { network: "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BITCOIN" }
  const faulty: [code: Parameters<typeof refused>[2], field: string, changes: object][] = [
    ["ON_RAMP_ASSET_UNSUPPORTED", "cryptoCurrencyCode", onBitcoin],
    ["ON_RAMP_ADDRESS_INVALID", "walletAddress", { walletAddress: "0x00" }],
    ["ON_RAMP_PAYMENT_METHOD_UNSUPPORTED", "paymentMethod", method("ACH_BANK_ACCOUNT")],
    ["ON_RAMP_PAYMENT_METHOD_UNSUPPORTED", "paymentMethod", { ...coinbase, ...method("PAYPAL") }],
    ["ON_RAMP_CREDENTIAL_MISSING", "", { sandboxMode: false }],
    [
      "ON_RAMP_URL_NOT_ALLOWED",
      "urlForSignature",
      { ...coinbase, urlForSignature: "https://pay.coinbase.com/" },
    ],
    ...["0", "0.0", "-1", "1e3", "01", "1.", "", " 1"]
      .map((fiatCurrencyAmount) => ["REQUEST_INVALID", "fiatCurrencyAmount", { fiatCurrencyAmount }] as const)
      .map(([code, field, changes]): [typeof code, string, object] => [code, field, changes]),
    ["REQUEST_INVALID", "countryCode", { countryCode: "us" }],
    ["REQUEST_INVALID", "countrySubdivisionCode", { countryCode: "US" }],
    ["REQUEST_INVALID", "countrySubdivisionCode", { countryCode: "US", countrySubdivisionCode: "new" }],
  ]
  for (const [code, field, changes] of faulty) {
    const answer = await attempt(purchase(changes))
    t.match(answer, { is: "refused", code }, JSON.stringify(changes))
    if (field !== "") t.match(answer.is === "refused" && answer.sentence, `parameters.${field}`)
  }
  await refused(t, fixture, "ON_RAMP_ADDRESS_INVALID", () => attempt(purchase({ walletAddress: "0x00" })))
})

t.test("a vote starts the purchase that waited for it, once, with a session of that moment", async (t) => {
  const { fixture, providers } = await shop(t)
  const { client, acme, boundary } = fixture
  const { alice } = await quorumOfTwo(client, acme)
  const parameters = purchase({ onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" })
  const body = client.body("ACTIVITY_TYPE_INIT_FIAT_ON_RAMP", acme.organizationId, parameters)
  const waiting = outcomeOf(await client.send(body, acme.root))
  t.equal(waiting.status, ActivityStatus.CONSENSUS_NEEDED)
  t.same(waiting.records, [], "no purchase yet")
  const before = providers.sessions.length
  await boundary.pass(10 * 60_000)
  const fingerprint = `sha256:${fingerprintOf(body)}`
  const vote = client.body("ACTIVITY_TYPE_APPROVE_ACTIVITY", acme.organizationId, { fingerprint })
  const outcome = outcomeOf(await client.send(vote, alice.key))
  t.equal(outcome.status, ActivityStatus.COMPLETED)
  const { onRampUrl, onRampTransactionId } = valueOf(outcome, "initFiatOnRampResult")
  t.equal(providers.sessions.length, before + 1)
  t.match(onRampUrl, `sessionToken=${encodeURIComponent(`session/${before + 1}==`)}`)
  const again = outcomeOf(await client.send(vote, alice.key))
  t.match(valueOf(again, "initFiatOnRampResult"), { onRampTransactionId })
  t.equal(providers.sessions.length, before + 1, "the same vote again opens no session")
})

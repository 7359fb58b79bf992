import { encryptOnRampSecret } from "@turnkey/crypto"
import { Turnkey } from "@turnkey/sdk-server"
import t, { type Test } from "tap"
import { freshDatabase } from "../harness/database.ts"
import { DocumentedApi } from "../harness/documented-api.ts"
import { casesOf } from "../harness/long.ts"
import { FakeProviders } from "../harness/on-ramp-providers.ts"
import { COINBASE_KEY_ID, coinbaseKey, purchase } from "../harness/on-ramp.ts"
import { privateKeyHex, System } from "../harness/system.ts"
import { requireAnswered } from "./replies/asked-by.ts"

const COINBASE = "ONRAMP_TRANSACTION_STATUS_"

t.test("credentials and purchases at on-ramp providers through all processes", async (t) => {
  const { url, sql } = await freshDatabase(t)
  const providers = await FakeProviders.open(t)
  const system = await System.startWithFetcher(url, [], providers.settings)
  t.teardown(() => system.stop())
  const api = await DocumentedApi.of(system)
  const { send, submit, ask, query, organizationId, root } = api
  const client = new Turnkey({
    apiBaseUrl: system.url,
    apiPublicKey: root.publicKeyHex,
    apiPrivateKey: privateKeyHex(root),
    defaultOrganizationId: organizationId,
  }).apiClient()
  const listed = async () => (await query("list_fiat_on_ramp_credentials"))["fiatOnRampCredentials"]
  const pins = (await system.send("/public/v1/pins", {})).json
  const onRampPublicKey = String(pins["onRampPublicKey"])
  const seal = (key: string): string => encryptOnRampSecret(key, onRampPublicKey)

  t.test("the pins name the fetcher's on-ramp key", async (t) => {
    t.equal(`${String(pins["fetcherPublicKey"])}${onRampPublicKey}`, system.fetcherPublicKey())
  })

  t.test("a credential is created, listed, replaced and deleted", async (t) => {
    const parameters = {
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
      publishableApiKey: "pk_test_NotARealKey",
      encryptedSecretApiKey: seal("sk_test_NotARealKey0123456789"),
      sandboxMode: true,
    }
    const made = await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", parameters)
    const fiatOnrampCredentialId = made["fiatOnRampCredentialId"]
    t.match(await listed(), [{ fiatOnrampCredentialId, organizationId, ...parameters }])
    const next = {
      fiatOnrampCredentialId,
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
      publishableApiKey: "pk_test_Another",
      encryptedSecretApiKey: seal("sk_test_Another"),
    }
    await submit("UPDATE_FIAT_ON_RAMP_CREDENTIAL", next)
    t.match(await listed(), [{ ...next, sandboxMode: true }])
    await submit("DELETE_FIAT_ON_RAMP_CREDENTIAL", { fiatOnrampCredentialId })
    t.strictSame(await listed(), [])
    for (const name of ["signer", "fetcher", "api"] as const) t.notMatch(system.logOf(name), "sk_test_")
  })

  t.test("the published client does the same, unmodified", async (t) => {
    const credential = {
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE" as const,
      projectId: "project",
      publishableApiKey: "client-api-key",
      encryptedSecretApiKey: seal(COINBASE_KEY_ID),
      encryptedPrivateApiKey: seal(coinbaseKey("ES256").text),
    }
    const made = await client.createFiatOnRampCredential(credential)
    const fiatOnrampCredentialId = made.fiatOnRampCredentialId
    const { fiatOnRampCredentials } = await client.listFiatOnRampCredentials({})
    t.match(fiatOnRampCredentials, [{ fiatOnrampCredentialId, ...credential, sandboxMode: false }])
    await client.deleteFiatOnRampCredential({ fiatOnrampCredentialId })
    t.strictSame((await client.listFiatOnRampCredentials({})).fiatOnRampCredentials, [])
  })

  t.test("purchases at both providers", async (t) => {
    const { publicKey, text } = coinbaseKey("ES256")
    providers.coinbaseKey = publicKey
    await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", {
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
      publishableApiKey: "pk_test_NotARealKey",
      encryptedSecretApiKey: seal("sk_test_NotARealKey0123456789"),
      sandboxMode: true,
    })
    await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", {
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
      projectId: "project",
      publishableApiKey: "client-api-key",
      encryptedSecretApiKey: seal(COINBASE_KEY_ID),
      encryptedPrivateApiKey: seal(text),
      sandboxMode: true,
    })
    const urlForSignature = `https://buy-sandbox.moonpay.com?apiKey=pk_test_NotARealKey&walletAddress=${purchase().walletAddress}`
    const moonPay = await submit("INIT_FIAT_ON_RAMP", purchase({ urlForSignature }))
    t.match(moonPay, { onRampUrl: /^https:\/\/buy-sandbox\.moonpay\.com\/\?/, onRampUrlSignature: /=$/ })
    const coinbase = await client.initFiatOnRamp({
      ...purchase(),
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
      network: "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM",
      cryptoCurrencyCode: "FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH",
    })
    t.match(coinbase.onRampUrl, `partnerUserRef=${coinbase.onRampTransactionId}`)
    t.match(providers.sessions, [{ clientIp: "127.0.0.1" }])
    t.strictSame(providers.faults, [])
    const { status, json } = await send("INIT_FIAT_ON_RAMP", purchase({ sandboxMode: false }))
    t.match({ status, json }, { status: 404, json: { code: 5 } })
    for (const name of ["signer", "fetcher", "api"] as const) t.notMatch(system.logOf(name), "sk_test_")
    await followed(t, String(moonPay["onRampTransactionId"]), ["waitingPayment"], ["failed", "completed"])
    await followed(t, coinbase.onRampTransactionId, [`${COINBASE}IN_PROGRESS`], [`${COINBASE}SUCCESS`])
    t.strictSame(providers.faults, [])
  })

  /** Lets the least time between two refreshes pass. */
  const age = () => sql`update on_ramp_statuses set updated_ms = updated_ms - 2000`

  /** A purchase from its start to its end, whose provider tells these statuses. */
  async function followed(t: Test, transactionId: string, open: string[], ended: string[]) {
    const status = async (refresh?: boolean) =>
      (await query("get_onramp_transaction_status", { transactionId, refresh }))["transactionStatus"]
    const before = providers.asked.length
    t.equal(await status(), "PENDING", "nobody has asked the provider")
    t.equal(providers.asked.length, before)
    t.equal(await status(true), "PENDING", "the buyer has not begun")
    await age()
    providers.statuses.set(transactionId, open)
    t.equal(await status(true), "PENDING")
    await age()
    providers.statuses.set(transactionId, ended)
    t.equal(await status(), "PENDING", "without refresh the stored status")
    const theirs = await client.getOnRampTransactionStatus({ transactionId, refresh: true })
    t.strictSame(theirs, { transactionStatus: "COMPLETED" })
    const asked = providers.asked.length
    providers.statuses.set(transactionId, open)
    await age()
    t.equal(await status(true), "COMPLETED", "a final status stays, and nobody is asked")
    t.equal(providers.asked.length, asked)
  }

  t.test("a status that cannot be had says why, and the stored one stays", async (t) => {
    const { onRampTransactionId: transactionId } = await client.initFiatOnRamp({
      ...purchase(),
      onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
      network: "FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM",
      cryptoCurrencyCode: "FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH",
    })
    const asking = (refresh: boolean, id = transactionId) =>
      ask("get_onramp_transaction_status", { transactionId: id, refresh })
    for (const id of ["00000000-0000-4000-8000-000000000000", "anything"])
      t.match(await asking(true, id), { status: 404, json: { code: 5 } })
    const cases: [answer: FakeProviders["next"][number], status: number][] = [
      [{ status: 401, body: '{"message":"pk_test_NotARealKey"}' }, 400],
      [{ status: 503 }, 503],
      [{ body: "<html>" }, 503],
      [{ body: '[{"status":"completed"}]', cut: 22 }, 503],
      [{ body: '[{"status":"unheard of"}]' }, 503],
    ]
    for (const [answer, status] of casesOf(3, cases)) {
      await age()
      providers.next.push(answer)
      const reply = await asking(true)
      t.equal(reply.status, status, JSON.stringify(answer))
      t.notMatch(reply.text, "pk_test_")
    }
    t.match(await asking(false), { json: { transactionStatus: "PENDING" } })
  })

  requireAnswered(t, api, "on-ramp")
})

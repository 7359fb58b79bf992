// kill -9 of each process in the middle of a purchase: one stamped request is exactly one recorded purchase.
import { encryptOnRampSecret } from "@turnkey/crypto"
import t, { type Test } from "tap"
import { RecordKind } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { requireQueryReply } from "../contract/replies.ts"
import { freshDatabase, lockWaits } from "../harness/database.ts"
import { casesOf } from "../harness/long.ts"
import { COINBASE_KEY_ID, coinbaseKey, purchase } from "../harness/on-ramp.ts"
import { FakeProviders } from "../harness/on-ramp-providers.ts"
import { System } from "../harness/system.ts"
import { until } from "../services/worker/start-worker.ts"
import { SendingClient } from "./sends.ts"

t.test("kill -9 in the middle of a purchase:", async (t) => {
  const { url, sql } = await freshDatabase(t)
  const providers = await FakeProviders.open(t)
  const { publicKey, text } = coinbaseKey("ES256")
  providers.coinbaseKey = publicKey
  const system = await System.startWithFetcher(url, [], providers.settings)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const pins = (await system.send("/public/v1/pins", {})).json
  const seal = (key: string): string => encryptOnRampSecret(key, String(pins["onRampPublicKey"]))
  const credential = {
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_COINBASE",
    projectId: "project",
    publishableApiKey: "client-api-key",
    encryptedSecretApiKey: seal(COINBASE_KEY_ID),
    encryptedPrivateApiKey: seal(text),
    sandboxMode: true,
  }
  const path = "create_fiat_on_ramp_credential"
  await system.submit(path, system.body(path.toUpperCase(), organizationId, credential), root)
  const client = new SendingClient(system, acme, "init_fiat_on_ramp")
  let purchases = 0

  /** Asks for a purchase once, whatever becomes of the answer. */
  function begin(fiatCurrencyAmount: string) {
    const onrampProvider = "FIAT_ON_RAMP_PROVIDER_COINBASE"
    const fiat = { fiatCurrencyAmount, fiatCurrencyCode: "FIAT_ON_RAMP_CURRENCY_USD" }
    const body = client.body(purchase({ onrampProvider, ...fiat }))
    return { body, answered: client.post(body).catch(() => undefined) }
  }

  async function transactionOf(body: string) {
    const { status, json, text } = await client.answered(body)
    if (status !== 200) throw new Error(`${status}: ${text}`)
    const { result } = json["activity"] as {
      result: { initFiatOnRampResult: { onRampUrl: string; onRampTransactionId: string } }
    }
    return result.initFiatOnRampResult
  }

  /** The same body is one purchase; its page, its record and its status are of one id. */
  async function requireOnce(t: Test, body: string) {
    const made = await transactionOf(body)
    const { onRampTransactionId: transactionId, onRampUrl } = made
    t.same(await transactionOf(body), made, "the same body is the same purchase")
    t.match(onRampUrl, `partnerUserRef=${transactionId}`)
    purchases += 1
    const kind = RecordKind.ON_RAMP_TRANSACTION
    t.equal((await sql`select from records where kind = ${kind}`).length, purchases, "one record for each")
    providers.statuses.set(transactionId, ["ONRAMP_TRANSACTION_STATUS_SUCCESS"])
    const status = "get_onramp_transaction_status"
    const { json } = await system.query(status, { organizationId, transactionId, refresh: true }, root)
    t.equal(requireQueryReply(status, json)["transactionStatus"], "COMPLETED")
    t.strictSame(providers.faults, [])
  }

  /** Holds the provider's replies. Resolves with its next request, to the function that lets the replies go. */
  async function held<T>(work: () => T): Promise<{ begun: T; release: () => void }> {
    const asked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    providers.beforeReply = () => {
      asked.resolve()
      return released.promise
    }
    const begun = work()
    await asked.promise
    const release = () => {
      providers.beforeReply = undefined
      released.resolve()
    }
    return { begun, release }
  }

  /** Until the API waits to store the records of an outcome. */
  const storing = () =>
    until(
      async () => (await lockWaits(sql, "insert into records")) > 0,
      () => "no outcome was stored",
    )

  t.test("of the fetcher, while the provider is asked", async (t) => {
    const { begun, release } = await held(() => begin("10"))
    await system.killFetcher()
    release()
    await system.startFetcher()
    await begun.answered
    await requireOnce(t, begun.body)
    t.equal(providers.sessions.length, 2, "the session whose token was lost serves nobody")
  })

  t.test("of the signer, while the provider is asked: the statement that it ordered is used", async (t) => {
    const before = providers.sessions.length
    const { begun, release } = await held(() => begin("11"))
    await system.killSigner()
    await system.startSigner()
    release()
    await begun.answered
    await requireOnce(t, begun.body)
    t.ok(providers.sessions.length <= before + 2)
  })

  t.test("of the API, while the provider is asked", async (t) => {
    const { begun, release } = await held(() => begin("12"))
    await system.killApi()
    release()
    await begun.answered
    await system.startApi()
    await requireOnce(t, begun.body)
  })

  for (const alsoSigner of casesOf(1, [true, false]))
    t.test(
      `of the API${alsoSigner ? " and the signer" : ""}, between the decision and the database`,
      async (t) => {
        const before = providers.sessions.length
        const begun = await sql.begin(async (tx) => {
          await tx`set local idle_in_transaction_session_timeout = 0`
          await tx`lock table records in share mode`
          const one = begin(alsoSigner ? "14" : "13")
          await storing()
          await system.killApi()
          if (alsoSigner) await system.killSigner()
          await one.answered
          return one
        })
        if (alsoSigner) await system.startSigner()
        await system.startApi()
        await requireOnce(t, begun.body)
        t.equal(
          providers.sessions.length,
          before + 1,
          "the kept outcome is answered, and nobody is asked again",
        )
      },
    )
})

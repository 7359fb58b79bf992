// The API tier asks for statuses with records, documents and statements of its choice.
import { create, fromBinary, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import { FetchedStatementSchema, FetchOrderSchema } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { OrderOnRampStatusRequestSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { RecordSchema } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { valueOf } from "../harness/api-client.ts"
import { moonPayCredential, purchase } from "../harness/on-ramp.ts"
import { FakeProviders } from "../harness/on-ramp-providers.ts"
import { stampWith } from "../harness/stamper.ts"
import { child } from "../harness/sub-organization.ts"
import { asRoot, bitFlips, type Fixture, refused, setup } from "./setup.ts"

/** An organization with a purchase at MoonPay. */
async function shop(t: Parameters<typeof setup>[0]) {
  const fixture = await setup(t)
  const { fakeFetcher, boundary, client } = fixture
  const providers = await FakeProviders.open(t)
  fakeFetcher.providers = providers
  fakeFetcher.obey(boundary)
  const { submit } = asRoot(fixture)
  const created = await submit("CREATE_FIAT_ON_RAMP_CREDENTIAL", await moonPayCredential(fakeFetcher))
  const { fiatOnRampCredentialId } = valueOf(created, "createFiatOnRampCredentialResult")
  const started = await submit("INIT_FIAT_ON_RAMP", purchase())
  const { onRampTransactionId } = valueOf(started, "initFiatOnRampResult")
  const record = client.records.get(onRampTransactionId)!
  return { fixture, providers, record, onRampTransactionId, fiatOnRampCredentialId }
}

const ask = ({ boundary }: Fixture, record: Uint8Array, documents: Uint8Array[] = []) =>
  signerHandlers.orderOnRampStatus(
    create(OrderOnRampStatusRequestSchema, { record, documents }),
    boundary.signer,
  )

t.test("F17: a status is asked for a recorded purchase only, with its organization's keys", async (t) => {
  const { fixture, record, onRampTransactionId, fiatOnRampCredentialId } = await shop(t)
  const { client, walletId, acme } = fixture
  const { order } = (await ask(fixture, record)) as { order: { order: Uint8Array } }
  const { task, organizationId } = fromBinary(FetchOrderSchema, order.order)
  t.equal(organizationId, acme.organizationId)
  t.match(task, { case: "onRampStatus", value: { transactionId: onRampTransactionId } })
  t.match(task.value, { keys: { organizationId, publishableApiKey: "pk_test_NotARealKey" } })
  const forged: [what: string, record: Uint8Array][] = [
    ["of a wallet", client.records.get(walletId)!],
    ["empty", new Uint8Array(0)],
    ["of another organization", altered(record, { organizationId: "00000000-0000-4000-8000-000000000000" })],
    ["of another purchase", altered(record, { id: "00000000-0000-4000-8000-000000000000" })],
  ]
  for (const [what, one] of forged) await t.rejects(ask(fixture, one), { code: "RECORD_FORGED" }, what)
  for (const one of bitFlips(fromBinary(RecordSchema, record).mac, [0x01]))
    await t.rejects(ask(fixture, altered(record, { mac: one })), { code: "RECORD_FORGED" })
  const stale = client.documents.get(acme.organizationId)!
  await asRoot(fixture).submit("DELETE_FIAT_ON_RAMP_CREDENTIAL", {
    fiatOnrampCredentialId: fiatOnRampCredentialId,
  })
  await t.rejects(ask(fixture, record), { code: "ON_RAMP_CREDENTIAL_MISSING" }, "its key was deleted")
  await t.rejects(ask(fixture, record, [stale]), { code: "DOCUMENT_ROLLED_BACK" }, "the document before")
})

t.test(
  "F17: an order for a status asks for the status alone, and its statement serves no request",
  async (t) => {
    const { fixture, providers, record, onRampTransactionId } = await shop(t)
    const { client, acme, fakeFetcher } = fixture
    providers.statuses.set(onRampTransactionId, ["completed"])
    const { order } = (await ask(fixture, record)) as { order: Parameters<typeof fakeFetcher.fetch>[0] }
    const { statement } = await fakeFetcher.fetch(order)
    t.strictSame(providers.asked, [`/v1/transactions/ext/${onRampTransactionId}?apiKey=pk_test_NotARealKey`])
    t.strictSame(providers.faults, [], "no secret was sent")
    await t.rejects(fakeFetcher.fetch(order), { code: "FETCH_ORDER_SPENT" })
    const body = client.body("ACTIVITY_TYPE_INIT_FIAT_ON_RAMP", acme.organizationId, purchase())
    const fetched = [create(FetchedStatementSchema, { order, statement })]
    const attack = () => client.order(body, stampWith(acme.root, body), { fetched })
    await refused(t, fixture, "STATEMENT_INVALID", attack)
  },
)

t.test("F17: the signer asks for the document that it lacks", async (t) => {
  const { fixture, record } = await shop(t)
  const { client, acme, boundary } = fixture
  await boundary.restart()
  fixture.fakeFetcher.obey(boundary)
  t.match(await ask(fixture, record), { documents: [{ organizationId: acme.organizationId }] })
  const document = client.documents.get(acme.organizationId)!
  t.match(await ask(fixture, record, [document]), { order: {} })
})

t.test(
  "F17: the status of a sub-organization's purchase needs both documents, and its parent's keys",
  async (t) => {
    const { fixture } = await shop(t)
    const { client, acme, boundary } = fixture
    const subOrganization = await child(client, acme)
    const started = await client.submit(
      subOrganization.root,
      "ACTIVITY_TYPE_INIT_FIAT_ON_RAMP",
      subOrganization.organizationId,
      purchase({ walletAddress: subOrganization.address }),
    )
    const record = client.records.get(valueOf(started, "initFiatOnRampResult").onRampTransactionId)!
    const [own, parents] = [subOrganization, acme].map(
      ({ organizationId }) => client.documents.get(organizationId)!,
    )
    const lacking = ({ organizationId }: { organizationId: string }) => ({ documents: [{ organizationId }] })
    for (const [brought, needed] of [
      [[], subOrganization],
      [[own!], acme],
      [[parents!], subOrganization],
    ] as const) {
      await boundary.restart()
      fixture.fakeFetcher.obey(boundary)
      const answer = await ask(fixture, record, [...brought])
      t.match(answer, lacking(needed))
      t.notOk("order" in answer, "no order without both documents")
    }
    const { order } = (await ask(fixture, record, [own!, parents!])) as { order: { order: Uint8Array } }
    const { task, organizationId } = fromBinary(FetchOrderSchema, order.order)
    t.equal(organizationId, subOrganization.organizationId)
    t.match(task.value, {
      keys: { organizationId: acme.organizationId, publishableApiKey: "pk_test_NotARealKey" },
    })
  },
)

t.test("F17: an order for a status waits for the turns of its organization", async (t) => {
  const { fixture, record } = await shop(t)
  const { turns } = fixture.boundary.signer.state()
  const ended: string[] = []
  const { organizationId } = fixture.acme
  const waiting = ["first", "second"].map((name) => turns.run(organizationId, () => ended.push(name)))
  const asked = ask(fixture, record).then(() => ended.push("status"))
  await Promise.all([...waiting, asked])
  t.strictSame(ended, ["first", "second", "status"])
})

function altered(record: Uint8Array, changes: object): Uint8Array {
  return toBinary(RecordSchema, { ...fromBinary(RecordSchema, record), ...changes })
}

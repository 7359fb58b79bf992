import t, { type Test } from "tap"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { NIL_UUID } from "../../../../../signer/core/uuid.ts"
import { MAX_WEBHOOK_ENDPOINTS } from "../../../../../signer/enclave/organization/limits.ts"
import { NIL, TYPE } from "../../../../contract/boundary/names.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { documentOf } from "../../../../harness/document.ts"
import { newKey } from "../../../../harness/stamper.ts"
import { subOrganization } from "../../../../harness/sub-organization.ts"
import { asRoot, setup } from "../../../../hostile/setup.ts"

type Fixture = Awaited<ReturnType<typeof settled>>

const CREATE = "CREATE_WEBHOOK_ENDPOINT"
const UPDATE = "UPDATE_WEBHOOK_ENDPOINT"
const DELETE = "DELETE_WEBHOOK_ENDPOINT"
const TEST = "SEND_WEBHOOK_TEST_EVENT"
const ACTIVITIES = { eventType: "ACTIVITY_UPDATES" }
const SENDS = { eventType: "SEND_TRANSACTION_STATUS_UPDATES" }
const balances = (addresses: unknown, eventType = "BALANCE_CONFIRMED_UPDATES") => ({
  eventType,
  filtersJson: JSON.stringify({ addresses }),
})
const account = (number: number) => `eip155:1:0x${number.toString(16).padStart(40, "0")}`
const accounts = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => account(from + index))

const endpoint = (subscriptions: object[] = [ACTIVITIES], url = "https://hooks.example.com/a") => ({
  name: "Hook",
  url,
  subscriptions,
})

function refusals(t: Test, { client, root, organizationId }: Fixture) {
  return (type: string, parameters: object, code: RefusalName, field?: string) =>
    refusedAt(t, client, root, [type, organizationId, parameters], code, field)
}

t.test("endpoints are created, changed and deleted, and results show them", async (t) => {
  const fixture = await settled(t)
  const { client, organizationId, submit } = fixture
  const stored = () => documentOf(client, organizationId).webhookEndpoints
  const made = valueOf(
    await submit(
      CREATE,
      endpoint([
        { ...SENDS, isActive: false },
        { ...ACTIVITIES, filtersJson: "" },
      ]),
    ),
    "createWebhookEndpointResult",
  )
  const { endpointId } = made
  t.match(made.webhookEndpoint, { endpointId, organizationId, isActive: true, name: "Hook" })
  t.match(made.webhookEndpoint?.subscriptions, [
    { ...SENDS, isActive: false },
    { ...ACTIVITIES, isActive: true },
  ])
  const bare = valueOf(
    await submit(CREATE, { name: "Bare", url: "https://b.example.com" }),
    "createWebhookEndpointResult",
  )
  t.match(bare.webhookEndpoint?.subscriptions, [{ ...ACTIVITIES, isActive: true }], "without any, activities")

  const changes = { endpointId: endpointId.toUpperCase(), url: "https://new.example.com/", isActive: false }
  const changed = valueOf(await submit(UPDATE, changes), "updateWebhookEndpointResult")
  t.match(changed, { endpointId, webhookEndpoint: { url: changes.url, name: "Hook", isActive: false } })
  t.match(stored()[0], { url: changes.url, paused: true, name: "Hook" })
  await submit(UPDATE, { endpointId, name: "Renamed", isActive: true })
  t.match(stored()[0], { url: changes.url, paused: false, name: "Renamed" })
  t.equal(stored()[0]?.subscriptions.length, 2, "subscriptions stay")
  await submit(UPDATE, { endpointId: bare.endpointId, name: "Plain" })
  t.match(stored(), [{ name: "Renamed" }, { name: "Plain", paused: false }], "of two that which was named")

  t.match(valueOf(await submit(DELETE, { endpointId }), "deleteWebhookEndpointResult"), { endpointId })
  t.strictSame(
    stored().map((one) => one.name),
    ["Plain"],
  )
})

t.test("a URL that leads inside, or is not https, is refused when it is set", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  const { endpointId } = valueOf(await fixture.submit(CREATE, endpoint()), "createWebhookEndpointResult")
  for (const url of [
    "http://hooks.example.com",
    "https://user@hooks.example.com",
    "https://hooks.example.com/#part",
    "https://localhost:8443/",
    "http://127.0.0.1:8080/",
    "https://10.0.0.1/",
    "https://0x7f000001/",
    "https://[::ffff:169.254.169.254]/",
    "https://metadata.google.internal/",
    "ftp://hooks.example.com/",
    "nowhere",
  ]) {
    await refuse(CREATE, endpoint([ACTIVITIES], url), "WEBHOOK_URL_INVALID", "parameters.url")
    await refuse(UPDATE, { endpointId, url }, "WEBHOOK_URL_INVALID", "parameters.url")
  }
})

t.test("events that are not sent, filters and repetitions are refused by name", async (t) => {
  const refuse = refusals(t, await settled(t))
  const at = "parameters.subscriptions[1]"
  const asked: [object, RefusalName, string][] = [
    [
      balances(["tron:728126428:TJmmqjb1DK9TTZbQXzRQ2AuA94z4gKAPFh"]),
      "WEBHOOK_EVENT_NOT_SERVED",
      ".filtersJson",
    ],
    [ACTIVITIES, "WEBHOOK_EVENT_REPEATED", ".eventType"],
    [{ ...SENDS, filtersJson: "{}" }, "WEBHOOK_FILTER_NOT_SERVED", ".filtersJson"],
  ]
  for (const [subscription, code, member] of asked)
    await refuse(CREATE, endpoint([ACTIVITIES, subscription]), code, `${at}${member}`)
  await refuse(CREATE, endpoint([{ eventType: "EVERYTHING" }]), "REQUEST_INVALID")
})

t.test(
  "C-1861: a subscription to balances names the addresses to follow, and keeps its filter",
  async (t) => {
    const fixture = await settled(t)
    const refuse = refusals(t, fixture)
    const solana = "solana:mainnet:So11111111111111111111111111111111111111112"
    const asked = [balances([account(1), solana]), balances([account(1)], "BALANCE_FINALIZED_UPDATES")]
    const made = valueOf(await fixture.submit(CREATE, endpoint(asked)), "createWebhookEndpointResult")
    t.match(made.webhookEndpoint?.subscriptions, asked)
    t.match(documentOf(fixture.client, fixture.organizationId).webhookEndpoints[0]?.subscriptions, asked)
    const at = "parameters.subscriptions[0].filtersJson"
    const faults: object[] = [
      { eventType: "BALANCE_FINALIZED_UPDATES" },
      { ...balances([]), filtersJson: "[]" },
      { ...balances([]), filtersJson: "null" },
      { ...balances([]), filtersJson: "{" },
      // The last of both is a sound list.
      { ...balances([]), filtersJson: `{"addresses":[],"addresses":["${account(1)}"]}` },
      { ...balances([]), filtersJson: JSON.stringify({ addresses: [account(1)], tokens: [] }) },
      balances([]),
      balances(account(1)),
      balances([1]),
      balances([account(1), account(1)]),
      balances([account(0xab), account(0xab).replace("ab", "AB")]),
      balances(accounts(1, 51)),
      ...[
        "",
        "eip155:1",
        "eip155:01:0x0000000000000000000000000000000000000001",
        "eip155:1:0x01",
        "eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD0",
        "eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD",
        "solana:mainnet:0x0000000000000000000000000000000000000001",
        "eip155:1:So11111111111111111111111111111111111111112",
      ].map((one) => balances([one])),
    ]
    for (const fault of faults) await refuse(CREATE, endpoint([fault]), "WEBHOOK_FILTER_INVALID", at)
  },
)

t.test("C-1861: the endpoints of an organization follow so many addresses together at most", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  await fixture.submit(
    CREATE,
    endpoint([balances(accounts(1, 50)), balances(accounts(1, 49), "BALANCE_FINALIZED_UPDATES")]),
  )
  for (let count = 2; count < 10; count++) await fixture.submit(CREATE, endpoint([balances(accounts(1, 50))]))
  await refuse(CREATE, endpoint([balances(accounts(1, 2))]), "LIMIT_EXCEEDED", "parameters.subscriptions")
  await fixture.submit(CREATE, endpoint([balances(accounts(1, 1))]))
  const { endpointId } = documentOf(fixture.client, fixture.organizationId).webhookEndpoints[0]!
  await refuse(CREATE, endpoint([balances(accounts(1, 1))]), "LIMIT_EXCEEDED", "parameters.subscriptions")
  await fixture.submit(DELETE, { endpointId })
  await fixture.submit(CREATE, endpoint([balances(accounts(1, 50))]))
})

t.test("unknown endpoints, and more than an organization can have, are refused", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  await refuse(UPDATE, { endpointId: NIL, name: "x" }, "RESOURCE_UNKNOWN", "parameters.endpointId")
  await refuse(DELETE, { endpointId: NIL }, "RESOURCE_UNKNOWN", "parameters.endpointId")
  for (let count = 0; count < MAX_WEBHOOK_ENDPOINTS; count++) await fixture.submit(CREATE, endpoint())
  await refuse(CREATE, endpoint(), "LIMIT_EXCEEDED")
})

t.test("a sub-organization gets its own activities; sends go to its parent", async (t) => {
  const { client, submit } = await settled(t)
  const key = newKey()
  const made = await submit("CREATE_SUB_ORGANIZATION_V7", subOrganization([{ name: "root", key }]))
  const { subOrganizationId } = valueOf(made, "createSubOrganizationResultV7")
  const created = await client.submit(key, TYPE(CREATE), subOrganizationId, endpoint())
  t.match(valueOf(created, "createWebhookEndpointResult").webhookEndpoint, {
    organizationId: subOrganizationId,
  })
  for (const subscriptions of [[SENDS], [ACTIVITIES, SENDS], [balances([account(1)])]]) {
    const asked = [CREATE, subOrganizationId, endpoint(subscriptions)] as const
    await refusedAt(t, client, key, asked, "WEBHOOK_EVENT_OF_PARENT", "parameters.subscriptions")
  }
})

t.test(
  "a test goes to an endpoint, or with the nil UUID to the feature's URL, if there is one",
  async (t) => {
    const fixture = await settled(t)
    const refuse = refusals(t, fixture)
    const { submit } = fixture
    const test = async (endpointId: string) =>
      valueOf(await submit(TEST, { endpointId }), "sendWebhookTestEventResult").endpointId
    await refuse(TEST, { endpointId: NIL_UUID }, "RESOURCE_UNKNOWN", "parameters.endpointId")
    const { endpointId } = valueOf(await submit(CREATE, endpoint()), "createWebhookEndpointResult")
    await submit("SET_ORGANIZATION_FEATURE", { name: "FEATURE_NAME_STRICT_DENY", value: "true" })
    await refuse(TEST, { endpointId: NIL_UUID }, "RESOURCE_UNKNOWN", "parameters.endpointId")
    await submit("SET_ORGANIZATION_FEATURE", {
      name: "FEATURE_NAME_WEBHOOK",
      value: "https://hooks.example.com/",
    })
    t.equal(await test(NIL_UUID), NIL_UUID)
    t.equal(await test(endpointId.toUpperCase()), endpointId)
    await refuse(TEST, { endpointId: NIL }, "RESOURCE_UNKNOWN", "parameters.endpointId")
  },
)

t.test("in development a URL may lead to this host, with and without TLS", async (t) => {
  const { client, acme } = await setup(t, { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" })
  const { submit, attempt } = asRoot({ client, acme })
  for (const url of [
    "http://localhost:9/",
    "https://127.0.0.1:9/",
    "http://[::1]:9/x",
    "https://a.example.com",
  ]) {
    const made = await submit(CREATE, endpoint([ACTIVITIES], url))
    t.equal(valueOf(made, "createWebhookEndpointResult").webhookEndpoint?.url, url)
  }
  for (const url of [
    "http://a.example.com",
    "http://10.0.0.1/",
    "http://169.254.169.254/",
    "https://192.168.0.1/",
  ])
    t.match(
      await attempt(CREATE, endpoint([ACTIVITIES], url)),
      { is: "refused", code: "WEBHOOK_URL_INVALID" },
      url,
    )
})

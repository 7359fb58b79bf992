import t, { type Test } from "tap"
import type { RefusalName } from "../../../../../signer/core/refusal.ts"
import { NIL } from "../../../../contract/boundary/names.ts"
import { refusedAt, settled } from "../../../../contract/refused.ts"
import { valueOf } from "../../../../harness/api-client.ts"
import { documentOf } from "../../../../harness/document.ts"
import { aggregation, transfers, type VelocityIntent, velocityControl } from "../../../../harness/velocity.ts"

type Fixture = Awaited<ReturnType<typeof settled>>

const CREATE = "CREATE_VELOCITY_CONTROL"
const COUNT = "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT"

async function created({ submit }: Fixture, parameters: VelocityIntent): Promise<string> {
  return valueOf(await submit(CREATE, parameters), "createVelocityControlResult").velocityControlId
}

function refusals(t: Test, { client, root, organizationId }: Fixture) {
  return (code: RefusalName, parameters: object, field?: string) =>
    refusedAt(t, client, root, [CREATE, organizationId, parameters], code, field)
}

t.test("create_velocity_control stores the control, and delete_velocity_control removes it", async (t) => {
  const fixture = await settled(t)
  const ids = [await created(fixture, velocityControl()), await created(fixture, transfers())]
  const stored = () => documentOf(fixture.client, fixture.organizationId).velocityControls
  t.match(stored(), [
    { velocityControlId: ids[0], identifier: "signatures", aggregation: { threshold: "3" } },
    { velocityControlId: ids[1], identifier: "spent", name: "Transfers of a day" },
  ])
  await fixture.submit("DELETE_VELOCITY_CONTROL", { velocityControlId: ids[0]!.toUpperCase() })
  t.match(stored(), [{ velocityControlId: ids[1] }])
  t.equal(stored().length, 1)
})

t.test("create_velocity_control refuses a source that cannot be counted", async (t) => {
  const refuse = refusals(t, await settled(t))
  const invalid = (dataSource: object, field: string) =>
    refuse("VELOCITY_CONTROL_INVALID", { ...transfers(), dataSource }, `parameters.dataSource${field}`)
  await invalid({}, "")
  const assets = ".chainAssetTransfer.definition"
  for (const caip19 of [
    "eip155:1",
    "eip155:01/slip44:60",
    "eip155:1/erc721:0x06012c8cf97BEaD5deAe237070F9587f8E7A266d",
    "eip155:1/erc20:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB49",
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:60",
    "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/token:short",
    "tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u",
    "cosmos:cosmoshub-4/slip44:118",
    "constructor:1/slip44:60",
  ]) {
    const definition = [
      { caip19: "eip155:1/slip44:60", decimals: "18" },
      { caip19, decimals: "6" },
    ]
    await invalid({ chainAssetTransfer: { definition } }, `${assets}[1].caip19`)
  }
  const twice = ["0xdAC17F958D2ee523a2206206994597C13D831ec7", "0xdac17f958d2ee523a2206206994597c13d831ec7"]
  const definition = twice.map((token) => ({ caip19: `eip155:1/erc20:${token}`, decimals: "6" }))
  await invalid({ chainAssetTransfer: { definition } }, `${assets}[1].caip19`)
  const filter = (activityType: string) => ({ filter: { activity: [{ activityType }] } })
  for (const type of ["SIGN_TRANSACTION_V2", "ACTIVITY_TYPE_SIGN", "ACTIVITY_TYPE_APPROVE_ACTIVITY"])
    await invalid({ activityExecution: filter(type) }, ".activityExecution.filter.activity[0].activityType")
})

t.test("create_velocity_control refuses the reserved phase by name", async (t) => {
  const refuse = refusals(t, await settled(t))
  const source = { definition: [{ caip19: "eip155:1/slip44:60", decimals: "18" }], phase: { submission: {} } }
  const parameters = { ...transfers(), dataSource: { chainAssetTransfer: source } }
  const field = "parameters.dataSource.chainAssetTransfer.phase.submission"
  t.match(await refuse("VELOCITY_CONTROL_PHASE_NOT_SERVED", parameters, field), /submission is reserved/)
})

t.test("create_velocity_control refuses a comparison that has no exact value", async (t) => {
  const refuse = refusals(t, await settled(t))
  const invalid = (changes: object, field: string) =>
    refuse(
      "VELOCITY_CONTROL_INVALID",
      { ...transfers(), aggregation: { ...aggregation(), ...changes } },
      field,
    )
  for (const threshold of ["-1", "1e3", ".5", "1.", "0x1", "1,5", "1.0000000000000000001", "9".repeat(39)])
    await invalid({ threshold }, "parameters.aggregation.threshold")
  await invalid({ window: {} }, "parameters.aggregation.window")
  await invalid({ groupBy: {} }, "parameters.aggregation.groupBy")
  const summed = { ...velocityControl(), aggregation: aggregation() }
  await refuse("VELOCITY_CONTROL_INVALID", summed, "parameters.aggregation.method")
  const both = { rolling: { duration: "60" }, infinite: {} }
  const field = "parameters.aggregation.window"
  for (const window of [both, { rolling: { duration: "0" } }])
    await refuse("REQUEST_INVALID", { ...transfers(), aggregation: { ...aggregation(), window } })
  await refuse("REQUEST_INVALID", { ...transfers(), aggregation: { ...aggregation(), window: null } }, field)
})

t.test("identifiers of velocity controls are names of the language, each taken once", async (t) => {
  const fixture = await settled(t)
  const refuse = refusals(t, fixture)
  const field = "parameters.identifier"
  for (const identifier of ["daily-limit", "1st", "daily.limit", "é", "count", "in"])
    await refuse("VELOCITY_CONTROL_INVALID", velocityControl({ identifier }), field)
  await created(fixture, velocityControl())
  await refuse("NAME_TAKEN", transfers(undefined, { identifier: "signatures" }), field)
})

t.test("an organization has at most 50 velocity controls", async (t) => {
  const fixture = await settled(t)
  for (let index = 0; index < 50; index++)
    await created(fixture, velocityControl({ identifier: `control_${index}` }))
  await refusals(t, fixture)("LIMIT_EXCEEDED", velocityControl({ identifier: "one_more" }))
})

t.test("delete_velocity_control refuses an unknown control", async (t) => {
  const { client, root, organizationId } = await settled(t)
  const order = ["DELETE_VELOCITY_CONTROL", organizationId, { velocityControlId: NIL }] as const
  await refusedAt(t, client, root, order, "RESOURCE_UNKNOWN", "parameters.velocityControlId")
})

t.test("the largest threshold and every window and division are accepted", async (t) => {
  const fixture = await settled(t)
  const threshold = `${"9".repeat(20)}.${"9".repeat(18)}`
  const infinite = aggregation({ threshold, window: { infinite: {} }, groupBy: { wallet: {} } })
  await created(fixture, transfers(undefined, { aggregation: infinite }))
  const zero = aggregation({ threshold: "0", method: COUNT, groupBy: { user: {} } })
  await created(fixture, velocityControl({ aggregation: zero, dataSource: { activityExecution: {} } }))
  t.equal(documentOf(fixture.client, fixture.organizationId).velocityControls.length, 2)
})

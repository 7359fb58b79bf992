// Measures what an order costs on its way: written and read by protobuf-es, and by the generated codecs. Both take turns in one process.
import { randomBytes, randomUUID } from "node:crypto"
import { create, type DescMessage } from "@bufbuild/protobuf"
import { type Codec, codecOf } from "../../proto/codec/codec.ts"
import { orderCodecs } from "../../proto/codec/orders.ts"
import { ActivityStatus, VoteSelection } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
  OrderAnswerSchema,
  OrderSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Options } from "../options.ts"
import { keepRun } from "../results.ts"

const TITLE = "Orders as bytes"

type Plan = { rounds: number; orders: number }

const FULL: Plan = { rounds: 41, orders: 8_000 }
export const SHORT: Plan = { rounds: 3, orders: 64 }

/** Orders in a message: at one connection, and about as many as at 64. */
const BATCHES = [1, 16] as const

/** npm run bench -- codecs: microseconds of CPU for an order and its answer, written and read once each. */
export async function benchCodecs({ short }: Pick<Options, "short">): Promise<void> {
  const plan = short ? SHORT : FULL
  const date = new Date().toISOString()
  const batches = BATCHES.map((batch) => measureBatch(batch, plan))
  const rows = batches.map(
    ({ batch, general, generated }) =>
      `| ${batch} | ${general.toFixed(1)} | ${generated.toFixed(1)} | ${(generated / general).toFixed(2)} |`,
  )
  await keepRun("codecs", {
    title: TITLE,
    text: `# ${TITLE}

Measured on ${date.slice(0, 10)}: medians of ${plan.rounds} rounds of ${plan.orders} orders each way. An order for a signature and its answer,
each written once and read once, in µs of CPU.

| orders in a message | protobuf-es | generated codecs | ratio |
| --- | --- | --- | --- |
${rows.join("\n")}
`,
    figures: { date, plan, run: { batches }, verdicts: {} },
    discarded: undefined,
    isWhole: !short,
  })
}

/** Medians for messages of so many orders, µs an order. */
export function measureBatch(batch: number, { rounds, orders }: Plan) {
  const general = new Map<DescMessage, Codec>(
    [ExecuteRequestSchema, ExecuteResponseSchema].map((schema) => [schema, codecOf(schema)]),
  )
  const quick = orderCodecs(codecOf)
  const messages = messagesOf(batch)
  const way = (codecFor: (schema: DescMessage) => Codec | undefined) => () => {
    for (const { schema, init } of messages) {
      const codec = codecFor(schema)
      codec?.decode(codec.encode(init))
    }
  }
  const byGeneral = way((schema) => general.get(schema))
  const byGenerated = way((schema) => quick.get(schema.typeName))
  const times: { general: number[]; generated: number[] } = { general: [], generated: [] }
  for (let round = 0; round < rounds; round++) {
    times.general.push(timeOf(byGeneral, orders / batch) / batch)
    times.generated.push(timeOf(byGenerated, orders / batch) / batch)
  }
  return { batch, general: median(times.general), generated: median(times.generated) }
}

/** µs of CPU of one call. */
function timeOf(call: () => void, count: number): number {
  const start = process.cpuUsage()
  for (let index = 0; index < count; index++) call()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN
}

/** A message of orders as the API sends them, and one of their answers as the signer sends them. */
function messagesOf(batch: number): { schema: DescMessage; init: object }[] {
  const numbers = Array.from({ length: batch }, (_, index) => BigInt(index + 1_000_000))
  const orders = numbers.map((id) =>
    create(OrderSchema, {
      id,
      body: randomBytes(360),
      xStamp: randomBytes(240).toString("base64url"),
      turnOf: randomUUID(),
      timeoutMs: 9_990,
      requestId: randomUUID(),
    }),
  )
  const answers = numbers.map((id) =>
    create(OrderAnswerSchema, {
      id,
      answer: { case: "outcome", value: outcome() },
    }),
  )
  return [
    { schema: ExecuteRequestSchema, init: { orders } },
    { schema: ExecuteResponseSchema, init: { answers } },
  ]
}

const hex = () => randomBytes(32).toString("hex")

function outcome() {
  return {
    organizationId: randomUUID(),
    opened: true,
    status: ActivityStatus.COMPLETED,
    selection: VoteSelection.APPROVED,
    decision: {
      activityId: randomUUID(),
      voteId: randomUUID(),
      userId: randomUUID(),
      decidedAtMs: BigInt(Date.now()),
      logReceipt: randomBytes(48),
    },
    result: { result: { case: "signRawPayloadResult" as const, value: { r: hex(), s: hex(), v: "00" } } },
  }
}

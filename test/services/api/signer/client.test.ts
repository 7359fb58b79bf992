import { setImmediate as nextTurn } from "node:timers/promises"
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  type AcknowledgementSchema,
  ExecuteRequestSchema,
  OrderAnswerSchema,
  type OrderSchema,
} from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { SignerTransport, StreamEvents } from "../../../../services/api/signer/signer.ts"
import { type PausingClock, SignerClient } from "../../../../services/api/signer/client.ts"
import { order } from "./order.ts"

type Sent = MessageInitShape<typeof OrderSchema>
type Acknowledged = MessageInitShape<typeof AcknowledgementSchema>

/** One stream with all that was sent on it. */
class RecordedStream {
  readonly messages: MessageInitShape<typeof ExecuteRequestSchema>[] = []
  readonly sent: Sent[] = []
  readonly acknowledged: Acknowledged[] = []
  readonly events: StreamEvents
  isEnded = false

  constructor(events: StreamEvents) {
    this.events = events
  }
}

/** A connection whose signer is the test. */
function connection() {
  const streams: RecordedStream[] = []
  const unused = () => Promise.reject(new Error("not part of this test"))
  const transport: SignerTransport = {
    open(events) {
      const stream = new RecordedStream(events)
      streams.push(stream)
      return {
        write: (request) => {
          stream.messages.push(request)
          stream.sent.push(...(request.orders ?? []))
          stream.acknowledged.push(...(request.acknowledgements ?? []))
        },
        end: () => {
          stream.isEnded = true
        },
        cancel: () => undefined,
      }
    },
    recover: unused,
    readArchive: unused,
    readSession: unused,
    orderOnRampStatus: unused,
    signWebhooks: unused,
    getAuthProxyConfiguration: unused,
    verifyAttestation: unused,
    verifyIdToken: unused,
    expireActivities: unused,
    listOrganizations: unused,
    getOrganizationHead: unused,
    readGasUsage: unused,
    readMetrics: unused,
    getPins: unused,
    getBootProof: unused,
    probe: unused,
    readLog: unused,
    readLogTile: unused,
    readLogConsistency: unused,
    showCheckpoint: unused,
    close: () => undefined,
  }
  return { transport, streams }
}

/** A clock whose pauses end at once. */
function manualClock(): PausingClock {
  let elapsedMs = 0
  return { elapsedMs: () => elapsedMs, pause: async (ms) => (elapsedMs += ms) }
}

const answer = (id: unknown, activityId: string) =>
  create(OrderAnswerSchema, {
    id: id as bigint,
    answer: { case: "outcome", value: { decision: { activityId } } },
  })

t.test("answers find their orders in any sequence", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const both = Promise.all([client.execute(order), client.execute(order)])
  await nextTurn()
  const [stream] = streams
  t.equal(streams.length, 1, "one stream for all")
  const [first, second] = stream?.sent ?? []
  stream?.events.onAnswer(answer(second?.id, "second"))
  stream?.events.onAnswer(answer(999n, "unknown"))
  stream?.events.onAnswer(answer(first?.id, "first"))
  t.match(await both, [
    { value: { decision: { activityId: "first" } } },
    { value: { decision: { activityId: "second" } } },
  ])
})

t.test("sends an order again on a new stream when the first breaks", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const pending = client.execute(order)
  streams[0]?.events.onBroken(new Error("gone"))
  await nextTurn()
  t.equal(streams.length, 2)
  streams[1]?.events.onAnswer(answer(streams[1]?.sent[0]?.id, "again"))
  t.match(await pending, { value: { decision: { activityId: "again" } } })
})

t.test("answers 503 when the second stream breaks too, and works again afterwards", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const pending = client.execute(order)
  streams[0]?.events.onBroken(new Error("gone"))
  await nextTurn()
  streams[1]?.events.onBroken(new Error("gone"))
  await t.rejects(pending, { message: /cannot be reached/ })
  await nextTurn()
  const next = client.execute(order)
  await nextTurn()
  streams[2]?.events.onAnswer(answer(streams[2]?.sent[0]?.id, "third"))
  t.match(await next, { case: "outcome" })
})

const settled = (pending: Promise<unknown>) => pending.catch((error: unknown) => error)
const tooLarge = () => Object.assign(new Error("Received message larger than max"), { code: 8 })

t.test("an order that was alone on the stream that its answer broke is not sent again", async (t) => {
  const { transport, streams } = connection()
  const pending = settled(new SignerClient(transport, manualClock()).execute(order))
  streams[0]?.events.onBroken(tooLarge())
  t.match(await pending, { status: 413, message: /too large; the activity may have run/ })
  await nextTurn()
  t.equal(streams.length, 1)
})

t.test(
  "each of several orders on a stream that one answer broke is sent again, on its own stream",
  async (t) => {
    const { transport, streams } = connection()
    const client = new SignerClient(transport, manualClock())
    const pending = [1, 2, 3].map(() => settled(client.execute(order)))
    await nextTurn()
    streams[0]?.events.onBroken(tooLarge())
    await nextTurn()
    t.same(
      streams.map(({ sent }) => sent.length),
      [3, 1, 1, 1],
    )
    const [, first, culprit, last] = streams
    culprit?.events.onBroken(tooLarge())
    first?.events.onAnswer(answer(first.sent[0]?.id, "first"))
    last?.events.onAnswer(answer(last.sent[0]?.id, "last"))
    t.match(await Promise.all(pending), [
      { value: { decision: { activityId: "first" } } },
      { status: 413 },
      { value: { decision: { activityId: "last" } } },
    ])
    await nextTurn()
    t.equal(streams.length, 4, "and never again")
  },
)

t.test("an order on two broken streams is not sent again, an order of the second stream is", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const twice = settled(client.execute(order))
  streams[0]?.events.onBroken(new Error("gone"))
  await nextTurn()
  const once = settled(client.execute(order))
  await nextTurn()
  t.equal(streams[1]?.sent.length, 2)
  streams[1]?.events.onBroken(new Error("gone"))
  t.match(await twice, { status: 503 })
  await nextTurn()
  t.equal(streams[2]?.sent.length, 1)
  streams[2]?.events.onAnswer(answer(streams[2].sent[0]?.id, "once"))
  t.match(await once, { case: "outcome" })
})

t.test("an order over the signer's limit is refused before it is sent", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const record = new Uint8Array(1024 * 1024)
  const large = { ...order, records: Array.from({ length: 8 }, () => record) }
  t.match(await settled(client.execute(large)), { status: 413, reason: "REQUEST_TOO_LARGE" })
  t.equal(streams.length, 0)
  void settled(client.execute({ ...order, records: large.records.slice(1) }))
  await nextTurn()
  t.equal(streams[0]?.sent.length, 1)
  client.close()
})

t.test("no message is over the signer's limit", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const stamp = "x".repeat(16_000)
  for (let length = 0; length < 2048; length += 41) {
    const records = Array.from({ length: 4096 }, () => new Uint8Array(length))
    void settled(client.execute({ ...order, xStamp: stamp, xStampWebauthn: stamp, records }))
  }
  await nextTurn()
  await nextTurn()
  const messages = streams.flatMap((stream) => stream.messages)
  const sizes = messages.map(
    (init) => toBinary(ExecuteRequestSchema, create(ExecuteRequestSchema, init)).length,
  )
  t.ok(Math.max(...sizes) <= 8 * 1024 * 1024)
  t.ok(Math.max(...sizes) > 7.8 * 1024 * 1024)
  client.close()
})

t.test("orders of one turn share a message, and a single order is sent at once", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const lone = client.execute(order)
  await nextTurn()
  t.equal(streams[0]?.messages.length, 1)
  streams[0]?.events.onAnswer(answer(streams[0].sent[0]?.id, "lone"))
  t.match(await lone, { value: { decision: { activityId: "lone" } } })
  for (let index = 0; index < 5; index++) void settled(client.execute(order))
  client.acknowledge("an organization", new Uint8Array(32), "a key")
  await nextTurn()
  t.same(
    streams[0]?.messages.map(({ orders, acknowledgements }) => [orders?.length, acknowledgements?.length]),
    [
      [1, 0],
      [5, 1],
    ],
  )
  t.same(new Set(streams[0]?.sent.map(({ id }) => id)).size, 6)
  client.close()
})

t.test("while the signer is busy, two turns share a message", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const ask = (orders: number) => {
    for (let index = 0; index < orders; index++) void settled(client.execute(order))
  }
  const sizes = () => streams[0]?.messages.map(({ orders }) => orders?.length)
  ask(16)
  await nextTurn()
  t.same(sizes(), [16], "nothing was to do before these")
  ask(1)
  await nextTurn()
  t.same(sizes(), [16], "one more can wait")
  ask(2)
  await nextTurn()
  t.same(sizes(), [16, 3])
  for (const { id } of streams[0]?.sent ?? []) streams[0]?.events.onAnswer(answer(id, "answered"))
  ask(1)
  await nextTurn()
  t.same(sizes(), [16, 3, 1], "the signer idles again")
  client.close()
})

t.test("no message has more items than the signer accepts", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  for (let index = 0; index < 1000; index++) {
    void settled(client.execute(order))
    client.acknowledge("an organization", new Uint8Array(32), "a key")
  }
  await nextTurn()
  await nextTurn()
  const [stream] = streams
  const items = stream?.messages.map(
    ({ orders = [], acknowledgements = [] }) => orders.length + acknowledgements.length,
  )
  t.ok(Math.max(...(items ?? [])) <= 64)
  t.equal(stream?.sent.length, 1000)
  t.equal(stream?.acknowledged.length, 1000)
  client.close()
})

t.test("orders that were not sent when the stream broke are sent on the next one, once", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  const pending = client.execute(order)
  streams[0]?.events.onBroken(new Error("gone"))
  await nextTurn()
  t.equal(streams[0]?.sent.length, 0)
  t.equal(streams[1]?.sent.length, 1)
  streams[1]?.events.onAnswer(answer(streams[1].sent[0]?.id, "again"))
  t.match(await pending, { value: { decision: { activityId: "again" } } })
})

t.test("an acknowledgement just before the end is still sent", async (t) => {
  const { transport, streams } = connection()
  const client = new SignerClient(transport, manualClock())
  client.acknowledge("an organization", new Uint8Array(32), "a key")
  client.close()
  t.equal(streams[0]?.acknowledged.length, 1)
  t.ok(streams[0]?.isEnded)
})

t.test("closing fails all waiting orders", async (t) => {
  const client = new SignerClient(connection().transport)
  const pending = client.execute(order)
  client.close()
  await t.rejects(pending, { message: /cannot be reached/ })
  await t.rejects(client.execute(order), { message: /cannot be reached/ })
})

import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { OrderParts, SignerLink, StreamEvents } from "../../../services/api/signer.ts"
import { SignerClient } from "../../../services/api/signer-client.ts"

type Sent = MessageInitShape<typeof ExecuteRequestSchema>

/** A wire whose other end is the test. */
function wire() {
  const streams: { events: StreamEvents; sent: Sent[] }[] = []
  const unused = () => Promise.reject(new Error("not part of this test"))
  const link: SignerLink = {
    open(events) {
      const sent: Sent[] = []
      streams.push({ events, sent })
      return { write: (request) => void sent.push(request), end: () => undefined }
    },
    recover: unused,
    readArchive: unused,
    readSession: unused,
    getOrganizationHead: unused,
    getPins: unused,
    close: () => undefined,
  }
  return { link, streams }
}

const order: OrderParts = {
  body: Buffer.from("{}"),
  xStamp: "",
  xStampWebauthn: "",
  documents: [],
  records: [],
  fetched: [],
}
const answer = (id: unknown, activityId: string) =>
  create(ExecuteResponseSchema, {
    id: id as bigint,
    answer: { case: "outcome", value: { decision: { activityId } } },
  })

t.test("answers find their requests in whatever order they come", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const both = Promise.all([client.execute(order), client.execute(order)])
  const [stream] = streams
  t.equal(streams.length, 1, "one stream for all")
  const [first, second] = stream?.sent ?? []
  stream?.events.onResponse(answer(second?.id, "second"))
  stream?.events.onResponse(answer(999n, "nobody's"))
  stream?.events.onResponse(answer(first?.id, "first"))
  t.match(await both, [
    { value: { decision: { activityId: "first" } } },
    { value: { decision: { activityId: "second" } } },
  ])
})

t.test("sends an order once more on a new stream when the first breaks", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const pending = client.execute(order)
  streams[0]?.events.onBroken(new Error("gone"))
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.equal(streams.length, 2)
  streams[1]?.events.onResponse(answer(streams[1]?.sent[0]?.id, "again"))
  t.match(await pending, { value: { decision: { activityId: "again" } } })
})

t.test("answers 503 when the second stream breaks too, and works again afterwards", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const pending = client.execute(order)
  streams[0]?.events.onBroken(new Error("gone"))
  await new Promise((resolve) => setTimeout(resolve, 300))
  streams[1]?.events.onBroken(new Error("gone"))
  await t.rejects(pending, { message: /cannot be reached/ })
  await new Promise((resolve) => setTimeout(resolve, 300))
  const next = client.execute(order)
  streams[2]?.events.onResponse(answer(streams[2]?.sent[0]?.id, "third"))
  t.match(await next, { case: "outcome" })
})

const settled = (pending: Promise<unknown>) => pending.catch((error: unknown) => error)
const tooLarge = () => Object.assign(new Error("Received message larger than max"), { code: 8 })

t.test("an order alone on a stream that its answer broke is not sent again", async (t) => {
  const { link, streams } = wire()
  const pending = settled(new SignerClient(link).execute(order))
  streams[0]?.events.onBroken(tooLarge())
  t.match(await pending, { status: 413, message: /too large; it may have been carried out/ })
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.equal(streams.length, 1)
})

t.test("of several orders on a stream that one answer broke, each is sent once more, alone", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const pending = [1, 2, 3].map(() => settled(client.execute(order)))
  streams[0]?.events.onBroken(tooLarge())
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.same(
    streams.map(({ sent }) => sent.length),
    [3, 1, 1, 1],
  )
  const [, first, culprit, last] = streams
  culprit?.events.onBroken(tooLarge())
  first?.events.onResponse(answer(first.sent[0]?.id, "first"))
  last?.events.onResponse(answer(last.sent[0]?.id, "last"))
  t.match(await Promise.all(pending), [
    { value: { decision: { activityId: "first" } } },
    { status: 413 },
    { value: { decision: { activityId: "last" } } },
  ])
  await new Promise((resolve) => setTimeout(resolve, 300))
  t.equal(streams.length, 4, "and never again")
})

t.test(
  "an order in flight on two streams that broke is not sent again, one of the second stream is",
  async (t) => {
    const { link, streams } = wire()
    const client = new SignerClient(link)
    const twice = settled(client.execute(order))
    streams[0]?.events.onBroken(new Error("gone"))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const once = settled(client.execute(order))
    t.equal(streams[1]?.sent.length, 2)
    streams[1]?.events.onBroken(new Error("gone"))
    t.match(await twice, { status: 503 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    t.equal(streams[2]?.sent.length, 1)
    streams[2]?.events.onResponse(answer(streams[2].sent[0]?.id, "once"))
    t.match(await once, { case: "outcome" })
  },
)

t.test("an order over the signer's bound is refused before it is sent", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const record = new Uint8Array(1024 * 1024)
  const large = { ...order, records: Array.from({ length: 8 }, () => record) }
  t.match(await settled(client.execute(large)), { status: 413, reason: "REQUEST_TOO_LARGE" })
  t.equal(streams.length, 0)
  void settled(client.execute({ ...order, records: large.records.slice(1) }))
  t.equal(streams[0]?.sent.length, 1)
  client.close()
})

t.test("no order that passes is over the signer's bound", async (t) => {
  const { link, streams } = wire()
  const client = new SignerClient(link)
  const stamp = "x".repeat(16_000)
  for (let length = 0; length < 2048; length += 41) {
    const records = Array.from({ length: 4096 }, () => new Uint8Array(length))
    void settled(client.execute({ ...order, xStamp: stamp, xStampWebauthn: stamp, records }))
  }
  const sent = streams.flatMap((stream) => stream.sent)
  const sizes = sent.map((init) => toBinary(ExecuteRequestSchema, create(ExecuteRequestSchema, init)).length)
  t.ok(Math.max(...sizes) <= 8 * 1024 * 1024)
  t.ok(Math.max(...sizes) > 7.8 * 1024 * 1024)
  client.close()
})

t.test("an end of this process ends what waits", async (t) => {
  const client = new SignerClient(wire().link)
  const pending = client.execute(order)
  client.close()
  await t.rejects(pending, { message: /cannot be reached/ })
  await t.rejects(client.execute(order), { message: /cannot be reached/ })
})

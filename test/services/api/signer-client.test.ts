import { create, type MessageInitShape } from "@bufbuild/protobuf"
import t from "tap"
import {
  type ExecuteRequestSchema,
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
  document: new Uint8Array(0),
  records: [],
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

t.test("an end of this process ends what waits", async (t) => {
  const client = new SignerClient(wire().link)
  const pending = client.execute(order)
  client.close()
  await t.rejects(pending, { message: /cannot be reached/ })
  await t.rejects(client.execute(order), { message: /cannot be reached/ })
})

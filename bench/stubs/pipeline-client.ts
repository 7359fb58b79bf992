import { create } from "@bufbuild/protobuf"
import {
  type ClientDuplexStream,
  credentials,
  makeClientConstructor,
  type requestCallback,
} from "@grpc/grpc-js"
import {
  type ExecuteRequest,
  ExecuteRequestSchema,
  type ExecuteResponse,
  type Order,
  type OrderAnswer,
  OrderSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MessageBatcher } from "../../proto/message-batcher.ts"
import { MESSAGE_BOUNDS, pipelineService } from "./pipeline-wire.ts"
import type { Switches } from "./settings.ts"
import type { StubSignature } from "./signing.ts"

type Client = {
  stream(): ClientDuplexStream<ExecuteRequest, ExecuteResponse>
  unary(request: Order, callback: requestCallback<OrderAnswer>): unknown
}

/** Sends orders down one stream, or each in a call of its own. */
export function connectPipelineSigner(
  socket: string,
  way: Switches["call"],
): (body: Buffer, xStamp: string) => Promise<StubSignature> {
  const Pipeline = makeClientConstructor(pipelineService, "Pipeline")
  const client = new Pipeline(`unix:${socket}`, credentials.createInsecure()) as unknown as Client
  const exchange = way === "stream" ? overStream(client) : overCalls(client)
  let nextId = 1n
  return async (body, xStamp) => {
    return signatureOf(await exchange(create(OrderSchema, { id: nextId++, body, xStamp })))
  }
}

type Exchange = (request: Order) => Promise<OrderAnswer>

function overStream(client: Client): Exchange {
  const waiting = new Map<bigint, (response: OrderAnswer) => void>()
  const stream = client.stream()
  stream.on("data", ({ answers }: ExecuteResponse) => {
    for (const answer of answers) {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    }
  })
  const batcher = new MessageBatcher<Order>(
    (orders) => void stream.write(create(ExecuteRequestSchema, { orders })),
    MESSAGE_BOUNDS,
  )
  stream.on("error", (error) => {
    throw error
  })
  return (request) =>
    new Promise((resolve) => {
      waiting.set(request.id, resolve)
      batcher.put(request, request.body.length + request.xStamp.length)
    })
}

function overCalls(client: Client): Exchange {
  return (request) =>
    new Promise((resolve, reject) => {
      client.unary(request, (error, response) => (response ? resolve(response) : reject(error)))
    })
}

function signatureOf({ answer }: OrderAnswer): StubSignature {
  const result = answer.case === "outcome" ? answer.value.result?.result : undefined
  if (result?.case !== "signRawPayloadResult") throw new Error("the signer of the pipeline did not sign")
  const { r, s, v } = result.value
  return { r, s, v }
}

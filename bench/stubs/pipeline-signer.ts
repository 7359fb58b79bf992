// Signer half of the bare pipeline of G14: checks the stamp again and signs; it has no state to doubt.
import { callbackify } from "node:util"
import { create } from "@bufbuild/protobuf"
import { Server, ServerCredentials, type ServerDuplexStream, type sendUnaryData } from "@grpc/grpc-js"
import { ActivityStatus } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  type ExecuteRequest,
  type ExecuteResponse,
  ExecuteResponseSchema,
  type Order,
  type OrderAnswer,
  OrderAnswerSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { MessageBatcher } from "../../proto/message-batcher.ts"
import { TurnQueue } from "../../signer/core/turns/turn-queue.ts"
import { answerQuestions, readSettings } from "../child.ts"
import { MESSAGE_BOUNDS, pipelineService } from "./pipeline-wire.ts"
import type { PipelineSignerSettings } from "./settings.ts"
import { type SigningBody, signPayload } from "./signing.ts"
import { isStamped } from "./stamp.ts"

const { keys, signerSocket } = readSettings() as PipelineSignerSettings
const turns = new TurnQueue({ perTurn: 8 })

/** A signature and its ids, with room. */
const ANSWER_BYTES = 512

async function answer({ id, body, xStamp }: Order): Promise<OrderAnswer> {
  await turns.turn()
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!isStamped(xStamp, bytes, keys)) throw new Error("the stamp is not good")
  const { organizationId, parameters } = JSON.parse(bytes.toString()) as SigningBody
  const value = { case: "signRawPayloadResult" as const, value: signPayload(parameters.payload) }
  const outcome = { organizationId, status: ActivityStatus.COMPLETED, result: { result: value } }
  return create(OrderAnswerSchema, { id, answer: { case: "outcome", value: outcome } })
}

const answerByCallback = callbackify(answer)
const server = new Server()
server.addService(pipelineService, {
  stream(call: ServerDuplexStream<ExecuteRequest, ExecuteResponse>) {
    const batcher = new MessageBatcher<OrderAnswer>(
      (answers) => void call.write(create(ExecuteResponseSchema, { answers })),
      MESSAGE_BOUNDS,
    )
    call.on("data", ({ orders }: ExecuteRequest) => {
      for (const order of orders) {
        answer(order).then(
          (answered) => batcher.put(answered, ANSWER_BYTES),
          (error: Error) => call.destroy(error),
        )
      }
    })
    call.on("end", () => call.end())
    call.on("error", () => undefined)
  },
  unary({ request }: { request: Order }, callback: sendUnaryData<OrderAnswer>) {
    answerByCallback(request, (error, response) => callback(error && { details: error.message }, response))
  },
})
server.bindAsync(`unix:${signerSocket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error
  answerQuestions(() => undefined)
})

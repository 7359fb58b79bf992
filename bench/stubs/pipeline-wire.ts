import type { ServiceDefinition } from "@grpc/grpc-js"
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf"
import {
  type Order,
  type OrderAnswer,
  OrderSchema,
  OrderAnswerSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"

/** The same messages in both ways of calling. */
export const pipelineService = {
  stream: { path: "/bench.Pipeline/Stream", requestStream: true, responseStream: true, ...codecs() },
  unary: { path: "/bench.Pipeline/Unary", requestStream: false, responseStream: false, ...codecs() },
} as const satisfies ServiceDefinition

function codecs() {
  return {
    requestSerialize: (request: Order) => write(OrderSchema, request),
    requestDeserialize: (bytes: Buffer) => fromBinary(OrderSchema, bytes),
    responseSerialize: (response: OrderAnswer) => write(OrderAnswerSchema, response),
    responseDeserialize: (bytes: Buffer) => fromBinary(OrderAnswerSchema, bytes),
  }
}

function write<D extends DescMessage>(schema: D, message: MessageShape<D>): Buffer {
  const bytes = toBinary(schema, message)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

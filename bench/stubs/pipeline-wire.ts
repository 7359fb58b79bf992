import type { ServiceDefinition } from "@grpc/grpc-js"
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
  OrderSchema,
  OrderAnswerSchema,
} from "../../proto/gen/countersign/signer/v1/signer_pb.ts"

/** As large as the service's messages. */
export const MESSAGE_BOUNDS = { items: 32, bytes: 8 * 1024 * 1024 }

/** The same orders in both ways of calling; the stream carries several in a message, as the service's does. */
export const pipelineService = {
  stream: {
    path: "/bench.Pipeline/Stream",
    requestStream: true,
    responseStream: true,
    ...codecs(ExecuteRequestSchema, ExecuteResponseSchema),
  },
  unary: {
    path: "/bench.Pipeline/Unary",
    requestStream: false,
    responseStream: false,
    ...codecs(OrderSchema, OrderAnswerSchema),
  },
} as const satisfies ServiceDefinition

function codecs<In extends DescMessage, Out extends DescMessage>(request: In, response: Out) {
  return {
    requestSerialize: (message: MessageShape<In>) => write(request, message),
    requestDeserialize: (bytes: Buffer) => fromBinary(request, bytes),
    responseSerialize: (message: MessageShape<Out>) => write(response, message),
    responseDeserialize: (bytes: Buffer) => fromBinary(response, bytes),
  }
}

function write<D extends DescMessage>(schema: D, message: MessageShape<D>): Buffer {
  const bytes = toBinary(schema, message)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

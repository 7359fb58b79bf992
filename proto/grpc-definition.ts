import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  toBinary,
} from "@bufbuild/protobuf"
import type { MethodDefinition } from "@grpc/grpc-js"

/** The type of a method of a generated service. */
export type MethodOf<Kind extends string, I extends DescMessage, O extends DescMessage> = {
  methodKind: Kind
  input: I
  output: O
}

export type AnyMethodDefinition = MethodDefinition<object, object>

/** The definition for grpc-js, by method name. It serializes and parses with the generated schemas. */
export function serviceDefinition(service: DescService): Record<string, AnyMethodDefinition> {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]))
}

function methodDefinition({ parent, name, methodKind, input, output }: DescMethod): AnyMethodDefinition {
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === "bidi_streaming" || methodKind === "client_streaming",
    responseStream: methodKind === "bidi_streaming" || methodKind === "server_streaming",
    requestSerialize: serializer(input),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: serializer(output),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  }
}

/** Serializes a message, or the initial values of one. */
function serializer(schema: DescMessage): (init: object) => Buffer {
  return (init) => {
    const bytes = toBinary(schema, create(schema, init as Record<string, unknown>))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }
}

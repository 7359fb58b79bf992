// Decoders of the messages on the way to the signer, beside those of protobuf-es.
import { fromBinary } from "@bufbuild/protobuf"
import { codecOf } from "../../../proto/codec/codec.ts"
import { orderCodecs } from "../../../proto/codec/orders.ts"
import {
  ExecuteRequestSchema,
  ExecuteResponseSchema,
} from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { randomMessage } from "../../proto/codec/random-message.ts"
import type { Reader } from "../engine/reader.ts"
import { Difference, requireSame } from "../engine/reader.ts"
import { protobuf } from "../formats/protobuf.ts"
import { Random } from "../random.ts"

const SCHEMAS = [ExecuteRequestSchema, ExecuteResponseSchema] as const
const codecs = orderCodecs(codecOf)

/** The first byte selects the message. */
export const orders: Reader<object> = {
  format: {
    parse(input) {
      const fields = protobuf.parse(input.subarray(1))
      return fields && { head: "", body: [{ head: "", body: input.subarray(0, 1) }, fields] }
    },
    write: protobuf.write,
  },
  seeds() {
    const random = new Random(1)
    return Array.from({ length: 60 }, (_, index) => {
      const schema = SCHEMAS[index % 2]!
      const codec = codecs.get(schema.typeName)
      const encoded = codec?.encode(randomMessage(schema, random)) ?? Buffer.alloc(0)
      return Buffer.concat([Buffer.of(index % 2), encoded])
    })
  },
  read(input) {
    const codec = codecs.get(SCHEMAS[(input[0] ?? 0) % 2]!.typeName)
    if (codec === undefined) throw new Difference("there is no codec")
    return codec.decode(input.subarray(1))
  },
  // Their errors are those of protobuf-es, which the judge throws too.
  isRefusal: (error) => error instanceof Error && !(error instanceof Difference),
  judge(input, outcome) {
    const theirs = decoded(input)
    if ("refusal" in outcome) requireSame(String(outcome.refusal), String(theirs), "an error of another kind")
    else requireSame(plain(outcome.value), plain(theirs), "another message")
  },
}

function decoded(input: Buffer): unknown {
  try {
    return fromBinary(SCHEMAS[(input[0] ?? 0) % 2]!, input.subarray(1))
  } catch (error) {
    return error
  }
}

/** Bytes of Node's buffers and of arrays are the same; members that are not set are not there. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Uint8Array.from(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    members.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([name, one]) => [name, plain(one)]),
  )
}

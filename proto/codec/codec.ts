import { create, type DescMessage, fromBinary, toBinary } from "@bufbuild/protobuf"
import { WireReader } from "./reader.ts"
import { WireWriter } from "./writer.ts"

/** Turns the messages of one type into bytes and back. */
export type Codec = {
  readonly encode: (init: object) => Buffer
  readonly decode: (bytes: Buffer) => object
}

/** The codec of protobuf-es. */
export function codecOf(schema: DescMessage): Codec {
  return {
    encode: (init) => {
      const bytes = toBinary(schema, create(schema, init as Record<string, unknown>))
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
    decode: (bytes) => fromBinary(schema, bytes),
  }
}

/** One buffer for all messages: each is copied from it before the next is begun. */
const writer = new WireWriter()

/**
 * A codec by functions for the usual form of a message. Any other form, and every fault, is left to `whole`, the codec of
 * protobuf-es: it alone says what is refused, and messages and bytes are the same as its own.
 */
export function usualCodec(
  whole: Codec,
  write: (writer: WireWriter, message: never) => void,
  read: (reader: WireReader, end: number) => object,
): Codec {
  return {
    encode: (init) => {
      try {
        writer.start()
        write(writer, init as never)
        return writer.finish()
      } catch {
        return whole.encode(init)
      }
    },
    decode: (bytes) => {
      try {
        return read(new WireReader(bytes), bytes.length)
      } catch {
        return whole.decode(bytes)
      }
    },
  }
}

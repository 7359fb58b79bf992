import type { DescField, DescMessage } from "@bufbuild/protobuf"

/** One field of a serialized message: its bytes with their tag, and the message inside, if it has one. */
export type WireField = {
  path: string
  bytes: Uint8Array
  /** Writes the whole message anew with these bytes in place of the field. */
  rewrite(bytes: Uint8Array): Uint8Array
}

/** Messages that are serialized inside a field of type bytes, by `<message>.<field>`. */
export type Embedded = { readonly [field: string]: DescMessage }

const LENGTH_DELIMITED = 2

/** Every field of a serialized message, and of the messages inside it. */
export function wireFields(schema: DescMessage, bytes: Uint8Array, embedded: Embedded): WireField[] {
  const found = split(bytes)
  const counts = new Map<number, number>()
  return found.flatMap((field, index) => {
    const occurrence = counts.get(field.number) ?? 0
    counts.set(field.number, occurrence + 1)
    const desc = schema.fields.find(({ number }) => number === field.number)
    const path = `${desc?.name ?? field.number}[${occurrence}]`
    const rewrite = (bytes: Uint8Array) =>
      Buffer.concat(found.map((other, at) => (at === index ? bytes : other.bytes)))
    const inner = desc && messageIn(schema, desc, embedded)
    if (inner === undefined || field.wireType !== LENGTH_DELIMITED)
      return [{ path, bytes: field.bytes, rewrite }]
    const content = field.bytes.subarray(field.contentStart)
    const tag = field.bytes.subarray(0, field.tagLength)
    const below = wireFields(inner, content, embedded).map((one) => ({
      path: `${path}.${one.path}`,
      bytes: one.bytes,
      rewrite: (bytes: Uint8Array) => {
        const changed = one.rewrite(bytes)
        return rewrite(Buffer.concat([tag, varint(changed.length), changed]))
      },
    }))
    return [{ path, bytes: field.bytes, rewrite }, ...below]
  })
}

function messageIn(schema: DescMessage, field: DescField, embedded: Embedded): DescMessage | undefined {
  return field.message ?? embedded[`${schema.name}.${field.name}`]
}

type Split = { number: number; wireType: number; bytes: Uint8Array; tagLength: number; contentStart: number }

/** The top-level fields (protobuf encoding: tag, then varint, 8 bytes, length and content, or 4 bytes). */
function split(bytes: Uint8Array): Split[] {
  const fields: Split[] = []
  let at = 0
  while (at < bytes.length) {
    const start = at
    const tag = readVarint(bytes, at)
    const wireType = tag.value & 7
    const value = tag.end
    let contentStart = value
    if (wireType === 0) at = readVarint(bytes, value).end
    else if (wireType === 1) at = value + 8
    else if (wireType === 5) at = value + 4
    else {
      const length = readVarint(bytes, value)
      contentStart = length.end
      at = length.end + length.value
    }
    fields.push({
      number: tag.value >>> 3,
      wireType,
      bytes: bytes.subarray(start, at),
      tagLength: value - start,
      contentStart: contentStart - start,
    })
  }
  return fields
}

function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0
  for (let index = at; ; index++) {
    const byte = bytes[index] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (index - at))
    if (byte < 0x80) return { value, end: index + 1 }
  }
}

function varint(value: number): Uint8Array {
  return value < 0x80
    ? Uint8Array.of(value)
    : Buffer.concat([Uint8Array.of((value & 0x7f) | 0x80), varint(Math.floor(value / 128))])
}

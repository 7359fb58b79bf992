import { MAX_DEPTH, type Part, type TreeFormat } from "../engine/tree.ts"

// Protocol Buffers. Heads: a field's tag in hexadecimal, and nothing for the message. A field of bytes that could be a message is one.

const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 }
const LENGTH = 2

export const protobuf: TreeFormat = {
  parse(input) {
    const body = fieldsIn(input, 0)
    return body === undefined ? undefined : { head: "", body }
  },
  write: bytesOf,
}

function fieldsIn(bytes: Buffer, depth: number): Part[] | undefined {
  const fields: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const tagEnd = varintEnd(bytes, at)
    const tag = bytes.subarray(at, tagEnd)
    const wire = (tag[0] ?? 7) & 7
    if (wire > 5 || wire === 3 || wire === 4) return undefined
    const valueEnd = varintEnd(bytes, tagEnd)
    const from = wire === LENGTH ? valueEnd : tagEnd
    const size =
      wire === LENGTH ? varintOf(bytes.subarray(tagEnd, valueEnd)) : (FIXED[wire] ?? valueEnd - tagEnd)
    const content = bytes.subarray(from, from + size)
    if (content.length !== size || (wire === 0 && size === 0)) return undefined
    const inner = wire === LENGTH && size > 1 && depth < MAX_DEPTH ? fieldsIn(content, depth + 1) : undefined
    fields.push({ head: tag.toString("hex"), body: inner ?? content })
    at = from + size
  }
  return fields
}

function varintEnd(bytes: Buffer, from: number): number {
  let at = from
  while ((bytes[at] ?? 0) >= 0x80) at++
  return Math.min(at + 1, bytes.length)
}

function varintOf(bytes: Buffer): number {
  return bytes.reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0)
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]
}

function bytesOf({ head, body }: Part): Buffer {
  const content = Array.isArray(body) ? Buffer.concat(body.map(bytesOf)) : body
  const tag = Buffer.from(head, "hex")
  const isSized = head !== "" && ((tag[0] ?? 0) & 7) === LENGTH
  return Buffer.concat([tag, Buffer.from(isSized ? varint(content.length) : []), content])
}

import { MAX_DEPTH, type Part, type TreeFormat } from "../engine/tree.ts"

// DER (X.690). Heads: the tag's byte in hexadecimal, and nothing for all values together.

const CONSTRUCTED = 0x20

export const der: TreeFormat = {
  parse(input) {
    const body = valuesIn(input, 0)
    return body === undefined ? undefined : { head: "", body }
  },
  write: bytesOf,
}

function valuesIn(bytes: Buffer, depth: number): Part[] | undefined {
  const values: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const [tag, short] = [bytes[at], bytes[at + 1]]
    if (tag === undefined || short === undefined) return undefined
    const digits = short > 0x80 ? short - 0x80 : 0
    const from = at + 2 + digits
    const length = digits === 0 ? short : Number(`0x0${bytes.subarray(at + 2, from).toString("hex")}`)
    const content = bytes.subarray(from, from + length)
    if (digits > 4 || content.length !== length) return undefined
    const inner = (tag & CONSTRUCTED) === 0 || depth > MAX_DEPTH ? undefined : valuesIn(content, depth + 1)
    values.push({ head: tag.toString(16), body: inner ?? content })
    at = from + length
  }
  return values
}

function bytesOf({ head, body }: Part): Buffer {
  const content = Array.isArray(body) ? Buffer.concat(body.map(bytesOf)) : body
  return head === ""
    ? content
    : Buffer.concat([Buffer.of(Number(`0x${head}`)), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex")
  return Buffer.concat([Buffer.of(0x80 + bytes.length), bytes])
}

import { MAX_DEPTH, type Part, type TreeFormat } from "../engine/tree.ts"

// RLP, also behind the type's byte of an Ethereum transaction. Heads: `list`, `string`, and `raw` for bytes as they stand.

const STRING = 0x80
const LIST = 0xc0
const MAX_SHORT = 55

export const rlp: TreeFormat = {
  parse(input) {
    const from = (input[0] ?? LIST) < STRING ? 1 : 0
    const items = itemsIn(input.subarray(from), 0)
    if (items === undefined) return undefined
    return { head: "raw", body: [{ head: "raw", body: input.subarray(0, from) }, ...items] }
  },
  write: bytesOf,
}

function itemsIn(bytes: Buffer, depth: number): Part[] | undefined {
  const items: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    if (first < STRING) {
      items.push({ head: "string", body: bytes.subarray(at, at + 1) })
      at += 1
      continue
    }
    const isList = first >= LIST
    const short = first - (isList ? LIST : STRING)
    const digits = Math.max(0, short - MAX_SHORT)
    const from = at + 1 + digits
    const length = digits === 0 ? short : Number(`0x0${bytes.subarray(at + 1, from).toString("hex")}`)
    const content = bytes.subarray(from, from + length)
    if (content.length !== length) return undefined
    const inner = isList && depth < MAX_DEPTH ? itemsIn(content, depth + 1) : undefined
    items.push(isList ? { head: "list", body: inner ?? content } : { head: "string", body: content })
    at = from + length
  }
  return items
}

function bytesOf({ head, body }: Part): Buffer {
  const content = Array.isArray(body) ? Buffer.concat(body.map(bytesOf)) : body
  if (head === "raw") return content
  if (head === "string" && content.length === 1 && (content[0] ?? 0) < STRING) return content
  return Buffer.concat([header(head === "list" ? LIST : STRING, content.length), content])
}

function header(kind: number, length: number): Buffer {
  if (length <= MAX_SHORT) return Buffer.of(kind + length)
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex")
  return Buffer.concat([Buffer.of(kind + MAX_SHORT + bytes.length), bytes])
}

import { cborHead } from "../../harness/cbor-writer.ts"
import { MAX_DEPTH, type Part, type TreeFormat } from "../engine/tree.ts"

// CBOR (RFC 8949). Heads: the major type of strings, lists, maps and tags; the first byte of other values, whose argument is the body.

const [BYTES, TEXT, MAP, TAG] = [2, 3, 5, 6] as const
/** The largest argument that the writer of tests writes. */
const MAX_ARGUMENT = 2 ** 32 - 1
const ARGUMENT_BYTES: Readonly<Record<number, number>> = { 24: 1, 25: 2, 26: 4, 27: 8 }

export const cbor: TreeFormat = {
  parse(input) {
    const read = itemAt(input, 0, 0)
    if (read === undefined) return undefined
    const rest = input.subarray(read.end)
    return { head: "", body: rest.length === 0 ? [read.part] : [read.part, { head: "raw", body: rest }] }
  },
  write: bytesOf,
}

function itemAt(input: Buffer, at: number, depth: number): { part: Part; end: number } | undefined {
  const first = input[at]
  if (first === undefined || depth > MAX_DEPTH) return undefined
  const [major, short] = [first >> 5, first & 0x1f]
  const size = ARGUMENT_BYTES[short] ?? 0
  const from = at + 1 + size
  const argument = size === 0 ? short : Number(`0x0${input.subarray(at + 1, from).toString("hex")}`)
  if (short > 27 || from > input.length || argument > MAX_ARGUMENT) return undefined
  if (major === BYTES || major === TEXT) {
    const end = from + argument
    return end > input.length
      ? undefined
      : { part: { head: String(major), body: input.subarray(from, end) }, end }
  }
  if (major < BYTES || major > TAG)
    return { part: { head: `b${first}`, body: input.subarray(at + 1, from) }, end: from }
  const count = major === TAG ? 1 : argument * (major === MAP ? 2 : 1)
  const body: Part[] = []
  let end = from
  while (body.length < count) {
    const read = itemAt(input, end, depth + 1)
    if (read === undefined) return undefined
    body.push(read.part)
    end = read.end
  }
  return { part: { head: major === TAG ? `t${argument}` : String(major), body }, end }
}

function bytesOf({ head, body }: Part): Buffer {
  const content = Array.isArray(body) ? Buffer.concat(body.map(bytesOf)) : body
  const count = Array.isArray(body) ? body.length : content.length
  if (head === "" || head === "raw") return content
  if (head.startsWith("b")) return Buffer.concat([Buffer.of(Number(head.slice(1))), content])
  if (head.startsWith("t")) return Buffer.concat([cborHead(TAG, Number(head.slice(1))), content])
  const major = Number(head)
  const argument = major === BYTES || major === TEXT ? content.length : major === MAP ? count >> 1 : count
  return Buffer.concat([cborHead(major, argument), content])
}

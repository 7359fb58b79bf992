import type { Part, TreeFormat } from "../engine/tree.ts"

// PSBT (BIP-174): `magic || map || map …`; a map is `record || record … || 00`, a record two strings with their lengths. Heads: `psbt`,
// `map`, `record` and `string`.

const MAGIC = Buffer.from("70736274ff", "hex")

export const psbt: TreeFormat = {
  parse(input) {
    if (!input.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
    const maps: Part[] = []
    let records: Part[] = []
    for (let at = MAGIC.length; at < input.length; ) {
      const key = stringAt(input, at)
      if (key === undefined) return undefined
      at = key.end
      if (key.bytes.length === 0) {
        maps.push({ head: "map", body: records })
        records = []
        continue
      }
      const value = stringAt(input, at)
      if (value === undefined) return undefined
      at = value.end
      const strings = [key.bytes, value.bytes].map((body): Part => ({ head: "string", body }))
      records.push({ head: "record", body: strings })
    }
    return { head: "psbt", body: maps }
  },
  write: bytesOf,
}

function stringAt(input: Buffer, at: number): { bytes: Buffer; end: number } | undefined {
  const first = input[at]
  if (first === undefined || first > 0xfe) return undefined
  const size = first === 0xfd ? 2 : first === 0xfe ? 4 : 0
  const from = at + 1 + size
  if (from > input.length) return undefined
  const length = size === 0 ? first : input.readUIntLE(at + 1, size)
  const end = from + length
  return end > input.length ? undefined : { bytes: input.subarray(from, end), end }
}

function sized(bytes: Buffer): Buffer {
  const { length } = bytes
  if (length < 0xfd) return Buffer.concat([Buffer.of(length), bytes])
  return Buffer.concat([Buffer.of(0xfd, length & 0xff, (length >> 8) & 0xff), bytes])
}

function bytesOf({ head, body }: Part): Buffer {
  const content = Array.isArray(body) ? Buffer.concat(body.map(bytesOf)) : body
  if (head === "psbt") return Buffer.concat([MAGIC, content])
  if (head === "map") return Buffer.concat([content, Buffer.of(0)])
  return head === "string" ? sized(content) : content
}

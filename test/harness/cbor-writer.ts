/** Input of the encoder. A list of pairs is a map, so a test can repeat and reorder keys. */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | CborPairs
export class CborPairs {
  readonly pairs: readonly (readonly [Cbor, Cbor])[]

  constructor(...pairs: (readonly [Cbor, Cbor])[]) {
    this.pairs = pairs
  }
}

/** CBOR with shortest lengths, in the order given. */
export function writeCbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === "string")
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === "boolean") return Buffer.of(value ? 0xf5 : 0xf4)
  if (value === null) return Buffer.of(0xf6)
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value])
  if (value instanceof CborPairs) {
    const items = value.pairs.flatMap(([key, item]) => [writeCbor(key), writeCbor(item)])
    return Buffer.concat([cborHead(5, value.pairs.length), ...items])
  }
  return Buffer.concat([cborHead(4, value.length), ...value.map(writeCbor)])
}

/** Major type and argument, the argument in its shortest form. */
export function cborHead(major: number, argument: number): Buffer {
  const initial = major << 5
  if (argument < 24) return Buffer.of(initial | argument)
  if (argument < 2 ** 8) return Buffer.of(initial | 24, argument)
  if (argument < 2 ** 16) return Buffer.of(initial | 25, argument >> 8, argument & 0xff)
  const bytes = Buffer.alloc(5)
  bytes[0] = initial | 26
  bytes.writeUInt32BE(argument, 1)
  return bytes
}

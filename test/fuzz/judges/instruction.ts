// @solana/kit.
import {
  addCodecSizePrefix,
  type Codec,
  getAddressCodec,
  getArrayCodec,
  getBooleanCodec,
  getBytesCodec,
  getF64Codec,
  getI64Codec,
  getStructCodec,
  getU128Codec,
  getU16Codec,
  getU32Codec,
  getU8Codec,
  getUtf8Codec,
} from "@solana/kit"
import { type Judge, requireSame } from "../engine/reader.ts"

const text = addCodecSizePrefix(getUtf8Codec(), getU32Codec())
const bytes = addCodecSizePrefix(getBytesCodec(), getU32Codec())
const pair = getStructCodec([
  ["a", getU16Codec()],
  ["b", text],
])

/** Codecs of the types in readers/idl.ts, in their order, each with a value. */
const TYPES: readonly (readonly [codec: unknown, value: unknown])[] = [
  [getBooleanCodec(), true],
  [getI64Codec(), -5n],
  [getU128Codec(), 2n ** 100n],
  [getF64Codec(), 0.5],
  [text, "text é"],
  [bytes, Uint8Array.of(1, 2, 3)],
  [getAddressCodec(), "11111111111111111111111111111111"],
  [getArrayCodec(getU16Codec()), [1, 2, 3]],
  [getArrayCodec(getU8Codec(), { size: 3 }), [1, 2, 3]],
  [getArrayCodec(getI64Codec(), { size: getU8Codec() }), [7n]],
  [getArrayCodec(pair), [{ a: 1, b: "x" }]],
  [getArrayCodec(getArrayCodec(getArrayCodec(getBooleanCodec()), { size: getU8Codec() })), [[[true]], []]],
]

export const judge: Judge = {
  seeds: () =>
    TYPES.map(([codec, value], index) =>
      Buffer.concat([Buffer.of(index), Buffer.from((codec as Codec<unknown>).encode(value) as Uint8Array)]),
    ),
  judge(input, outcome) {
    if ("refusal" in outcome || outcome.value === undefined) return
    const codec = TYPES[input[0] ?? 0]?.[0] as Codec<unknown>
    const theirs = codec.decode(Uint8Array.from(input.subarray(1)))
    requireSame(shape(outcome.value), shape(theirs), "@solana/kit")
  },
}

/** One shape for both readers. Kit ends a text at its first NUL. */
function shape(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([name, one]) => [name, shape(one)])
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value === "string") return value.replaceAll("\0", "")
  if (typeof value !== "object" || value === null) return typeof value === "boolean" ? value : String(value)
  return "hex" in value ? value.hex : Object.entries(value).map(([name, one]) => [name, shape(one)])
}

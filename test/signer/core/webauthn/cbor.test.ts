import { CEREMONY_KINDS, isFault } from "../../../../signer/core/fault.ts"
import fc from "fast-check"
import t from "tap"
import { readCbor, readCborItem } from "../../../../signer/core/webauthn/cbor.ts"
import { type Cbor, CborPairs, writeCbor } from "../../../harness/cbor-writer.ts"
import { faultOf } from "./faults.ts"
import { runsOf } from "../../../harness/long.ts"

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex")

// Examples of RFC 8949, appendix A, as far as they are of the subset.
const examples: Record<string, unknown> = {
  "00": 0,
  "17": 23,
  "1818": 24,
  "18ff": 255,
  "190100": 256,
  "1903e8": 1000,
  "1a000f4240": 1000000,
  "20": -1,
  "29": -10,
  "3863": -100,
  "3903e7": -1000,
  f4: false,
  f5: true,
  f6: null,
  "40": hex(""),
  "4401020304": hex("01020304"),
  "60": "",
  "6449455446": "IETF",
  "62c3bc": "ü",
  "80": [],
  "83010203": [1, 2, 3],
  "8301820203820405": [1, [2, 3], [4, 5]],
  a0: new Map(),
  a201020304: new Map([
    [1, 2],
    [3, 4],
  ]),
  a26161016162820203: new Map<string, unknown>([
    ["a", 1],
    ["b", [2, 3]],
  ]),
}

t.test("reads the examples of RFC 8949 that are of the subset", async (t) => {
  for (const [bytes, value] of Object.entries(examples)) t.same(readCbor(hex(bytes)), value, bytes)
})

t.test("refuses what has two readings, none, or is not of the subset", async (t) => {
  const refused: Record<string, string> = {
    nothing: "",
    "an integer in two bytes that fits in one": "1817",
    "an integer in three bytes that fits in two": "1900ff",
    "an integer in five bytes that fits in three": "1a0000ffff",
    "an integer of 64 bits": "1b0000000100000000",
    "a length that is not the shortest": "580101",
    "a byte string of indefinite length": "5f4101ff",
    "a text of indefinite length": "7f6161ff",
    "a list of indefinite length": "9f01ff",
    "a map of indefinite length": "bf0102ff",
    "a break alone": "ff",
    "reserved details": "1c",
    "a tag": "c11a514b67b0",
    "floating point of 16 bits": "f93c00",
    "floating point of 32 bits": "fa47c35000",
    "floating point of 64 bits": "fb3ff199999999999a",
    undefined: "f7",
    "a simple value": "f0",
    "a simple value in two bytes": "f820",
    "a key twice": "a201020103",
    "a text key twice": "a2616101616102",
    "a key that is a list": "a18001",
    "a key that is bytes": "a1410101",
    "a key that is true": "a1f501",
    "bytes behind it": "0000",
    "text that is no UTF-8": "61ff",
    "a surrogate in text": "63eda080",
    "an end inside a length": "19ff",
    "an end inside a byte string": "4201",
    "an end inside a list": "8201",
    "an end inside a map": "a101",
    "a list that claims 2^32 - 1 items": "9affffffff",
    "a byte string that claims 2^32 - 1 bytes": "5affffffff",
  }
  for (const [what, bytes] of Object.entries(refused)) {
    t.equal(
      faultOf(() => readCbor(hex(bytes))),
      "malformed",
      what,
    )
  }
})

t.test("nests eight deep and no deeper", async (t) => {
  const nested = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.of(0)])
  t.equal(
    faultOf(() => readCbor(nested(8))),
    "none",
  )
  t.equal(
    faultOf(() => readCbor(nested(9))),
    "malformed",
  )
  t.equal(
    faultOf(() => readCbor(nested(1_000_000))),
    "malformed",
  )
})

t.test("reads one item from the middle and says where it ends", async (t) => {
  const bytes = Buffer.concat([Buffer.of(0xff), writeCbor(new CborPairs([1, "x"])), Buffer.of(0xff)])
  t.same(readCborItem(bytes, 1), { value: new Map([[1, "x"]]), end: bytes.length - 1 })
})

const key = fc.oneof(fc.integer({ min: -65536, max: 65536 }), fc.string({ unit: "grapheme" }))
const { item } = fc.letrec<{ item: Cbor }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.integer({ min: -(2 ** 32), max: 2 ** 32 - 1 }),
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array({ maxLength: 300 }),
    fc.array(tie("item"), { maxLength: 4 }),
    fc
      .uniqueArray(fc.tuple(key, tie("item")), { selector: ([name]) => name, maxLength: 4 })
      .map((pairs) => new CborPairs(...pairs)),
  ),
}))

t.test("reads whatever is written in shortest form, and nothing else than that", async (t) => {
  fc.assert(
    fc.property(item, (value) => {
      const bytes = writeCbor(value)
      try {
        t.same(writeCbor(asWritten(readCbor(bytes))), bytes)
      } catch (error) {
        if (!isFault(error, ...CEREMONY_KINDS)) throw error
        if (!error.message.includes("deeply")) throw error
      }
    }),
    { numRuns: runsOf(500) },
  )
})

t.test("bytes of any kind are read or refused, never more", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      t.match(
        faultOf(() => readCbor(bytes)),
        /^(none|malformed)$/,
      )
    }),
    { numRuns: runsOf(2000) },
  )
})

function asWritten(value: unknown): Cbor {
  if (value instanceof Map) {
    return new CborPairs(...[...value].map(([name, item]) => [name as Cbor, asWritten(item)] as const))
  }
  return Array.isArray(value) ? value.map(asWritten) : (value as Cbor)
}

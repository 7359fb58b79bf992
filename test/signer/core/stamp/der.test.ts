import fc from "fast-check"
import t from "tap"
import {
  isDerSignature,
  readDerSignature,
  strictDerSignature,
  writeDerSignature,
} from "../../../../signer/core/stamp/der.ts"
import { derOf } from "./forge.ts"
import { runsOf } from "../../../harness/long.ts"

const bytes = (...values: number[]) => Uint8Array.from(values)
const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex")
const orderLess1 = Buffer.concat([order.subarray(0, 31), bytes(0x50)])
const zero = bytes(0)
const one = bytes(1)
const read = (der: Uint8Array) => readDerSignature(der, "P256")
const padded = (integer: Uint8Array) => Buffer.concat([Buffer.alloc(32 - integer.length), integer])

t.test("reads r and s into 32 bytes each", async (t) => {
  t.same(read(derOf(one, bytes(0x7f, 2))), Buffer.concat([padded(one), padded(bytes(0x7f, 2))]))
})

t.test("reads r and s up to the order less one, never the order", async (t) => {
  const high = Buffer.concat([zero, orderLess1])
  t.same(read(derOf(high, high)), Buffer.concat([orderLess1, orderLess1]))
  for (const tooBig of [Buffer.concat([zero, order]), Buffer.concat([zero, Buffer.alloc(32, 0xff)])]) {
    t.equal(read(derOf(tooBig, one)), undefined)
    t.equal(read(derOf(one, tooBig)), undefined)
  }
  t.ok(
    readDerSignature(derOf(Buffer.concat([zero, order]), one), "SECP256K1"),
    "each curve has its own order",
  )
})

t.test("reads integers of fewer bytes than the order, whatever their first byte is", async (t) => {
  const short = Buffer.alloc(31, 0xff)
  const positive = Buffer.concat([zero, short])
  t.same(read(derOf(positive, positive)), Buffer.concat([padded(short), padded(short)]))
})

t.test("strips any number of leading zeros", async (t) => {
  t.same(read(derOf(Buffer.concat([Buffer.alloc(40), one]), one)), Buffer.concat([padded(one), padded(one)]))
})

t.test("refuses zero, negative, empty and oversized integers", async (t) => {
  const oversized = Buffer.concat([bytes(1), Buffer.alloc(32)])
  for (const integer of [zero, Buffer.alloc(5), bytes(), bytes(0x80), bytes(0xff, 1), oversized]) {
    t.equal(read(derOf(integer, one)), undefined)
    t.equal(read(derOf(one, integer)), undefined)
  }
})

t.test("refuses other tags, long-form lengths and bytes left over", async (t) => {
  const good = derOf(one, one)
  t.ok(read(good))
  const refused: Record<string, Uint8Array> = {
    empty: bytes(),
    "a byte behind": Buffer.concat([good, zero]),
    "a byte behind, inside the sequence": bytes(0x30, 7, 2, 1, 1, 2, 1, 1, 0),
    "a third integer": bytes(0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1),
    "one integer": bytes(0x30, 3, 2, 1, 1),
    "long form of the sequence": bytes(0x30, 0x81, 6, 2, 1, 1, 2, 1, 1),
    "long form of an integer": bytes(0x30, 7, 2, 0x81, 1, 1, 2, 1, 1),
    "indefinite length": bytes(0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0),
    "a sequence too short": bytes(0x30, 5, 2, 1, 1, 2, 1, 1),
    "a sequence too long": bytes(0x30, 7, 2, 1, 1, 2, 1, 1),
    "a set": bytes(0x31, 6, 2, 1, 1, 2, 1, 1),
    "octet strings": bytes(0x30, 6, 4, 1, 1, 4, 1, 1),
    "a length beyond the end": bytes(0x30, 6, 2, 1, 1, 2, 2, 1),
    "over 127 bytes": derOf(Buffer.concat([Buffer.alloc(130), one]), one),
  }
  for (const [title, der] of Object.entries(refused)) t.equal(read(der), undefined, title)
  const longest = derOf(Buffer.concat([Buffer.alloc(121), one]), one)
  t.equal(longest[1], 127)
  t.ok(read(longest), "127 bytes in the sequence")
  for (let length = 0; length < good.length; length++) t.equal(read(good.subarray(0, length)), undefined)
})

t.test("strict DER is passed on as it is, and anything longer is shortened to it", async (t) => {
  const high = Buffer.concat([zero, orderLess1])
  for (const integer of [one, bytes(0x7f), bytes(0, 0x80), high]) {
    const strict = derOf(integer, one)
    t.equal(strictDerSignature(strict, "P256"), strict, "the same bytes, not a copy")
    const longer = derOf(Buffer.concat([zero, integer]), Buffer.concat([Buffer.alloc(3), one]))
    t.same(strictDerSignature(longer, "P256"), Uint8Array.from(strict))
  }
  t.equal(strictDerSignature(derOf(zero, one), "P256"), undefined)
})

t.test("writes zero as one byte", async (t) => {
  t.same(writeDerSignature(new Uint8Array(64)), bytes(0x30, 6, 2, 1, 0, 2, 1, 0))
})

t.test("fuzz: strict DER says what was read, of everything that is read and of nothing else", async (t) => {
  const integer = fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 33 }), fc.nat({ max: 3 }))
    .map(([digits, zeros]) => Buffer.concat([Buffer.alloc(zeros), digits]))
  let taken = 0
  fc.assert(
    fc.property(integer, integer, (r, s) => {
      const der = derOf(r, s)
      const scalars = read(der)
      const strict = strictDerSignature(der, "P256")
      if (scalars === undefined) return strict === undefined && !isDerSignature(der, "P256")
      taken++
      const expected = Buffer.from(writeDerSignature(scalars))
      return strict !== undefined && expected.equals(strict) && isDerSignature(der, "P256")
    }),
    { numRuns: runsOf(2000) },
  )
  t.ok(taken > runsOf(100), "many of them are signatures")
})

t.test("fuzz: never throws, and gives 64 bytes or nothing", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (tail) => {
      for (const der of [tail, Buffer.concat([bytes(0x30, tail.length), tail])]) {
        const signature = read(der)
        if (signature !== undefined && signature.length !== 64) return false
      }
      return true
    }),
    { numRuns: runsOf(2000) },
  )
  t.pass("2000 texts")
})

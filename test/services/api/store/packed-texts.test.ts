// Packed texts: whatever text goes in comes out, and bytes that are stored already are read in every later release.
import { createHash } from "node:crypto"
import { zstdCompressSync } from "node:zlib"
import fc from "fast-check"
import t from "tap"
import { ActivityTypeSchema } from "../../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { packTexts, unpackTexts } from "../../../../services/api/store/packed-texts.ts"
import { WORDS } from "../../../../services/api/store/packed-words.ts"

const unpacked = (hex: string) => unpackTexts(Buffer.from(hex, "hex"))

/** Pieces that have codes of their own, and some that nearly do. */
const piece = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom(...ActivityTypeSchema.values.map(({ name }) => name)),
  fc.constantFrom(
    "\\",
    "\\\\",
    "\\\\\\",
    "0x",
    "0xabcdef0",
    "0xABCDEF01",
    "00112233",
    "0x00112233",
    "001122334",
  ),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.nat(2 ** 31 - 1).map((value) => (BigInt(value) ** 2n).toString()),
  fc.nat(2 ** 31 - 1).map((value) => `0${value}`),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  fc.string({ unit: "binary" }),
)

t.test("any list of texts comes out as it went in", async (t) => {
  const text = fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join('"'))
  const texts = fc.array(fc.option(fc.oneof(text, fc.json(), fc.string({ unit: "binary" }))))
  fc.assert(
    fc.property(texts, (given) => {
      t.strictSame(unpacked(packTexts(given)), given)
    }),
    { numRuns: 2_000 },
  )
})

t.test("long pieces: no length is too great for the stack", async (t) => {
  for (const part of ["\\", '"', "ab", "é", '\\\\"', "0x"]) {
    const text = part.repeat(500_000)
    t.ok(unpacked(packTexts([text]))[0] === text, JSON.stringify(part))
  }
})

t.test("half a surrogate pair is refused: UTF-8 would make another character of it", async (t) => {
  t.throws(() => packTexts(['{"a":"\ud800"}']), TypeError)
  t.throws(() => packTexts(["\ud800\\"]), TypeError)
})

t.test("bytes that are stored are read for ever", async (t) => {
  // Taken when the form was made. A change of these lines makes stored activities unreadable.
  const texts = [
    '{"type":"ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2","timestampMs":"1764000000000","organizationId":"019a0000-0000-7000-8000-000000000001"}',
    null,
    "",
    '["0x00112233","aabbccdd","é\\\\","{\\"from\\":\\"x\\"}"]',
  ]
  const stored =
    "01113c1305d301143d1304019ab697e800143e1301019a0000000070008000000000000001120708100719030400112233140204aabbccdd140004c3a95c5c1406110682061306000178121a07"
  t.equal(packTexts(texts), stored)
  t.strictSame(unpacked(stored), texts)
})

t.test("words keep their places", async (t) => {
  t.equal(new Set(WORDS).size, WORDS.length, "each is there once")
  const frozen = WORDS.slice(0, 218)
  t.equal(
    createHash("sha256").update(frozen.join("\n")).digest("hex"),
    "7b7dac47d489660c14c4a1523d61726dc0711fc9359caa74cba333da715d8d67",
  )
})

t.test("bytes of another form are refused", async (t) => {
  const text = packTexts(['{"id":"00112233445566778899aabbccddeeff00112233"}'])
  for (let end = 4; end < text.length; end += 2)
    t.throws(() => unpacked(text.slice(0, end)), RangeError, text.slice(0, end))
  t.throws(() => unpacked(""), RangeError)
  t.throws(() => unpacked("0207"), RangeError, "no frame")
  t.throws(() => unpacked("0307"), RangeError, "a later version")
  t.throws(() => unpacked("010f07"), RangeError, "a code that is not used")
  t.throws(() => unpacked("01ffff07"), RangeError, "a word that is not there")
  t.throws(() => unpacked("0105ff7f07"), RangeError, "an activity type that is not there")
})

t.test("many bytes are compressed, unless they take no less space then", async (t) => {
  const numbers = Array.from({ length: 4_096 }, (_, index) => index.toString(16).padStart(64, "0")).join("")
  const transaction = `{"unsignedTransaction":"0x${numbers}"}`
  const packed = packTexts([transaction, null])
  t.ok(packed.length < numbers.length / 8, "numbers in 32 bytes each")
  t.strictSame(unpacked(packed), [transaction, null])
  for (let end = 2; end < packed.length; end += 2_000)
    t.throws(() => unpacked(packed.slice(0, end)), RangeError, `${end} digits`)
  const random = createHash("shake256", { outputLength: 100_000 }).update("seed").digest("hex")
  t.equal(
    packTexts([random]).length,
    random.length + 2 * 6,
    "a version, a code, a length of three bytes, an end",
  )
  t.strictSame(unpacked(packTexts([random])), [random])
  t.equal(packTexts(["ab ".repeat(50)]).slice(0, 2), "01", "few bytes stay as they are")
})

t.test("a frame with a changed bit is refused, also where it would unfold", async (t) => {
  const words = createHash("shake256", { outputLength: 10_000 }).update("seed").digest("base64")
  const packed = Buffer.from(packTexts([words.repeat(2)]), "hex")
  t.equal(packed[0], 2)
  for (let at = 100; at < packed.length; at += 1_000) {
    const changed = Buffer.from(packed)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    t.throws(() => unpackTexts(changed), RangeError, `byte ${at}`)
  }
})

t.test("a frame that unfolds to more than any activity has is refused", async (t) => {
  const bomb = zstdCompressSync(Buffer.alloc(65 * 1024 * 1024)).toString("hex")
  t.ok(bomb.length < 100_000)
  t.throws(() => unpacked(`02${bomb}`), RangeError)
})

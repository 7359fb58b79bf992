import fc from "fast-check"
import t from "tap"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { StrictJsonError } from "../../../../proto/strict-json.ts"
import {
  MAX_STAMP_LENGTH,
  readPasskeyStamp,
  readStamp,
  readStampHeaders,
  stampParts,
} from "../../../../signer/core/stamp/read-stamp.ts"
import { headerOf, newP256Key, refusalOf, signP256 } from "./forge.ts"
import { runsOf } from "../../../harness/long.ts"

const { privateKey, publicKeyHex } = newP256Key()
const signature = signP256(privateKey, Buffer.from("{}")).toString("hex")
const good = { publicKey: publicKeyHex, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
const codeOf = (header: string) => refusalOf(() => readStamp(header)).code

t.test("reads base64url with and without padding, any order, any case of hex, more members", async (t) => {
  for (const spaces of ["", " ", "  "]) {
    const bytes = Buffer.from(JSON.stringify(good) + spaces)
    const padded = bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_")
    for (const header of [bytes.toString("base64url"), padded]) {
      t.match(readStamp(header), { publicKeyHex, scheme: good.scheme })
    }
  }
  const others = {
    signature: signature.toUpperCase(),
    more: [1],
    scheme: good.scheme,
    publicKey: publicKeyHex,
  }
  t.equal(Buffer.from(readStamp(headerOf(others)).signature).toString("hex"), signature)
  t.equal(readStamp(headerOf({ ...good, publicKey: publicKeyHex.toUpperCase() })).publicKeyHex, publicKeyHex)
})

t.test("B1: refuses a header that is no base64url of one JSON object", async (t) => {
  const header = headerOf(good)
  const refused: Record<string, string> = {
    "standard alphabet": Buffer.from(`${JSON.stringify(good)}\u00ff\u00fe??>>`).toString("base64"),
    "not base64url at all": "{}",
    "plain JSON": JSON.stringify(good),
    "a space before": ` ${header}`,
    "two stamps joined": `${header}, ${header}`,
    "too much padding": `${header}====`,
    "bits left over": `${Buffer.from("{}").toString("base64url").slice(0, 2)}1`,
    "no JSON": headerOf("publicKey"),
    "an array": headerOf([]),
    "a string": headerOf('"x"'),
    null: headerOf("null"),
    "invalid UTF-8": Buffer.concat([Buffer.from('{"x":"'), Buffer.of(0xff), Buffer.from('"}')]).toString(
      "base64url",
    ),
    "a name twice": headerOf(JSON.stringify(good).replace("{", '{"publicKey":"","'.slice(0, 15) + ",")),
    "too long": headerOf({ ...good, more: "x".repeat(MAX_STAMP_LENGTH) }),
    "members inherited only": headerOf({ __proto__: good }),
    "a letter before the object": headerOf(`x${JSON.stringify(good)}`),
    "a letter behind the object": headerOf(`${JSON.stringify(good)}x`),
    "an object before the object": headerOf(`{}${JSON.stringify(good)}`),
    "a member too deep": headerOf({ ...good, more: [[[[]]]] }),
  }
  for (const [title, value] of Object.entries(refused)) t.equal(codeOf(value), "STAMP_MALFORMED", title)
})

t.test("reads a header of the largest length and of the largest depth", async (t) => {
  const more = (length: number) => headerOf({ ...good, more: "x".repeat(length) })
  const spare = Math.floor((MAX_STAMP_LENGTH - more(0).length) * 0.75)
  const longest = [spare - 1, spare, spare + 1].map(more).find(({ length }) => length === MAX_STAMP_LENGTH)
  t.match(readStamp(longest!), { publicKeyHex })
  t.match(readStamp(headerOf({ ...good, more: [[[]]] })), { publicKeyHex })
})

t.test("a refusal keeps the fault of the JSON reader for the log", async (t) => {
  for (const read of [() => readStamp(headerOf("{")), () => readPasskeyStamp("{")]) {
    try {
      read()
      t.fail("it was read")
    } catch (error) {
      t.match(error, { code: "STAMP_MALFORMED", cause: StrictJsonError })
    }
  }
})

t.test("a stamp in parts verifies again", async (t) => {
  t.same(stampParts(readStamp(headerOf(good))), {
    scheme: good.scheme,
    publicKey: publicKeyHex,
    signature,
    credential: publicKeyHex,
  })
})

t.test("B1: refuses members that are missing, of another type or out of form", async (t) => {
  for (const name of ["publicKey", "scheme", "signature"]) {
    for (const value of [undefined, null, 1, ["x"], {}]) {
      t.equal(
        codeOf(headerOf({ ...good, [name]: value })),
        "STAMP_MALFORMED",
        `${name}: ${JSON.stringify(value)}`,
      )
    }
  }
  for (const publicKey of [
    "",
    "zz",
    publicKeyHex.slice(2),
    `04${publicKeyHex.slice(2)}`,
    `${publicKeyHex}00`,
  ]) {
    t.equal(codeOf(headerOf({ ...good, publicKey })), "STAMP_MALFORMED", `publicKey ${publicKey}`)
  }
  for (const text of [
    "",
    "zz",
    "30",
    signature.slice(1),
    `${signature}0`,
    `${signature}00`,
    `\u0133${signature.slice(1)}`,
  ]) {
    t.equal(codeOf(headerOf({ ...good, signature: text })), "STAMP_MALFORMED", `signature ${text}`)
  }
  const ed25519 = { scheme: "SIGNATURE_SCHEME_TK_API_ED25519", publicKey: "ab".repeat(32) }
  t.equal(codeOf(headerOf({ ...ed25519, signature: "ab".repeat(64) })), "none")
  t.equal(codeOf(headerOf({ ...ed25519, signature: "ab".repeat(65) })), "STAMP_MALFORMED")
  t.equal(codeOf(headerOf({ ...ed25519, signature })), "STAMP_MALFORMED", "DER where raw bytes belong")
})

t.test("refuses schemes that are no stamp of an API key", async (t) => {
  for (const scheme of ["", "P256", "SIGNATURE_SCHEME_TK_WEBAUTHN", "toString", "__proto__"]) {
    t.equal(codeOf(headerOf({ ...good, scheme })), "STAMP_SCHEME_UNKNOWN", scheme)
  }
})

t.test("a request carries exactly one stamp, of a kind that is served", async (t) => {
  const xStamp = headerOf(good)
  t.match(readStampHeaders({ xStamp }), { publicKeyHex })
  t.match(readStampHeaders({ xStamp, xStampWebauthn: "", xStampAttested: undefined }), { publicKeyHex })
  const missing = refusalOf(() => readStampHeaders({ xStamp: "" }))
  t.equal(missing.code, "STAMP_MISSING")
  t.match(missing.sentence, "no valid authentication signature found for request")
  t.equal(refusalOf(() => readStampHeaders({})).code, "STAMP_MISSING")
  t.equal(refusalOf(() => readStampHeaders({ xStampAttested: "{}" })).code, "STAMP_MALFORMED")
  for (const other of [{ xStampWebauthn: "{}" }, { xStampAttested: "{}" }]) {
    const two = refusalOf(() => readStampHeaders({ xStamp, ...other }))
    t.equal(two.code, "STAMP_MALFORMED")
    t.match(two.sentence, /X-Stamp and X-Stamp-(WebAuthn|Attested)/)
  }
})

t.test("fuzz: any header is a stamp or a refusal", async (t) => {
  const members = fc.record({
    publicKey: fc.string(),
    scheme: fc.constant(good.scheme),
    signature: fc.string(),
  })
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.base64String(), fc.json().map(headerOf), members.map(headerOf)),
      (header) => {
        try {
          readStamp(header)
        } catch (error) {
          return error instanceof Refusal
        }
        return true
      },
    ),
    { numRuns: runsOf(2000) },
  )
  t.pass("2000 headers")
})

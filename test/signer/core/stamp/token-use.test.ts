// The signature by which the key of a verification token allows one use of it, and departures from it.
import { sign } from "node:crypto"
import t from "tap"
import { requireClientSignature } from "../../../../signer/core/stamp/client-signature.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { newKey, type TestKey } from "../../../harness/stamper.ts"

const key = newKey()
const USAGE = { type: "USAGE_TYPE_LOGIN", tokenId: "0d1f6f1b-6e1c-4f0b-9d07-5d3a6f4f2c11" }
const TEXT = JSON.stringify({ login: { publicKey: "its session key" }, ...USAGE })

/** A signature as published clients make it, r || s, or in DER. */
function signed(
  message = TEXT,
  { by = key, dsaEncoding = "ieee-p1363" }: { by?: TestKey; dsaEncoding?: "ieee-p1363" | "der" } = {},
) {
  const signature = sign("sha256", Buffer.from(message), { key: by.privateKey, dsaEncoding }).toString("hex")
  return { publicKey: by.publicKeyHex, message, signature }
}

const { publicKeyHex } = key
const noPoint: TestKey = { ...key, publicKeyHex: `02${"f".repeat(64)}` }
const half = signed().signature.slice(0, 126)

function reasonOf(by: ReturnType<typeof signed> | undefined, boundKey: string | undefined = publicKeyHex) {
  try {
    return requireClientSignature(by, boundKey, USAGE, "parameters.clientSignature")
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, field, message } = error
    return { code, field, message: message.replace("invalid client signature: ", "") }
  }
}

t.test("the token's key signs a use in either encoding, and in capital letters too", async (t) => {
  const upper = (text: string) => text.toUpperCase()
  const { signature, publicKey } = signed()
  const members = JSON.parse(TEXT) as object
  t.match(reasonOf(signed()), members)
  t.match(reasonOf(signed(TEXT, { dsaEncoding: "der" })), members)
  t.match(reasonOf({ message: TEXT, signature: upper(signature), publicKey: upper(publicKey) }), members)
})

t.test("B1: what is not this key's signature of this use is refused with its reason", async (t) => {
  const other = newKey()
  const foreign = "the key did not sign this message"
  const about = "the message is not about a USAGE_TYPE_LOGIN with this token"
  const cases: [what: string, answer: unknown, message: string | RegExp][] = [
    [
      "no signature",
      reasonOf(undefined),
      "the verification token is bound to a key, which must sign this use",
    ],
    [
      "another key",
      reasonOf(signed(TEXT, { by: other })),
      "publicKey is not the key that the token is bound to",
    ],
    [
      "another key's signature",
      reasonOf({ ...signed(TEXT, { by: other }), publicKey: publicKeyHex }),
      foreign,
    ],
    [
      "another key's signature in DER",
      reasonOf({ ...signed(TEXT, { by: other, dsaEncoding: "der" }), publicKey: publicKeyHex }),
      foreign,
    ],
    ["another message", reasonOf({ ...signed(), message: `${TEXT} ` }), foreign],
    ["no point", reasonOf(signed(TEXT, { by: noPoint }), noPoint.publicKeyHex), foreign],
    ["more than hex", reasonOf({ ...signed(), signature: `${signed().signature}zz` }), foreign],
    ["neither form", reasonOf({ ...signed(), signature: half }), foreign],
    ["no JSON", reasonOf(signed("x")), /^the message is not/],
    ["another use", reasonOf(signed(JSON.stringify({ ...USAGE, type: "USAGE_TYPE_SIGNUP" }))), about],
    ["another token", reasonOf(signed(JSON.stringify({ ...USAGE, tokenId: "" }))), about],
  ]
  const invalid = { code: "CLIENT_SIGNATURE_INVALID", field: "parameters.clientSignature" }
  for (const [what, answer, message] of cases) t.match(answer, { ...invalid, message }, what)
  t.throws(() => requireClientSignature(signed(), undefined, USAGE, ""), {
    message: /is bound to no key: verify the code again with one$/,
  })
  t.throws(() => requireClientSignature(signed("x"), publicKeyHex, USAGE, ""), {
    cause: { name: "StrictJsonError" },
  })
})

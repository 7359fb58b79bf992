import t from "tap"
import type { Curve } from "../../../../signer/core/crypto/curve.ts"
import { type SigningPayload, readPayload } from "../../../../signer/enclave/keys/payload.ts"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { refusalOf, secretOf, toHex } from "./tools.ts"

type Signed = SigningPayload & {
  name: string
  privateKey: string
  digest?: string
  r: string
  s: string
  v: string
}
type Refused = SigningPayload & { why: string; code: string; field?: string }
const vectors = ownVectors<{ signed: Signed[]; refused: Refused[] }>("payloads")

for (const { name, privateKey, digest, r, s, v, ...order } of vectors.signed) {
  t.test(`returns the signature of the vector: ${name}`, async (t) => {
    const signable = readPayload(order)
    if (digest !== undefined) t.equal("digest" in signable && toHex(signable.digest), digest)
    const key = new SigningKey({ curve: order.curve, secret: secretOf(privateKey) })
    t.strictSame(key.sign(signable), { r, s, v })
  })
}

t.test(
  "payloads that do not fit encoding, hash function or curve are refused, each fault by its code",
  async (t) => {
    const payload = "parameters.payloads[3]"
    for (const { why, code, field = payload, ...order } of vectors.refused) {
      t.match(
        refusalOf(() => readPayload(order, payload)),
        { code, field },
        why,
      )
    }
  },
)

const hex = (payload: string, curve: Curve = "CURVE_SECP256K1", hashFunction = "HASH_FUNCTION_SHA256") =>
  refusalOf(() => readPayload({ payload, encoding: "PAYLOAD_ENCODING_HEXADECIMAL", hashFunction, curve }))

t.test("refusals contain the words that published clients match", async (t) => {
  t.match(hex("11", "CURVE_SECP256K1", "HASH_FUNCTION_NO_OP")?.message, "expected a 32-bytes-long digest")
  t.match(hex("11", "CURVE_ED25519")?.message, /^invalid hash function/)
  t.match(hex("zz")?.message, /^invalid payload encoding/)
})

t.test("ambiguous spellings of hex are refused", async (t) => {
  for (const payload of ["0X11", "0x0x11", "11\n", "１１", "0x1", " 11", "\\x11"]) {
    t.equal(hex(payload)?.code, "PAYLOAD_INVALID", JSON.stringify(payload))
  }
  t.equal(hex("0xAbCd"), undefined)
})

t.test("an empty text is no payload; 0x is the payload of no bytes", async (t) => {
  for (const encoding of ["PAYLOAD_ENCODING_HEXADECIMAL", "PAYLOAD_ENCODING_TEXT_UTF8"]) {
    const order = {
      payload: "",
      encoding,
      hashFunction: "HASH_FUNCTION_SHA256",
      curve: "CURVE_P256",
    } as const
    const refusal = refusalOf(() => readPayload(order))
    t.equal(refusal?.code, "PAYLOAD_INVALID", encoding)
    t.match(refusal?.message, /the payload is empty/)
  }
  t.equal(hex("0x"), undefined)
})

t.test("text with an unpaired surrogate is refused", async (t) => {
  const order = {
    payload: "a\ud800",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_SHA256",
  }
  t.equal(refusalOf(() => readPayload({ ...order, curve: "CURVE_P256" }))?.code, "PAYLOAD_INVALID")
})

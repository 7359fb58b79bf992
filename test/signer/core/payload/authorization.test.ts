import t from "tap"
import { hashAuthorization } from "../../../../signer/core/payload/authorization.ts"
import { SigningKey } from "../../../../signer/enclave/keys/signing-key.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { secretOf, toHex } from "../../enclave/keys/tools.ts"

const FAULT = { name: "Fault", kind: "payload" }

type Signed = {
  name: string
  privateKey: string
  payload: string
  digest: string
  r: string
  s: string
  v: string
}
const { signed } = ownVectors<{ signed: Signed[] }>("authorizations")
const ADDRESS = '"address":"0x2a31eF110e4Cdb9C332aA1d8633510214299c48B"'
const MAX_UINT64 = "18446744073709551615"

for (const { name, privateKey, payload, digest, r, s, v } of signed) {
  t.test(`returns digest and signature of the vector: ${name}`, async (t) => {
    t.equal(toHex(hashAuthorization(payload)), digest)
    const key = new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) })
    t.strictSame(key.sign({ digest: hashAuthorization(payload) }), { r, s, v })
  })
}

t.test("all spellings of a number and an address give one digest", async (t) => {
  const digests = [
    `{${ADDRESS},"chainId":10,"nonce":1}`,
    `{${ADDRESS},"chainId":"10","nonce":"0x1"}`,
    `{"nonce":1,"chainId":"0xa",${ADDRESS.toLowerCase()}}`,
  ].map((payload) => toHex(hashAuthorization(payload)))
  t.equal(new Set(digests).size, 1)
})

t.test("numbers may be as large as their fields", async (t) => {
  t.ok(hashAuthorization(`{${ADDRESS},"chainId":"${MAX_UINT64}","nonce":"18446744073709551614"}`))
})

t.test("refuses what is no authorization", async (t) => {
  const refused = [
    "",
    "[]",
    "null",
    "{}",
    `{${ADDRESS},"chainId":1}`,
    `{${ADDRESS},"chainId":1,"nonce":0,"v":1}`,
    `{${ADDRESS},"chainId":1,"nonce":0,"nonce":1}`,
    `{${ADDRESS},"chainId":1,"nonce":"${MAX_UINT64}"}`,
    `{${ADDRESS},"chainId":"18446744073709551616","nonce":0}`,
    `{${ADDRESS},"chainId":-1,"nonce":0}`,
    `{${ADDRESS},"chainId":1.5,"nonce":0}`,
    `{${ADDRESS},"chainId":9007199254740993,"nonce":0}`,
    `{${ADDRESS},"chainId":null,"nonce":0}`,
    `{${ADDRESS},"chainId":"","nonce":0}`,
    '{"address":"0x2A31eF110e4Cdb9C332aA1d8633510214299c48B","chainId":1,"nonce":0}',
    '{"address":"2a31ef110e4cdb9c332aa1d8633510214299c48b","chainId":1,"nonce":0}',
    '{"address":["0x2a31ef110e4cdb9c332aa1d8633510214299c48b"],"chainId":1,"nonce":0}',
  ]
  for (const payload of refused) t.throws(() => hashAuthorization(payload), FAULT, payload)
})

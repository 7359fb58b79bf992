import { encryptOauth2ClientSecret } from "@turnkey/crypto"
import t from "tap"
import { randomBytes } from "node:crypto"
import { openEnvelope, sealEnvelope } from "../../../../signer/core/crypto/envelope.ts"
import { openKeySet } from "../../../../signer/core/crypto/keyset.ts"
import { secretOf } from "../../enclave/keys/tools.ts"

const { encrypt, publicHex } = openKeySet(secretOf("07".repeat(32)))
const encryptPublicHex = publicHex.slice(0, 130)

t.test("opens what the published client seals", async (t) => {
  for (const text of ["secret", "", "s".repeat(4096), "tr\u00e8s secr\u00e8t \u{1F511}"]) {
    const secret = openEnvelope(encrypt.privateKey, await sealed(text))
    t.equal(
      secret?.use((bytes) => Buffer.from(bytes).toString()),
      text,
    )
  }
})

t.test("seals what the same opener opens, for this key only", async (t) => {
  const point = Buffer.from(encryptPublicHex, "hex")
  const other = openKeySet(secretOf("08".repeat(32))).encrypt.privateKey
  for (const text of ["secret", "", "s".repeat(4096)]) {
    const envelope = sealEnvelope(point, secretOf(Buffer.from(text).toString("hex")), randomBytes)
    t.equal(
      openEnvelope(encrypt.privateKey, envelope)?.use((bytes) => Buffer.from(bytes).toString()),
      text,
    )
    t.equal(openEnvelope(other, envelope), undefined)
    t.equal(envelope.length, (await sealed(text)).length, "as long as the published client's")
  }
  t.throws(() => sealEnvelope(point.subarray(1), secretOf("00"), randomBytes), /no point of P-256/)
})

t.test("opens nothing with a byte altered, added or cut off, without a reason", async (t) => {
  const envelope = await sealed("secret")
  t.ok(openEnvelope(encrypt.privateKey, envelope))
  for (let at = 0; at < envelope.length; at += 1) {
    const altered = Buffer.from(envelope)
    altered[at]! ^= 1
    t.equal(openEnvelope(encrypt.privateKey, altered), undefined, `byte ${at}`)
  }
  for (let length = 0; length < envelope.length; length += 1) {
    t.equal(openEnvelope(encrypt.privateKey, envelope.subarray(0, length)), undefined, `${length} bytes`)
  }
  t.equal(openEnvelope(encrypt.privateKey, Buffer.concat([envelope, Buffer.from([0])])), undefined)
})

t.test("opens nothing that was sealed to another key", async (t) => {
  const other = openKeySet(secretOf("08".repeat(32)))
  t.equal(openEnvelope(other.encrypt.privateKey, await sealed("secret")), undefined)
  t.equal(openEnvelope(openKeySet(secretOf("07".repeat(32))).sign, await sealed("secret")), undefined)
})

async function sealed(text: string): Promise<Buffer> {
  return Buffer.from(await encryptOauth2ClientSecret(text, encryptPublicHex), "hex")
}

import { createPublicKey } from "node:crypto"
import t from "tap"
import { openHpke, scheduleKey, sealHpke } from "../../../../signer/core/crypto/hpke.ts"
import { openMessage, sealMessage } from "../../../../signer/enclave/bundles/message.ts"
import { p256Point, p256PrivateKey } from "../../../../signer/core/crypto/p256.ts"
import { ownVectors, publishedVectors } from "../../../harness/vectors.ts"
import {
  dangerouslyRevealHex,
  dangerouslyRevealText,
  fromHex,
  secretOf,
  secretText,
  toHex,
} from "../keys/tools.ts"

type Rfc9180 = {
  info: string
  skRm: string
  pkRm: string
  skEm: string
  enc: string
  key: string
  base_nonce: string
  encryptions: { aad: string; ct: string; pt: string }[]
}
const published = publishedVectors<Rfc9180[]>("hpke/base-p256-sha256-aes256gcm.json")

type Own = {
  message: {
    target: string
    targetPublic: string
    ephemeral: string
    plaintext: string
    dh: string
    key: string
    nonce: string
    encappedPublic: string
    ciphertext: string
  }
  unopenable: { why: string; encappedPublic: string; ciphertext: string }[]
}
const own = ownVectors<Own>("bundles")
const { message } = own

t.test("HPKE seals and opens the vector of RFC 9180 for this suite", published.options, async (t) => {
  const vectors = published.read()
  t.equal(vectors.length, 1)
  for (const { info, skRm, pkRm, skEm, enc, encryptions } of vectors) {
    const recipient = p256PrivateKey(secretOf(skRm))
    t.equal(toHex(p256Point(recipient)), pkRm)
    const [{ aad, ct, pt }] = encryptions as [Rfc9180["encryptions"][number]]
    const context = { info: fromHex(info), aad: fromHex(aad) }
    const parties = { ephemeral: p256PrivateKey(secretOf(skEm)), recipient: createPublicKey(recipient) }
    t.equal(toHex(sealHpke(parties, context, secretOf(pt))), ct)
    const opened = openHpke({ recipient, enc: fromHex(enc) }, context, fromHex(ct))
    t.equal(opened && dangerouslyRevealHex(opened), pt)
    for (const other of [
      { ...context, info: fromHex("00") },
      { ...context, aad: fromHex("00") },
    ])
      t.equal(openHpke({ recipient, enc: fromHex(enc) }, other, fromHex(ct)), undefined)
  }
})

t.test("the key schedule derives the known key and nonce, and wipes the shared value", async (t) => {
  const dh = fromHex(message.dh)
  const points = { enc: fromHex(message.encappedPublic), recipient: fromHex(message.targetPublic) }
  const { key, nonce } = scheduleKey(dh, points, Buffer.from("turnkey_hpke"))
  t.same([toHex(key), toHex(nonce)], [message.key, message.nonce])
  t.equal(toHex(dh), "00".repeat(32))
})

t.test("sealMessage gives the same bytes as published clients", async (t) => {
  const recipient = createPublicKey(p256PrivateKey(secretOf(message.target)))
  const sealed = sealMessage(recipient, secretText(message.plaintext), () => fromHex(message.ephemeral))
  t.same(
    { encappedPublic: toHex(sealed.encappedPublic), ciphertext: toHex(sealed.ciphertext) },
    { encappedPublic: message.encappedPublic, ciphertext: message.ciphertext },
  )
})

const whole = { encappedPublic: fromHex(message.encappedPublic), ciphertext: fromHex(message.ciphertext) }

t.test("openMessage opens the message, and no altered one", async (t) => {
  const opened = openMessage(secretOf(message.target), whole)
  t.equal(opened && dangerouslyRevealText(opened), message.plaintext)
  for (const { why, encappedPublic, ciphertext } of own.unopenable) {
    const altered = { encappedPublic: fromHex(encappedPublic), ciphertext: fromHex(ciphertext) }
    t.equal(openMessage(secretOf(message.target), altered), undefined, why)
  }
  t.equal(openMessage(secretOf(message.ephemeral), whole), undefined, "another key")
})

t.test("B4: a message with any bit flipped, a byte removed or added does not open", async (t) => {
  const target = secretOf(message.target)
  let tried = 0
  for (const part of ["encappedPublic", "ciphertext"] as const) {
    const bytes = whole[part]
    const altered = Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const one = Uint8Array.from(bytes)
      one[bit >> 3]! ^= 1 << (bit & 7)
      return one
    })
    const cut = Array.from({ length: bytes.length }, (_, length) => bytes.subarray(0, length))
    for (const one of [...altered, ...cut, Buffer.concat([bytes, Buffer.from([0])])]) {
      tried += 1
      if (openMessage(target, { ...whole, [part]: one }) !== undefined) t.fail(`${part} ${toHex(one)}`)
    }
  }
  t.comment(`${tried} altered messages, none opened`)
})

t.test("messages have different ephemeral keys, and an empty message can be sealed", async (t) => {
  const recipient = createPublicKey(p256PrivateKey(secretOf(message.target)))
  let draw = 0
  const random = (length: number) => new Uint8Array(length).fill((draw += 1))
  const sealed = ["", "a", "a"].map((text) => sealMessage(recipient, secretText(text), random))
  t.equal(new Set(sealed.map(({ encappedPublic }) => toHex(encappedPublic))).size, 3)
  t.same(
    sealed.map((one) => dangerouslyRevealText(openMessage(secretOf(message.target), one)!)),
    ["", "a", "a"],
  )
})

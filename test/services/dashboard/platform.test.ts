// The browser verifies with the signer's own files over a few functions of Node.js that the dashboard writes itself.
import * as nodeBuffer from "node:buffer"
import * as node from "node:crypto"
import fc from "fast-check"
import t from "tap"
import { BrowserBuffer, isUtf8 } from "../../../services/dashboard/platform/buffer.ts"
import * as browser from "../../../services/dashboard/platform/node-crypto.ts"
import { wordsOf } from "../../../signer/core/fingerprint-words.ts"

const ENCODINGS = ["utf8", "hex", "base64", "base64url", "latin1", "utf16le"] as const

t.test("bytes are UTF-8 as Node.js says", async () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => isUtf8(bytes) === nodeBuffer.isUtf8(bytes)))
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => isUtf8(Buffer.from(text))))
})

t.test("bytes and texts convert as in Node.js", async (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.string({ unit: "binary" }),
      fc.constantFrom(...ENCODINGS),
      (bytes, text, encoding) => {
        const shown = Buffer.from(bytes).toString(encoding)
        const written = encoding === "utf8" || encoding === "latin1" || encoding === "utf16le" ? text : shown
        return (
          BrowserBuffer.from(bytes).toString(encoding) === shown &&
          Buffer.from(BrowserBuffer.from(written, encoding)).equals(Buffer.from(written, encoding))
        )
      },
    ),
  )
  const odd = ["abc", "0g", "zz", "", "é", "A===", "AQ", "_-8", "A B\n"]
  for (const text of odd)
    for (const encoding of ENCODINGS)
      t.same(
        [...BrowserBuffer.from(text, encoding)],
        [...Buffer.from(text, encoding)],
        JSON.stringify([text, encoding]),
      )
  const view = new Uint8Array([1, 2, 3, 4, 5, 6])
  t.same([...BrowserBuffer.from(view.buffer, 2, 3)], [3, 4, 5])
  t.equal(BrowserBuffer.from(view).readUInt32LE(1), Buffer.from(view).readUInt32LE(1))
  t.equal(BrowserBuffer.from(view).readUInt16BE(1), Buffer.from(view).readUInt16BE(1))
  t.equal(BrowserBuffer.from(view).readUInt32BE(1), Buffer.from(view).readUInt32BE(1))
  const long = Uint8Array.from({ length: 10 }, (_, at) => 250 - at)
  t.equal(BrowserBuffer.from(long).readBigUInt64BE(2), Buffer.from(long).readBigUInt64BE(2))
  t.same([...BrowserBuffer.allocUnsafe(3)], [0, 0, 0])
  for (const [start, end] of [
    [2, 5],
    [0, 3],
    [4, 99],
    [7, 2],
  ] as const)
    t.equal(
      BrowserBuffer.from(long).toString("hex", start, end),
      Buffer.from(long).toString("hex", start, end),
    )
  t.equal(browser.hash("sha256", long, "binary"), node.hash("sha256", long, "binary"))
  t.equal(BrowserBuffer.compare(view, view.subarray(1)), Buffer.compare(view, view.subarray(1)))
  t.ok(BrowserBuffer.from(BrowserBuffer.concat([view, view]).subarray(6)).equals(view))
})

const KINDS = [
  { name: "P-256", make: () => node.generateKeyPairSync("ec", { namedCurve: "P-256" }), digest: "sha256" },
  {
    name: "secp256k1",
    make: () => node.generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
    digest: "sha256",
  },
  { name: "Ed25519", make: () => node.generateKeyPairSync("ed25519"), digest: null },
  { name: "RSA", make: () => node.generateKeyPairSync("rsa", { modulusLength: 2048 }), digest: "sha256" },
] as const

t.test("W12: the browser verifies as Node.js does", async (t) => {
  const message = Buffer.from("pay the supplier")
  for (const { name, make, digest } of KINDS) {
    const { publicKey, privateKey } = make()
    const key = browser.createPublicKey({ key: publicKey.export({ format: "jwk" }), format: "jwk" })
    const signature = node.sign(digest, message, privateKey)
    t.ok(browser.verify(digest, message, key, signature), `${name} verifies`)
    t.notOk(
      browser.verify(digest, Buffer.from("pay the other"), key, signature),
      `${name} refuses another message`,
    )
    for (const at of [0, signature.length - 1]) {
      const altered = Buffer.from(signature)
      altered[at] = (altered[at] ?? 0) ^ 1
      t.notOk(browser.verify(digest, message, key, altered), `${name} refuses an altered signature`)
    }
    t.notOk(browser.verify(digest, message, key, signature.subarray(1)), `${name} refuses a short one`)
    t.notOk(browser.verify(digest, message, key, Buffer.alloc(0)), `${name} refuses none`)
    if (digest !== null) {
      const parts = browser.createVerify(digest).update(message.subarray(0, 5)).update(message.subarray(5))
      t.ok(parts.verify(key, signature), `${name} verifies a message in parts`)
      t.notOk(parts.update("!").verify(key, signature), `${name} refuses a longer message`)
    }
    if (!publicKey.asymmetricKeyType?.startsWith("e")) continue
    const spki = publicKey.export({ format: "der", type: "spki" })
    if (name !== "secp256k1")
      t.ok(
        browser.verify(
          digest,
          message,
          browser.createPublicKey({ key: spki, format: "der", type: "spki" }),
          signature,
        ),
      )
  }
  const { publicKey, privateKey } = node.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const key = browser.createPublicKey({ key: publicKey.export({ format: "jwk" }), format: "jwk" })
  const compact = node.sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
  t.ok(browser.verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, compact))
  t.notOk(browser.verify("sha256", message, key, compact), "one form is not taken for the other")
  t.throws(() =>
    browser.createPublicKey({ key: { kty: "EC", crv: "P-256", x: "AA", y: "AA" }, format: "jwk" }),
  )
  t.throws(() => browser.createPublicKey({ key: { kty: "oct" }, format: "jwk" }), /no key of kind/)
  t.throws(() => browser.createPrivateKey(), /no private key in clear/)
  t.equal(
    browser.createHash("sha256").update("a").update(Buffer.from("b")).digest("hex"),
    browser.hash("sha256", "ab"),
  )
  t.equal(browser.hash("sha384", "ab", "base64url"), node.hash("sha384", "ab", "base64url"))
  t.equal(browser.hash("sha256", "ab", "buffer").toString("hex"), node.hash("sha256", "ab", "hex"))
  const point = Buffer.from(publicKey.export({ format: "der", type: "spki" }).subarray(-65))
  t.equal(
    browser.ECDH.convertKey(point, "prime256v1", undefined, undefined, "compressed").toString("hex"),
    node.ECDH.convertKey(point, "prime256v1", undefined, "hex", "compressed") as string,
  )
})

t.test("the words of a fingerprint are its first 88 bits", async (t) => {
  const eight = (word: string) => Array.from({ length: 8 }, () => word).join("-")
  t.equal(wordsOf("00".repeat(32)), eight("abandon"))
  t.equal(wordsOf("ff".repeat(32)), eight("zoo"))
  // The 88th bit counts, the next one does not.
  t.equal(wordsOf(`${"00".repeat(10)}01${"00".repeat(21)}`), eight("abandon").replace(/abandon$/, "ability"))
  t.equal(wordsOf(`${"00".repeat(11)}${"ff".repeat(21)}`), eight("abandon"))
})

import t from "tap"
import { p256 } from "@noble/curves/nist.js"
import {
  addP256Scalars,
  isP256Scalar,
  p256Point,
  p256PrivateKey,
  readP256Signature,
} from "../../../../signer/core/crypto/p256.ts"
import { compressPoint } from "../../../../signer/enclave/keys/signing/backend.ts"
import { writeDerSignature } from "../../../../signer/core/stamp/der.ts"
import { publishedVectors } from "../../../harness/vectors.ts"
import { fromHex, secretOf, toHex } from "../../enclave/keys/tools.ts"

const { Fn } = p256.Point
const scalar = (value: bigint) => fromHex(value.toString(16).padStart(64, "0"))

t.test("only 1 to n-1 is a private key, although OpenSSL takes more", async (t) => {
  for (const value of [1n, 2n, Fn.ORDER - 1n]) t.ok(isP256Scalar(scalar(value)), `${value}`)
  for (const value of [0n, Fn.ORDER, Fn.ORDER + 1n, (1n << 256n) - 1n]) {
    t.notOk(isP256Scalar(scalar(value)), `${value}`)
    t.throws(() => p256PrivateKey(secretOf(toHex(scalar(value)))), RangeError)
  }
  t.notOk(isP256Scalar(new Uint8Array(31).fill(1)))
  t.notOk(isP256Scalar(new Uint8Array(33).fill(1)))
})

t.test("adds modulo the order at every corner", async (t) => {
  const corners = [0n, 1n, 2n, Fn.ORDER >> 1n, Fn.ORDER - 2n, Fn.ORDER - 1n, (1n << 255n) + 12345n]
  for (const a of corners) {
    for (const b of corners) {
      const sum = scalar(a)
      addP256Scalars(sum, scalar(b))
      t.equal(toHex(sum), toHex(scalar((a + b) % Fn.ORDER)))
    }
  }
})

t.test("points have the form of another implementation", async (t) => {
  for (const value of [1n, 2n, 3n, Fn.ORDER - 1n, 0xabcdefn]) {
    const point = p256Point(p256PrivateKey(secretOf(toHex(scalar(value)))))
    t.equal(toHex(point), toHex(p256.getPublicKey(scalar(value), false)))
    t.equal(toHex(compressPoint(point)), toHex(p256.getPublicKey(scalar(value), true)))
  }
})

t.test("only an uncompressed point is compressed", async (t) => {
  t.throws(() => compressPoint(new Uint8Array(65)), RangeError)
  t.throws(() => compressPoint(p256.getPublicKey(scalar(1n), true)), RangeError)
})

const derOf = (r: bigint, s: bigint) => Buffer.from(writeDerSignature(Buffer.concat([scalar(r), scalar(s)])))

t.test("lowers s where it is high, and only there", async (t) => {
  const half = Fn.ORDER >> 1n
  const withS = (s: bigint) => readP256Signature(derOf(5n, s))
  t.equal(withS(half), toHex(scalar(5n)) + toHex(scalar(half)))
  t.equal(withS(half + 1n), toHex(scalar(5n)) + toHex(scalar(Fn.ORDER - half - 1n)))
  t.equal(withS(Fn.ORDER - 1n), toHex(scalar(5n)) + toHex(scalar(1n)))
})

t.test("reads signatures of every length that DER gives them", async (t) => {
  const low = (Fn.ORDER >> 1n) - 1n
  for (const r of [1n, 127n, 128n, 1n << 200n, 1n << 255n, Fn.ORDER - 1n])
    for (const s of [1n, 127n, 128n, 1n << 200n, low])
      t.equal(readP256Signature(derOf(r, s)), toHex(scalar(r)) + toHex(scalar(s)))
})

t.test("bytes that are no DER signature are a fault", async (t) => {
  const der = derOf(1n << 255n, 1n << 200n)
  const altered = (at: number, byte: number) => Buffer.from(der.map((old, i) => (i === at ? byte : old)))
  const bad = [altered(0, 0x31), altered(1, 9), altered(2, 3), altered(3, 34), altered(3, 0), altered(37, 3)]
  bad.push(der.subarray(0, -1), Buffer.concat([der, Buffer.of(0)]), Buffer.alloc(0))
  for (const bytes of bad) t.throws(() => readP256Signature(bytes), RangeError, toHex(bytes))
})

type Rejection = { privateKey: string; message: string; r: string; s: string }[]
const rejection = publishedVectors<Rejection>("cctv/rfc6979-p256-rejection.json")

t.test("the nonce of RFC 6979 is drawn again where it must be", rejection.options, async (t) => {
  for (const { privateKey, message, r, s } of rejection.read()) {
    const signature = p256.sign(Buffer.from(message), fromHex(privateKey), { lowS: false })
    t.equal(toHex(signature), r + s)
  }
})

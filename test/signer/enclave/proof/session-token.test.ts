import { generateKeyPairSync, sign, verify } from "node:crypto"
import { verifySessionJwtSignature } from "@turnkey/crypto"
import fc from "fast-check"
import t from "tap"
import { tokenText } from "../../../../signer/core/token-text.ts"
import { writeSessionToken } from "../../../../signer/enclave/proof/session-token.ts"

import { p256Point } from "../../../../signer/core/crypto/p256.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { runsOf } from "../../../harness/long.ts"

type Vectors = {
  own: { key: string; payload: string; text: string; token: string; signedOnce: string }
  scoped: { payload: string; text: string; token: string }
  published: { payload: string; token: string }
}
const vectors = ownVectors<Vectors>("session-tokens")
const HEADER = { alg: "ES256", typ: "JWT" }

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const notarizer = Buffer.from(p256Point(pair.publicKey)).toString("hex")
const signTwiceHashed = (message: Uint8Array) =>
  sign("sha256", message, { key: pair.privateKey, dsaEncoding: "ieee-p1363" })

const claims = {
  expiresAtMs: 4102444800999n,
  publicKey: "02c5788bd7036eb2a87c00c6e776e93e0ed431bebdd4f1d531fd392772d5e97db0",
  userId: "5f0c2f6f-8c52-4a56-9d0b-1f7c6a9e4d21",
  organizationId: "3c7d7c8e-58a7-4d2c-9a53-6f0a2f3f6b10",
}

t.test("a session token has the members of published tokens, in their order, in whole seconds", async (t) => {
  const [header, payload] = writeSessionToken(claims, signTwiceHashed).split(".")
  t.equal(`${header}.${payload}`, vectors.own.text)
  t.equal(Buffer.from(payload!, "base64url").toString(), vectors.own.payload)
})

t.test(
  "published clients verify a session token, and none that was altered or is of another key",
  async (t) => {
    const token = writeSessionToken(claims, signTwiceHashed)
    t.ok(await verifySessionJwtSignature(token, notarizer))
    t.notOk(await verifySessionJwtSignature(token, vectors.own.key))
    const later = writeSessionToken({ ...claims, expiresAtMs: 4102444801000n }, signTwiceHashed)
    const [, , signature] = token.split(".")
    const [header, payload] = later.split(".")
    t.notOk(await verifySessionJwtSignature(`${header}.${payload}.${signature}`, notarizer))
  },
)

t.test("a session token equals tokens made elsewhere", async (t) => {
  const { own, scoped, published } = vectors
  t.ok(await verifySessionJwtSignature(own.token, own.key))
  t.ok(await verifySessionJwtSignature(scoped.token, own.key))
  t.ok(await verifySessionJwtSignature(published.token), "under the key that clients pin")
  t.notOk(await verifySessionJwtSignature(own.signedOnce, own.key), "an ordinary ES256 token is none")
  t.equal(tokenText(HEADER, JSON.parse(scoped.payload)), scoped.text, "a scope with > is escaped")
  t.equal(tokenText(HEADER, JSON.parse(published.payload)), published.token.replace(/\.[^.]+$/, ""))
})

t.test(
  "a session token does not verify over the text itself, as an ordinary ES256 token would",
  async (t) => {
    const token = writeSessionToken(claims, signTwiceHashed)
    const dot = token.lastIndexOf(".")
    const [text, signature] = [token.slice(0, dot), Buffer.from(token.slice(dot + 1), "base64url")]
    const key = { key: pair.publicKey, dsaEncoding: "ieee-p1363" } as const
    t.equal(signature.length, 64)
    t.notOk(verify("sha256", Buffer.from(text), key, signature))
  },
)

t.test("plain base64 decoders read a session token, whatever its payload", async (t) => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(">", "?", "~", "\u007f", "ä", "😀", "\\", '"', "a") }),
  )
  const { failed, counterexample } = fc.check(
    fc.property(texts, texts, (scope, name) => {
      const payload = { scope, name }
      const segment = tokenText(HEADER, payload).split(".")[1]!
      return !/[-_]/.test(segment) && JSON.stringify(JSON.parse(atob(segment))) === JSON.stringify(payload)
    }),
    { numRuns: runsOf(2000) },
  )
  t.notOk(failed, JSON.stringify(counterexample))
})

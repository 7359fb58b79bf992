import { createPublicKey, diffieHellman, verify } from "node:crypto"
import { inspect } from "node:util"
import t from "tap"
import { openKeySet, signMessage } from "../../../../signer/core/crypto/keyset.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { secretOf } from "../../enclave/keys/tools.ts"

type KeySetVector = { seed: string; encryptPrivate: string; signPrivate: string; public: string }
const vector = ownVectors<KeySetVector>("key-set")

t.test("opens the published key set", async (t) => {
  const keySet = openKeySet(secretOf(vector.seed))
  t.equal(keySet.publicHex, vector.public)
  const scalar = (key: { export(options: { format: "jwk" }): { d?: string } }) =>
    Buffer.from(key.export({ format: "jwk" }).d ?? "", "base64url").toString("hex")
  t.equal(scalar(keySet.encrypt.privateKey), vector.encryptPrivate)
  t.equal(scalar(keySet.sign), vector.signPrivate)
})

t.test("signs messages so that its public key verifies them, 64 bytes each", async (t) => {
  const keySet = openKeySet(secretOf(vector.seed))
  const message = Buffer.from("hello")
  const signature = signMessage(keySet, message)
  t.equal(signature.length, 64)
  const key = createPublicKey(keySet.sign)
  t.ok(verify("sha256", message, { key, dsaEncoding: "ieee-p1363" }, signature))
  t.notOk(verify("sha256", Buffer.from("hallo"), { key, dsaEncoding: "ieee-p1363" }, signature))
})

t.test("the encrypting pair agrees on secrets", async (t) => {
  const ours = openKeySet(secretOf(vector.seed)).encrypt
  const theirs = openKeySet(secretOf("07".repeat(32))).encrypt
  t.same(
    diffieHellman({ privateKey: ours.privateKey, publicKey: theirs.publicKey }),
    diffieHellman({ privateKey: theirs.privateKey, publicKey: ours.publicKey }),
  )
})

t.test("refuses a seed of another length, and prints no key", async (t) => {
  t.throws(() => openKeySet(secretOf("07".repeat(31))), RangeError)
  t.notMatch(inspect(openKeySet(secretOf(vector.seed)), { depth: 9 }), vector.signPrivate)
})

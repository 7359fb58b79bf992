import t from "tap"
import {
  isSignedTagged,
  openKeySet,
  readPublicKeySet,
  signTagged,
} from "../../../../signer/core/crypto/keyset.ts"
import { p256Point } from "../../../../signer/core/crypto/p256.ts"
import { ownVectors } from "../../../harness/vectors.ts"
import { secretOf } from "../../enclave/keys/tools.ts"

const vector = ownVectors<{ seed: string; public: string; encryptPublic: string; signPublic: string }>(
  "key-set",
)

t.test("reads the published public form in its two halves", async (t) => {
  const keys = readPublicKeySet(vector.public)
  const hex = (key: Parameters<typeof p256Point>[0]) => Buffer.from(p256Point(key)).toString("hex")
  t.equal(keys && hex(keys.encrypt), vector.encryptPublic)
  t.equal(keys && hex(keys.sign), vector.signPublic)
})

t.test("refuses what is no pair of uncompressed points", async (t) => {
  const { public: hex } = vector
  const faulty = [
    "",
    hex.slice(2),
    `${hex}00`,
    hex.toUpperCase(),
    `02${hex.slice(2)}`,
    `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`,
    "0".repeat(260),
  ]
  for (const text of faulty) t.equal(readPublicKeySet(text), undefined, text.slice(0, 8))
})

t.test("a tagged signature holds for its tag, bytes and key alone", async (t) => {
  const ours = openKeySet(secretOf(vector.seed))
  const theirs = openKeySet(secretOf("07".repeat(32)))
  const key = readPublicKeySet(ours.publicHex)!.sign
  const bytes = Buffer.from("bytes")
  const signature = signTagged(ours, "tag", bytes)
  t.ok(isSignedTagged(key, "tag", bytes, signature))
  t.notOk(isSignedTagged(key, "other", bytes, signature))
  t.notOk(isSignedTagged(key, "tag", Buffer.from("bytez"), signature))
  t.notOk(isSignedTagged(key, "tag\0b", Buffer.from("ytes"), signature), "a byte moved from one to the other")
  t.notOk(isSignedTagged(readPublicKeySet(theirs.publicHex)!.sign, "tag", bytes, signature))
  t.notOk(isSignedTagged(key, "tag", bytes, new Uint8Array(0)))
})

import { createHash } from "node:crypto"
import t, { type Test } from "tap"
import { schnorr, secp256k1 as oracle } from "@noble/curves/secp256k1.js"
import {
  ENGINES,
  loadEngine,
  type Secp256k1Engine,
  secp256k1,
} from "../../../../signer/enclave/keys/engine.ts"
import { fromHex, toHex } from "./tools.ts"

const ORDER = oracle.Point.Fn.ORDER
const scalar = (value: bigint) => fromHex(value.toString(16).padStart(64, "0"))
const digestOf = (text: string) => createHash("sha256").update(text).digest()

t.test("the first engine that loads is chosen", async (t) => {
  t.ok(ENGINES.includes(secp256k1.name))
  const best = await loadEngine("libsecp256k1").catch(() => undefined)
  if (best !== undefined) t.equal(secp256k1.name, "libsecp256k1")
})

for (const name of ENGINES) {
  const engine = await loadEngine(name).catch(() => undefined)
  const skip = engine === undefined ? "has no build for this host" : false
  t.test(`${name} agrees with noble`, { skip }, (t) => compare(t, engine as Secp256k1Engine))
}

async function compare(t: Test, engine: Secp256k1Engine): Promise<void> {
  t.equal(engine.name, t.name.split(" ")[0])
  for (let i = 0; i < 40; i++) {
    const key = digestOf(`key ${i}`)
    const digest = digestOf(`message ${i}`)
    const { signature, recovery } = engine.sign(digest, key)
    const expected = oracle.sign(digest, key, { prehash: false, format: "recovered" })
    t.equal(toHex(Uint8Array.of(recovery, ...signature)), toHex(expected))
    t.ok(oracle.verify(signature, digest, engine.publicKey(key, true), { prehash: false, lowS: true }))
    t.equal(
      toHex(engine.signSchnorr(digest, key)),
      toHex(schnorr.sign(digest, key, new Uint8Array(32))),
      "BIP-340",
    )
    t.equal(toHex(engine.publicKey(key, true)), toHex(oracle.getPublicKey(key, true)))
    t.equal(toHex(engine.publicKey(key, false)), toHex(oracle.getPublicKey(key, false)))
  }
  const sum = scalar(ORDER - 5n)
  engine.addToPrivateKey(sum, scalar(12n))
  t.equal(toHex(sum), toHex(scalar(7n)))
  t.throws(() => engine.addToPrivateKey(scalar(ORDER - 5n), scalar(5n)), "a sum of 0")
  t.throws(() => engine.addToPrivateKey(scalar(3n), scalar(ORDER)), "an addend out of range")
  const negated = scalar(5n)
  engine.negatePrivateKey(negated)
  t.equal(toHex(negated), toHex(scalar(ORDER - 5n)))
  const two = engine.publicKey(scalar(2n), true)
  t.equal(toHex(engine.addToPoint(two, scalar(5n))), toHex(engine.publicKey(scalar(7n), true)))
  t.throws(() => engine.addToPoint(two, scalar(ORDER - 2n)), "a sum that is no point")
  t.throws(() => engine.addToPoint(two, scalar(ORDER)), "a scalar out of range")
  t.throws(() => engine.addToPoint(Uint8Array.of(2, ...new Uint8Array(32)), scalar(5n)), "no point")
  for (const key of [scalar(0n), scalar(ORDER), new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
    t.notOk(engine.isPrivateKey(key))
    t.throws(() => engine.sign(digestOf("x"), key))
    t.throws(() => engine.signSchnorr(digestOf("x"), key))
    t.throws(() => engine.negatePrivateKey(Uint8Array.from(key)))
    t.throws(() => engine.publicKey(key, true))
  }
  t.ok(engine.isPrivateKey(scalar(ORDER - 1n)))
  t.throws(() => engine.sign(new Uint8Array(31), scalar(1n)), "a short digest")
  t.throws(() => engine.sign(new Uint8Array(33), scalar(1n)), "a long digest")
  for (const length of [31, 33]) t.throws(() => engine.signSchnorr(new Uint8Array(length), scalar(1n)))
}

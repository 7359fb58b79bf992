import t from "tap"
import { elementAt } from "../../../../signer/core/crypto/element.ts"
import { type SealBinding, seal, sealEpoch, unseal } from "../../../../signer/enclave/keys/seal.ts"
import { publishedVectors } from "../../../harness/vectors.ts"
import { xchacha20poly1305 } from "@noble/ciphers/chacha.js"
import {
  countingRandom,
  dangerouslyRevealText,
  fromHex,
  refusalOf,
  secretOf,
  secretText,
  toHex,
} from "./tools.ts"

const key = secretOf("11".repeat(32))
const binding: SealBinding = { kind: "wallet", organizationId: "org-1", id: "w-1", version: 7n, epoch: 3 }
const blob = seal(key, binding, secretText("abandon about"), countingRandom(1))

// Every release must open this blob: change it only together with the format's number.
const GOLDEN =
  "01000000030102030405060708090a0b0c0d0e0f101112131415161718" +
  "e6acfa6e2f5a7495238b27b1f3399293b0810c091874c853532edaf219"

t.test("a sealed secret opens with the same key and binding", async (t) => {
  t.equal(dangerouslyRevealText(unseal(key, binding, blob)), "abandon about")
  t.equal(sealEpoch(blob), 3)
})

t.test("the golden blob of format 1 opens, and sealing reproduces it", async (t) => {
  t.equal(toHex(blob), GOLDEN)
  t.equal(dangerouslyRevealText(unseal(key, binding, fromHex(GOLDEN))), "abandon about")
})

t.test("a sealed blob has the documented bytes", async (t) => {
  const part = (hex: string) => (hex.length / 2).toString(16).padStart(8, "0") + hex
  const texts = ["countersign/v1/seal", "wallet", "org-1", "w-1"].map((text) =>
    part(Buffer.from(text).toString("hex")),
  )
  const associated = texts.join("") + part("01_0000000000000007_00000003".replaceAll("_", ""))
  const cipher = xchacha20poly1305(fromHex("11".repeat(32)), blob.subarray(5, 29), fromHex(associated))
  t.equal(Buffer.from(cipher.decrypt(blob.subarray(29))).toString(), "abandon about")
})

t.test("opening requires every member of the binding", async (t) => {
  const others: SealBinding[] = [
    { ...binding, kind: "secret" },
    { ...binding, organizationId: "org-2" },
    { ...binding, id: "w-2" },
    { ...binding, version: 8n },
    { ...binding, epoch: 4 },
    { ...binding, organizationId: "org-1w", id: "-1" },
    { ...binding, kind: "walletorg-1", organizationId: "" },
    { ...binding, version: -1n },
  ]
  for (const other of others) {
    t.match(
      refusalOf(() => unseal(key, other, blob)),
      { code: "SEAL_BROKEN", message: "a sealed secret does not open" },
    )
  }
})

t.test(
  "altered, shortened or lengthened blobs do not open, and all faults have the same refusal",
  async (t) => {
    const sentences = new Set<string>()
    const broken = (bytes: Uint8Array) => {
      const refusal = refusalOf(() => unseal(key, binding, bytes))
      t.equal(refusal?.code, "SEAL_BROKEN")
      sentences.add(refusal?.message ?? "")
    }
    for (let i = 0; i < blob.length; i++) {
      const altered = Uint8Array.from(blob)
      altered[i] = elementAt(altered, i) ^ 0x01
      broken(altered)
      broken(blob.subarray(0, i))
    }
    broken(Uint8Array.of(...blob, 0))
    t.equal(refusalOf(() => unseal(secretOf("22".repeat(32)), binding, blob))?.code, "SEAL_BROKEN")
    t.equal(refusalOf(() => unseal(secretOf("22"), binding, blob))?.code, "SEAL_BROKEN")
    t.equal(sentences.size, 1)
  },
)

t.test("sealing twice gives different blobs, and an empty secret can be sealed", async (t) => {
  t.notSame(
    seal(key, binding, secretText("x"), countingRandom(1)),
    seal(key, binding, secretText("x"), countingRandom(2)),
  )
  t.equal(unseal(key, binding, seal(key, binding, secretText(""), countingRandom())).length, 0)
})

t.test("a key, nonce, version or epoch of the wrong size is an error", async (t) => {
  const text = secretText("x")
  t.throws(() => seal(secretOf("11"), binding, text, countingRandom()), RangeError)
  t.throws(() => seal(key, binding, text, () => new Uint8Array(12)), RangeError)
  t.throws(() => seal(key, { ...binding, version: 1n << 64n }, text, countingRandom()), RangeError)
  t.throws(() => seal(key, { ...binding, epoch: 1.5 }, text, countingRandom()), RangeError)
})

type Wycheproof = {
  testGroups: {
    tests: {
      tcId: number
      key: string
      iv: string
      aad: string
      msg: string
      ct: string
      tag: string
      result: string
    }[]
  }[]
}
const wycheproof = publishedVectors<Wycheproof>("wycheproof/xchacha20_poly1305_test.json")

t.test("the cipher agrees with the Wycheproof vectors", wycheproof.options, async (t) => {
  const tests = wycheproof.read().testGroups.flatMap((group) => group.tests)
  const wrong = tests.filter(({ key, iv, aad, msg, ct, tag, result }) => {
    try {
      const opened = xchacha20poly1305(fromHex(key), fromHex(iv), fromHex(aad)).decrypt(fromHex(ct + tag))
      return result !== "valid" || toHex(opened) !== msg
    } catch {
      return result === "valid"
    }
  })
  t.strictSame(
    wrong.map(({ tcId }) => tcId),
    [],
  )
  t.equal(tests.length, 315)
})

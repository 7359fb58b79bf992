import { createHash } from "node:crypto"
import { schnorr } from "@noble/curves/secp256k1.js"
import { initEccLib, payments } from "bitcoinjs-lib"
import t from "tap"
import * as ecc from "tiny-secp256k1"
import { bitcoinAddress } from "../../../../../signer/enclave/keys/address/bitcoin.ts"
import { tapTweakOf, taprootOutputKey } from "../../../../../signer/enclave/keys/address/taproot.ts"
import { SigningKey } from "../../../../../signer/enclave/keys/signing-key.ts"
import { publishedVectors } from "../../../../harness/vectors.ts"
import { fromHex, secretOf, toHex } from "../tools.ts"

type Bip341 = {
  scriptPubKey: {
    given: { internalPubkey: string; scriptTree: unknown }
    intermediary: { merkleRoot: string | null; tweak: string; tweakedPubkey: string }
    expected: { bip350Address: string }
  }[]
  keyPathSpending: {
    inputSpending: {
      given: { internalPrivkey: string; merkleRoot: string | null }
      intermediary: { sigHash: string }
      expected: { witness: [string] }
    }[]
  }[]
}
const bip341 = publishedVectors<Bip341>("bips/bip-0341.json")

const rootOf = (merkleRoot: string | null) => (merkleRoot === null ? undefined : fromHex(merkleRoot))

t.test(
  "keys are tweaked as in the BIP-341 vectors, with and without script tree",
  bip341.options,
  async (t) => {
    const all = bip341.read().scriptPubKey
    t.equal(all.length, 7)
    for (const { given, intermediary, expected } of all) {
      const root = rootOf(intermediary.merkleRoot)
      t.equal(toHex(tapTweakOf(fromHex(given.internalPubkey), root)), intermediary.tweak)
      for (const parity of ["02", "03"]) {
        const key = fromHex(parity + given.internalPubkey)
        t.equal(toHex(taprootOutputKey(key, root)), intermediary.tweakedPubkey)
        if (given.scriptTree === null) t.equal(bitcoinAddress("MAINNET", "P2TR", key), expected.bip350Address)
      }
    }
  },
)

const taprootKey = (privateKey: string) =>
  new SigningKey({ curve: "CURVE_SECP256K1", secret: secretOf(privateKey) }, "taproot")

t.test("keys sign as in the BIP-341 vectors, with and without script tree", bip341.options, async (t) => {
  const inputs = bip341.read().keyPathSpending.flatMap(({ inputSpending }) => inputSpending)
  t.equal(inputs.length, 7)
  for (const { given, intermediary, expected } of inputs) {
    const key = taprootKey(given.internalPrivkey)
    const digest = fromHex(intermediary.sigHash)
    const { r, s } = key.sign({ digest, merkleRoot: rootOf(given.merkleRoot) })
    t.equal(r + s, expected.witness[0].slice(0, 128), "the rest is the type of the hash")
  }
})

t.test(
  "Taproot signatures verify with the output key of another library, for both parities of y",
  async (t) => {
    initEccLib(ecc)
    const parities = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const [privateKey, digest] = [`key ${i}`, `digest ${i}`].map((text) =>
        createHash("sha256").update(text).digest("hex"),
      )
      const key = taprootKey(privateKey ?? "")
      const { r, s, v } = key.sign({ digest: fromHex(digest ?? "") })
      const { pubkey } = payments.p2tr({ internalPubkey: fromHex(key.publicKeyHex.slice(2)) })
      t.ok(schnorr.verify(fromHex(r + s), fromHex(digest ?? ""), pubkey ?? new Uint8Array()))
      t.equal(v, "00")
      parities.add(key.publicKeyHex.slice(0, 2))
    }
    t.equal(parities.size, 2)
  },
)

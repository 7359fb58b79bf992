import t from "tap"
import { HDKey } from "@scure/bip32"
import {
  derivePrivateKey,
  deriveKey,
  LastPaths,
  SeedKeys,
} from "../../../../signer/enclave/keys/derive/index.ts"
import type { Curve } from "../../../../signer/core/crypto/curve.ts"
import { type ExtendedKey, KeyTree, type Scheme } from "../../../../signer/enclave/keys/derive/scheme.ts"
import { parsePath } from "../../../../signer/core/address/path.ts"
import { ownVectors, publishedVectors } from "../../../harness/vectors.ts"
import { dangerouslyRevealHex, secretOf, toHex } from "./tools.ts"

type Own = {
  mnemonics: Record<string, { seed: string }>
  keys: {
    mnemonic: string
    curve: Curve
    path: string
    privateKey: string
    publicKey: string
    uncompressed?: string
  }[]
}
const own = ownVectors<Own>("derivations")

t.test("deriveKey returns the keys of the project's vectors on all three curves", async (t) => {
  for (const { mnemonic, curve, path, privateKey, publicKey, uncompressed } of own.keys) {
    const seed = secretOf(own.mnemonics[mnemonic]?.seed ?? "")
    const key = deriveKey(curve, seed, parsePath(path))
    t.equal(
      dangerouslyRevealHex(derivePrivateKey(curve, seed, parsePath(path)).secret),
      privateKey,
      `${curve} ${path}`,
    )
    t.equal(key.publicKeyHex, publicKey)
    t.equal(key.publicKeyUncompressed, uncompressed)
  }
})

t.test("on Ed25519 an index without a mark is hardened", async (t) => {
  const seed = secretOf("07".repeat(64))
  const keys = ["m/44'/501'/0'/0", "m/44'/501'/0'/0'"].map((path) =>
    deriveKey("CURVE_ED25519", seed, parsePath(path)),
  )
  t.equal(keys[0]?.publicKeyHex, keys[1]?.publicKeyHex)
})

t.test("deriveKey agrees with another implementation of BIP-32 along random paths", async (t) => {
  for (let i = 0; i < 20; i++) {
    const seed = toHex(Uint8Array.from({ length: 16 + i * 2 }, (_, at) => (at * 7 + i) & 0xff))
    const path = `m/${i}'/${i * 1000}/${2147483647 - i}'/${i}`
    const expected = HDKey.fromMasterSeed(Buffer.from(seed, "hex")).derive(path).privateKey
    const { secret } = derivePrivateKey("CURVE_SECP256K1", secretOf(seed), parsePath(path))
    t.equal(dangerouslyRevealHex(secret), toHex(expected ?? new Uint8Array()))
  }
})

t.test("derivation wipes every intermediate key, also when a child fails", async (t) => {
  const made: ExtendedKey[] = []
  const make = (byte: number): ExtendedKey => {
    const key = { key: new Uint8Array(32).fill(byte), chainCode: new Uint8Array(32).fill(byte) }
    made.push(key)
    return key
  }
  const scheme: Scheme = {
    master: () => make(1),
    child: (_, index) => {
      if (index === 9) throw new RangeError("no child")
      return make(index)
    },
  }
  const tree = new KeyTree(scheme, secretOf("07".repeat(32)))
  t.equal(dangerouslyRevealHex(tree.derive([2, 3])), "03".repeat(32))
  t.throws(() => tree.derive([4, 9]), RangeError)
  t.equal(made.length, 4)
  t.equal(
    dangerouslyRevealHex(tree.derive([4, 5])),
    "05".repeat(32),
    "goes on from the levels that are there",
  )
  t.equal(made.length, 5)
  t.equal(dangerouslyRevealHex(tree.derive([])), "01".repeat(32))
  tree.wipe()
  for (const { key, chainCode } of made) t.ok([...key, ...chainCode].every((byte) => byte === 0))
})

t.test("many keys of one seed are those that are derived one by one, in any order of paths", async (t) => {
  const seed = secretOf("5a".repeat(64))
  const paths = [
    "m/44'/60'/0'/0/0",
    "m/44'/60'/0'/0/1",
    "m/44'/60'/1'/0/1",
    "m/44'",
    "m/1/2/3",
    "m/1/2",
    "m/1/2/4",
  ]
  const hardened = ["m/44'/501'/0'", "m/44'/501'/1'", "m/44'", "m/44'/501'/1'/7'"]
  const keys = new SeedKeys(seed)
  const all: [Curve, string][] = [
    ...paths.flatMap((path): [Curve, string][] => [
      ["CURVE_SECP256K1", path],
      ["CURVE_P256", path],
    ]),
    ...hardened.map((path): [Curve, string] => ["CURVE_ED25519", path]),
  ]
  for (const [curve, path] of all) {
    const alone = deriveKey(curve, seed, parsePath(path))
    t.equal(keys.derive(curve, parsePath(path)).publicKeyHex, alone.publicKeyHex, `${curve} ${path}`)
  }
  keys.wipe()
})

t.test(
  "C-1940: a path with the first level of the last one is derived without the seed, any other from it",
  async (t) => {
    const hex = "5a".repeat(64)
    let opened = 0
    const openSeed = () => {
      opened += 1
      return secretOf(hex)
    }
    const last = new LastPaths()
    const asked: [Curve, string, number][] = [
      ["CURVE_SECP256K1", "m/44'/60'/0'/0/0", 1],
      ["CURVE_SECP256K1", "m/44'/60'/0'/0/1", 1],
      ["CURVE_SECP256K1", "m/44'/60'/7'/0/0", 1],
      ["CURVE_SECP256K1", "m/44'", 1],
      ["CURVE_SECP256K1", "m/44'/60'/7'/0/0", 1],
      ["CURVE_P256", "m/44'/60'/0'/0/0", 2],
      ["CURVE_ED25519", "m/44'/501'/0'/0'", 3],
      ["CURVE_ED25519", "m/44'/501'/9'/0'", 3],
      ["CURVE_SECP256K1", "m/84'/0'/0'/0/0", 4],
      ["CURVE_SECP256K1", "m/44'/60'/0'/0/1", 5],
    ]
    for (const [curve, path, seeds] of asked) {
      const alone = deriveKey(curve, secretOf(hex), parsePath(path))
      t.equal(last.derive(curve, parsePath(path), openSeed).publicKeyHex, alone.publicKeyHex, path)
      t.equal(opened, seeds, `${curve} ${path}`)
    }
    const ofMaster = last.derive("CURVE_SECP256K1", { text: "m", indices: [] }, openSeed).publicKeyHex
    t.equal(ofMaster, deriveKey("CURVE_SECP256K1", secretOf(hex), { text: "m", indices: [] }).publicKeyHex)
    last.wipe()
    last.derive("CURVE_ED25519", parsePath("m/44'/501'/0'/0'"), openSeed)
    t.equal(opened, 7, "nothing is left once it was wiped")
  },
)

t.test("a key tree without its master key derives no other first level", async (t) => {
  const made: ExtendedKey[] = []
  const make = (byte: number): ExtendedKey => {
    const key = { key: new Uint8Array(32).fill(byte), chainCode: new Uint8Array(32).fill(byte) }
    made.push(key)
    return key
  }
  const tree = new KeyTree(
    { master: () => make(1), child: (_, index) => make(index) },
    secretOf("07".repeat(32)),
  )
  tree.derive([2, 3])
  tree.wipeMaster()
  const [master, second] = made
  t.ok([...master!.key, ...master!.chainCode].every((byte) => byte === 0))
  t.ok(
    second!.key.every((byte) => byte === 2),
    "the path's own keys stay",
  )
  t.equal(dangerouslyRevealHex(tree.derive([2, 5])), "05".repeat(32))
  for (const indices of [[], [4], [4, 3]]) {
    t.notOk(tree.reaches(indices))
    t.throws(() => tree.derive(indices), /wiped master key/)
  }
})

t.test("seeds that are too short or too long are refused", async (t) => {
  for (const length of [0, 15, 65]) {
    t.throws(() => deriveKey("CURVE_SECP256K1", secretOf("01".repeat(length)), parsePath("m/0")), RangeError)
  }
})

type Slip10 = {
  title: string
  curve: string
  seed: string
  chain: { path: string; private: string; public: string }[]
}[]
const slip10 = publishedVectors<Slip10>("slip10/slip-0010.json")
const curves: Record<string, Curve> = {
  secp256k1: "CURVE_SECP256K1",
  nist256p1: "CURVE_P256",
  ed25519: "CURVE_ED25519",
}

t.test(
  "deriveKey returns the keys of the published SLIP-0010 vectors, including retries",
  slip10.options,
  async (t) => {
    let count = 0
    for (const { title, curve, seed, chain } of slip10.read()) {
      const name = curves[curve]
      if (name === undefined) continue
      for (const link of chain) {
        const path = link.path === "m" ? { text: "m", indices: [] } : parsePath(link.path)
        const key = deriveKey(name, secretOf(seed), path)
        t.equal(
          dangerouslyRevealHex(derivePrivateKey(name, secretOf(seed), path).secret),
          link.private,
          `${title} ${link.path}`,
        )
        t.equal(key.publicKeyHex, name === "CURVE_ED25519" ? link.public.slice(2) : link.public)
        count++
      }
    }
    t.equal(count, 40)
  },
)

type Bip32 = { valid: { seed: string; chain: { path: string; xprv: string; xpub: string }[] }[] }
const bip32 = publishedVectors<Bip32>("bips/bip-0032.json")

t.test("deriveKey returns the keys of the published BIP-32 vectors", bip32.options, async (t) => {
  let count = 0
  for (const { seed, chain } of bip32.read().valid) {
    for (const { path, xprv, xpub } of chain) {
      const expected = HDKey.fromExtendedKey(xprv).privateKey ?? new Uint8Array()
      const parsed = path === "m" ? { text: "m", indices: [] } : parsePath(path)
      const { secret } = derivePrivateKey("CURVE_SECP256K1", secretOf(seed), parsed)
      t.equal(dangerouslyRevealHex(secret), toHex(expected), path)
      const { publicKeyHex } = deriveKey("CURVE_SECP256K1", secretOf(seed), parsed)
      t.equal(publicKeyHex, toHex(HDKey.fromExtendedKey(xpub).publicKey ?? new Uint8Array()), path)
      count++
    }
  }
  t.equal(count, 17)
})

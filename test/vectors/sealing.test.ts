// The primitives that seal bundles: AES-256-GCM, key agreement on P-256, and HKDF of the keys at rest.
import { diffieHellman } from "node:crypto"
import t from "tap"
import { openAesGcm, sealAesGcm } from "../../signer/core/crypto/aes-gcm.ts"
import { expand } from "../../signer/core/crypto/branch.ts"
import { p256PrivateKey, p256PublicKey } from "../../signer/core/crypto/p256.ts"
import { publishedVectors } from "../harness/vectors.ts"
import { dangerouslyRevealHex, fromHex, secretOf, toHex } from "../signer/enclave/keys/tools.ts"

type File<Group> = { testGroups: Group[] }
type Aead = File<{
  keySize: number
  ivSize: number
  tests: {
    comment: string
    key: string
    iv: string
    aad: string
    msg: string
    ct: string
    tag: string
    result: string
  }[]
}>
const aesGcm = publishedVectors<Aead>("wycheproof/aes_gcm_test.json")

t.test(
  "AES-256-GCM seals and opens the vectors of Wycheproof, and refuses the invalid ones",
  aesGcm.options,
  async (t) => {
    const groups = aesGcm.read().testGroups.filter(({ keySize, ivSize }) => keySize === 256 && ivSize === 96)
    const counts = { valid: 0, invalid: 0 }
    for (const { comment, key, iv, aad, msg, ct, tag, result } of groups.flatMap(({ tests }) => tests)) {
      const parameters = { key: fromHex(key), nonce: fromHex(iv), aad: fromHex(aad) }
      const opened = openAesGcm(parameters, fromHex(ct + tag))
      if (result === "valid") {
        counts.valid++
        t.equal(opened && dangerouslyRevealHex(opened), msg, comment)
        t.equal(toHex(sealAesGcm(parameters, secretOf(msg))), ct + tag, comment)
      } else {
        counts.invalid++
        t.equal(opened, undefined, comment)
      }
    }
    t.same(counts, { valid: 39, invalid: 27 })
  },
)

type Agreement = File<{
  tests: { comment: string; public: string; private: string; shared: string; result: string }[]
}>
const ecdh = publishedVectors<Agreement>("wycheproof/ecdh_secp256r1_ecpoint_test.json")

t.test("P-256 key agreement accepts uncompressed points of the curve only", ecdh.options, async (t) => {
  const counts = { agreed: 0, refused: 0 }
  for (const { comment, result, ...vector } of ecdh.read().testGroups.flatMap(({ tests }) => tests)) {
    const publicKey = p256PublicKey(fromHex(vector.public))
    if (publicKey === undefined) {
      counts.refused++
      t.not(result, "valid", comment)
      continue
    }
    counts.agreed++
    const privateKey = p256PrivateKey(secretOf(vector.private.padStart(64, "0").slice(-64)))
    t.equal(diffieHellman({ privateKey, publicKey }).toString("hex"), vector.shared, comment)
  }
  t.same(counts, { agreed: 330, refused: 25 })
})

type Hkdf = File<{
  tests: {
    comment: string
    ikm: string
    salt: string
    info: string
    size: number
    okm: string
    result: string
  }[]
}>
const hkdf = publishedVectors<Hkdf>("wycheproof/hkdf_sha512_test.json")

t.test("HKDF-SHA512 returns the vectors of Wycheproof", hkdf.options, async (t) => {
  const tests = hkdf.read().testGroups.flatMap((group) => group.tests)
  for (const { comment, ikm, salt, info, size, okm, result } of tests) {
    const run = () => dangerouslyRevealHex(expand(secretOf(ikm), fromHex(salt), fromHex(info), size))
    if (result === "valid") t.equal(run(), okm, comment)
    else t.throws(run, { code: "ERR_CRYPTO_INVALID_KEYLEN" }, comment)
  }
  t.equal(tests.length, 83)
})

import t from "tap"
import type { StampScheme } from "../../../../signer/core/stamp/keys.ts"
import { verifyStamp } from "../../../../signer/core/stamp/verify.ts"
import { publishedVectors } from "../../../harness/vectors.ts"
import { compress } from "./forge.ts"

const hex = (text: string) => Buffer.from(text, "hex")

type Case = { tcId: number; comment: string; flags: string[]; msg: string; sig: string; result: string }
type Group = { publicKey: { wx: string; wy: string; pk: string }; tests: Case[] }

/**
 * Departures, by name. A leading zero too many in r or s: published wallet stampers write them, so we read
 * them. High s: WebCrypto makes it; only Bitcoin's rules refuse it.
 */
const leadingZeros = ["prepending 0's to r", "prepending 0's to s"]
const highS = ["Signature malleability", "edge case for signature malleability"]

const files: { file: string; scheme: StampScheme; departures: string[]; count: number }[] = [
  {
    file: "ecdsa_secp256r1_sha256",
    scheme: "SIGNATURE_SCHEME_TK_API_P256",
    departures: leadingZeros,
    count: 389,
  },
  {
    file: "ecdsa_secp256k1_sha256",
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1",
    departures: leadingZeros,
    count: 377,
  },
  {
    file: "ecdsa_secp256k1_sha256_bitcoin",
    scheme: "SIGNATURE_SCHEME_TK_API_SECP256K1",
    departures: [...highS, ...leadingZeros].toSorted(),
    count: 463,
  },
  { file: "ed25519", scheme: "SIGNATURE_SCHEME_TK_API_ED25519", departures: [], count: 151 },
]

for (const { file, scheme, departures, count } of files) {
  const { options, read } = publishedVectors<{ testGroups: Group[] }>(`wycheproof/${file}_test.json`)
  t.test(`B1: agrees with Wycheproof's ${file}`, options, async (t) => {
    const groups = read().testGroups
    const differences: string[] = []
    for (const { publicKey, tests } of groups) {
      const publicKeyHex = publicKey.pk ?? compress(coordinate(publicKey.wx), coordinate(publicKey.wy))
      for (const { comment, msg, sig, result } of tests) {
        const isAccepted = verifyStamp({ scheme, publicKeyHex, signature: hex(sig) }, hex(msg))
        if (isAccepted !== (result === "valid")) differences.push(comment)
        if (!isAccepted && result === "valid") t.fail(`refuses a valid signature: ${comment}`)
      }
    }
    t.same(differences.toSorted(), departures)
    t.equal(groups.flatMap(({ tests }) => tests).length, count)
  })
}

type Corner = { number: number; key: string; sig: string; msg: string; flags: string[] | null }
const cctv = publishedVectors<Corner[]>("cctv/ed25519vectors.json")

t.test(
  "B1: CCTV's Ed25519 corners: canonical, cofactorless, no key of small order",
  cctv.options,
  async (t) => {
    const cases = cctv.read()
    // R of small order: only the key's holder can make it; OpenSSL 3.5 refuses it, older ones do not.
    const refusing = ["low_order_A", "non_canonical_A", "non_canonical_R", "low_order_residue"]
    for (const { number, key, sig, msg, flags } of cases) {
      const isAccepted = verifyStamp(
        { scheme: "SIGNATURE_SCHEME_TK_API_ED25519", publicKeyHex: key, signature: hex(sig) },
        Buffer.from(msg),
      )
      const isExpected = !refusing.some((flag) => flags?.includes(flag))
      if (isExpected && flags?.includes("low_order_R")) continue
      if (isAccepted !== isExpected) t.fail(`${number}: ${flags?.join()}`)
    }
    t.equal(cases.length, 914)
  },
)

/** Wycheproof writes coordinates as signed integers of any length. */
function coordinate(integer: string): Buffer {
  return hex(integer.padStart(64, "0").slice(-64))
}

// Stored stamps of every scheme, altered in their texts and in their DER, before two verifiers.
import t from "tap"
import type { StampedText } from "../../../../signer/core/proof/verify/stamped-text.ts"
import { Passkey } from "../../../harness/authenticator.ts"
import { alteredText, chance } from "../../../harness/chance.ts"
import { CURVE_OF_SCHEME, newCurveKey, SCHEMES, signatureOf } from "../../../harness/scheme-keys.ts"
import { SecondVerifier } from "../../../harness/second-verifier.ts"

const ROUNDS = 400
const MESSAGE = '{"type":"ACTIVITY_TYPE_CREATE_WALLET","note":"é, \u0000"}'
const verifiers = new SecondVerifier()
const pick = chance(7)

const honest: StampedText[] = [
  ...SCHEMES.map((scheme) => {
    const key = newCurveKey(CURVE_OF_SCHEME[scheme])
    const signature = Buffer.from(signatureOf(key, scheme, MESSAGE)).toString("hex")
    return { scheme, publicKey: key.publicKeyHex, message: MESSAGE, signature }
  }),
  ...(["ES256", "EdDSA", "RS256"] as const).map((algorithm) => {
    const passkey = new Passkey({ algorithm })
    const publicKey = passkey.publicKey.toString("base64url")
    const header = passkey.stamp(MESSAGE)
    return { scheme: "SIGNATURE_SCHEME_TK_WEBAUTHN", publicKey, message: MESSAGE, signature: header }
  }),
]

t.test("a stamp of each scheme verifies, and none with one character altered that counts", async (t) => {
  for (const stamp of honest) {
    t.equal(verifiers.verifyStamp(stamp), true, stamp.scheme)
    let refused = 0
    for (let round = 0; round < ROUNDS; round++) {
      const name = (["publicKey", "signature", "message"] as const)[pick(3)]!
      if (!verifiers.verifyStamp({ ...stamp, [name]: alteredText(stamp[name], pick) })) refused += 1
    }
    t.ok(refused > ROUNDS * 0.7, `${refused} of ${ROUNDS} refused`)
  }
})

t.test("a stamp under another scheme's name", async () => {
  for (const stamp of honest)
    for (const { scheme } of [...honest, { scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" }, { scheme: "" }])
      verifiers.verifyStamp({ ...stamp, scheme })
})

t.test("DER with leading zeros, signs, lengths and orders that are odd", async (t) => {
  let accepted = 0
  for (const stamp of honest.filter(({ signature }) => signature.startsWith("30"))) {
    const [r, s] = scalarsOf(Buffer.from(stamp.signature, "hex"))
    for (const first of variantsOf(r, stamp.scheme))
      for (const second of variantsOf(s, stamp.scheme))
        for (const tail of ["", "00"]) {
          const signature = `${derOf(first, second)}${tail}`
          if (verifiers.verifyStamp({ ...stamp, signature })) accepted += 1
        }
  }
  t.ok(accepted >= 3 * 4, "leading zeros and both values of s")
})

verifiers.compare(t)

function scalarsOf(der: Buffer): [Buffer, Buffer] {
  const length = der[3]!
  return [der.subarray(4, 4 + length), der.subarray(6 + length)]
}

/** Orders of P-256 and secp256k1 (SEC 2). */
const ORDERS = {
  P256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
  SECP256K1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
} as const

/** A scalar, minus it, with the order added, with zeros before it, negative, zero, empty, cut. */
function variantsOf(scalar: Buffer, scheme: string): Buffer[] {
  const order = BigInt(
    `0x${ORDERS[scheme.includes("P256") && !scheme.includes("SECP") ? "P256" : "SECP256K1"]}`,
  )
  const value = BigInt(`0x${scalar.toString("hex")}`)
  const bare = bytesOf(value)
  return [
    scalar,
    positive(bytesOf(order - value)),
    positive(bytesOf(order + value)),
    Buffer.concat([Buffer.alloc(1), scalar]),
    Buffer.concat([Buffer.alloc(90), scalar]),
    Buffer.concat([Buffer.from([0x80]), bare.subarray(1)]),
    Buffer.alloc(1),
    Buffer.alloc(0),
    scalar.subarray(0, -1),
  ]
}

function bytesOf(value: bigint): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
}

function positive(bytes: Buffer): Buffer {
  return bytes[0]! < 0x80 ? bytes : Buffer.concat([Buffer.alloc(1), bytes])
}

function derOf(r: Buffer, s: Buffer): string {
  const item = (scalar: Buffer) => Buffer.concat([Buffer.from([2, scalar.length]), scalar])
  const both = Buffer.concat([item(r), item(s)])
  return Buffer.concat([Buffer.from([0x30, both.length]), both]).toString("hex")
}

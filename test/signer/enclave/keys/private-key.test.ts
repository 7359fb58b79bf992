import t from "tap"
import type { Curve } from "../../../../signer/core/crypto/curve.ts"
import { createPrivateKey, readPrivateKey } from "../../../../signer/enclave/keys/private-key.ts"
import { dangerouslyRevealHex, fromHex, refusalOf, secretOf } from "./tools.ts"

const ORDERS: { [curve in Exclude<Curve, "CURVE_ED25519">]: string } = {
  CURVE_SECP256K1: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
  CURVE_P256: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
}

const drawing =
  (...draws: string[]) =>
  (length: number): Uint8Array => {
    const bytes = fromHex(draws.shift() ?? "")
    if (bytes.length !== length) throw new Error(`no draw of ${length} bytes is left`)
    return bytes
  }

t.test("a private key out of range is drawn again", async (t) => {
  const good = "ab".repeat(32)
  for (const [curve, order] of Object.entries(ORDERS)) {
    const random = drawing("00".repeat(32), order, "ff".repeat(32), good)
    const { secret } = createPrivateKey(curve as Curve, random)
    t.equal(dangerouslyRevealHex(secret), good)
  }
})

t.test("private keys include the curve's last scalar, and any 32 bytes for Ed25519", async (t) => {
  for (const [curve, order] of Object.entries(ORDERS)) {
    const last = order.slice(0, -2) + (Number.parseInt(order.slice(-2), 16) - 1).toString(16)
    t.equal(dangerouslyRevealHex(createPrivateKey(curve as Curve, drawing(last)).secret), last)
  }
  const zero = "00".repeat(32)
  t.equal(dangerouslyRevealHex(createPrivateKey("CURVE_ED25519", drawing(zero)).secret), zero)
})

t.test("createPrivateKey wipes the random bytes, and fails for a broken source", async (t) => {
  const drawn: Uint8Array[] = []
  const source = (length: number) => {
    const bytes = new Uint8Array(length).fill(0xab)
    drawn.push(bytes)
    return bytes
  }
  createPrivateKey("CURVE_P256", source)
  t.strictSame([...drawn[0]!], Array(32).fill(0))
  t.throws(
    () => createPrivateKey("CURVE_P256", (length) => new Uint8Array(length)),
    /returns no private keys/,
  )
  t.throws(() => createPrivateKey("CURVE_ED25519", () => new Uint8Array(31)), /returns no private keys/)
})

t.test(
  "readPrivateKey takes keys unchanged, and refuses bytes that are not a key of the curve",
  async (t) => {
    const field = "parameters.encryptedBundle"
    const lastByte = (digits: string, by: number) =>
      digits.slice(0, -2) + (Number.parseInt(digits.slice(-2), 16) + by).toString(16)
    const zero = "00".repeat(32)
    for (const [curve, order] of Object.entries(ORDERS) as [Curve, string][]) {
      for (const digits of [`${zero.slice(2)}01`, lastByte(order, -1)])
        t.equal(dangerouslyRevealHex(readPrivateKey(curve, secretOf(digits), field).secret), digits)
      for (const digits of [zero, order, lastByte(order, 1), "ff".repeat(32)])
        t.match(
          refusalOf(() => readPrivateKey(curve, secretOf(digits), field)),
          { code: "PRIVATE_KEY_INVALID", field },
        )
    }
    for (const digits of [zero, "ff".repeat(32)])
      t.equal(dangerouslyRevealHex(readPrivateKey("CURVE_ED25519", secretOf(digits), field).secret), digits)
    for (const curve of ["CURVE_SECP256K1", "CURVE_P256", "CURVE_ED25519"] as const) {
      for (const length of [0, 31, 33, 64]) {
        const refusal = refusalOf(() => readPrivateKey(curve, secretOf("01".repeat(length)), field))
        t.match(refusal, { code: "PRIVATE_KEY_INVALID" }, `${length} bytes`)
      }
    }
  },
)

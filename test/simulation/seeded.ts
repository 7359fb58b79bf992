import { createECDH, createHmac, createPrivateKey } from "node:crypto"
import type { TestKey } from "../harness/test-key.ts"

/** Bytes that look random and come again for the same seed: HMAC-SHA256 of a counter. */
export function seededBytes(seed: string): (length: number) => Uint8Array {
  let count = 0
  const block = () => createHmac("sha256", seed).update(String(count++)).digest()
  return (length) => {
    const blocks = Array.from({ length: Math.ceil(length / 32) }, block)
    return Uint8Array.from(Buffer.concat(blocks).subarray(0, length))
  }
}

/** A P-256 key of a name. @throws where the digest is no scalar of the curve, in one of 2^32 names */
export function seededKey(name: string): TestKey {
  const scalar = createHmac("sha256", "key").update(name).digest()
  const ecdh = createECDH("prime256v1")
  ecdh.setPrivateKey(scalar)
  const point = ecdh.getPublicKey()
  const [x = "", y = "", d = ""] = [point.subarray(1, 33), point.subarray(33), scalar].map((bytes) =>
    bytes.toString("base64url"),
  )
  const privateKey = createPrivateKey({ key: { kty: "EC", crv: "P-256", x, y, d }, format: "jwk" })
  return { publicKeyHex: ecdh.getPublicKey("hex", "compressed"), privateKey }
}

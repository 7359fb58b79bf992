import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto"
import { ownBytes, type Secret, wipe } from "../../../core/crypto/secret.ts"
import { DroppableRef, type OpenBackend, requireMessage } from "./backend.ts"

/** PKCS#8 (RFC 8410 §7) before the 32 bytes of the seed. */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

export const openEd25519: OpenBackend = (secret) => {
  const keyObject = new DroppableRef(ed25519PrivateKey(secret))
  const spki = createPublicKey(keyObject.get()).export({ format: "der", type: "spki" })
  return {
    publicKey: Uint8Array.from(spki.subarray(-32)),
    sign: (input) => ({
      signature: sign(null, requireMessage(input), keyObject.get()).toString("hex"),
      recovery: 0,
    }),
    wipe: () => keyObject.wipe(),
  }
}

/** @throws {RangeError} unless the secret has 32 bytes */
export function ed25519PrivateKey(secret: Secret): KeyObject {
  return secret.use((seed) => {
    if (seed.length !== 32) throw new RangeError("the bytes are not a private key of Ed25519")
    const der = ownBytes(PKCS8.length + seed.length)
    der.set(PKCS8)
    der.set(seed, PKCS8.length)
    try {
      return createPrivateKey({ key: Buffer.from(der.buffer), format: "der", type: "pkcs8" })
    } finally {
      wipe(der)
    }
  })
}

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto"
import { Secret } from "../../../signer/core/crypto/secret.ts"

// Keys that never change, so that kept inputs stay valid.

/** A private key of P-256 whose scalar has equal bytes. */
export function p256KeyOf(byte: number): { privateKey: KeyObject; publicKey: KeyObject; scalar: Secret } {
  const digits = byte.toString(16).padStart(2, "0").repeat(32)
  const pkcs8 = `3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420${digits}`
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8, "hex"), format: "der", type: "pkcs8" })
  return {
    privateKey,
    publicKey: createPublicKey(privateKey),
    scalar: Secret.copyOf(Buffer.from(digits, "hex")),
  }
}

export function hexOfSecret(secret: Secret): string {
  return secret.use((bytes) => Buffer.from(bytes).toString("hex"))
}

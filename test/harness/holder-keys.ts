// Keys of holders who approve acts, in files or as passkeys.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { compressP256, p256Point } from "../../signer/core/crypto/p256.ts"
import type { SignedApproval } from "../../signer/core/holder-acts/approval.ts"
import { type Departure, Passkey, USER_PRESENT } from "./authenticator.ts"

export const USER_VERIFIED = 0x04

/** A holder with a key of P-256, which is in a file or in an authenticator. */
export class Holder {
  readonly privateKey: KeyObject
  readonly publicKey: Uint8Array

  constructor() {
    this.privateKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
    this.publicKey = compressP256(p256Point(this.privateKey))
  }

  get hex(): string {
    return Buffer.from(this.publicKey).toString("hex")
  }

  approve(text: Uint8Array): SignedApproval {
    return {
      publicKey: this.publicKey,
      evidence: { case: "signature", value: sign("sha256", text, this.privateKey) },
    }
  }

  /** The assertion of a passkey that has the holder's key. */
  approveByPasskey(text: Uint8Array, departure: Departure = {}): SignedApproval {
    const passkey = new Passkey()
    const signed = { flags: USER_PRESENT | USER_VERIFIED, signer: this.privateKey, ...departure }
    const value = passkey.get(createHash("sha256").update(text).digest("base64url"), signed)
    return {
      publicKey: this.publicKey,
      evidence: { case: "passkey", value: { $typeName: "countersign.signer.v1.PasskeyApproval", ...value } },
    }
  }
}

export const holders = (count: number) => Array.from({ length: count }, () => new Holder())

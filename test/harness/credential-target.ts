import { createECDH, createPrivateKey } from "node:crypto"
import { decryptCredentialBundle } from "@turnkey/crypto"
import type { TestKey } from "./stamper.ts"

/** A client that has the key of a session sealed to it. */
export class Target {
  readonly #key = createECDH("prime256v1")
  readonly targetPublicKey = this.#key.generateKeys("hex")
  /** Point that the fetcher binds tokens to. */
  readonly compressed = this.#key.getPublicKey("hex", "compressed")

  /** The key in a bundle, opened as published clients open it. */
  open(credentialBundle: string): TestKey {
    const digits = decryptCredentialBundle(credentialBundle, this.#key.getPrivateKey("hex").padStart(64, "0"))
    const own = createECDH("prime256v1")
    own.setPrivateKey(digits, "hex")
    const [d, point] = [Buffer.from(digits, "hex"), own.getPublicKey()]
    const coordinate = (from: number) => point.subarray(from, from + 32).toString("base64url")
    const jwk = { kty: "EC", crv: "P-256", x: coordinate(1), y: coordinate(33), d: d.toString("base64url") }
    return {
      publicKeyHex: own.getPublicKey("hex", "compressed"),
      privateKey: createPrivateKey({ key: jwk, format: "jwk" }),
    }
  }
}

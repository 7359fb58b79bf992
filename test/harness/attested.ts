import { hash, sign } from "node:crypto"
import { identityName } from "../../signer/core/oidc/identity.ts"
import { readIdToken } from "../../signer/core/oidc/token.ts"
import type { TestKey } from "./test-key.ts"

/** The nonce that a token must have to be of this key. */
export function nonceOf(key: Pick<TestKey, "publicKeyHex">): string {
  return hash("sha256", key.publicKeyHex, "hex")
}

/** A key that an ID token attests. */
export class AttestedKey {
  readonly key: TestKey
  readonly token: string

  constructor(key: TestKey, token: string) {
    this.key = key
    this.token = token
  }

  /** Name of the token's identity. */
  get credential(): string {
    return identityName(readIdToken(this.token, ""))
  }

  /** Value of the X-Stamp-Attested header for a body, with changed members. */
  stamp(body: Uint8Array | string, changes: object = {}): string {
    const signature = sign("sha256", Buffer.from(body as string), this.key.privateKey).toString("hex")
    const { publicKeyHex: publicKey } = this.key
    const members = { publicKeyAttestation: this.token, scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC", publicKey }
    return Buffer.from(JSON.stringify({ ...members, signature, ...changes })).toString("base64url")
  }
}

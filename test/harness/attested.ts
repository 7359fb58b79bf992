import { hash, sign } from "node:crypto"
import { identityName } from "../../signer/core/oidc/identity.ts"
import { readIdToken } from "../../signer/core/oidc/token.ts"
import { contactName } from "../../signer/core/otp/user-contact.ts"
import { readVerificationToken } from "../../signer/core/otp/verification-token.ts"
import { CONTACT_SCHEME, OIDC_SCHEME } from "../../signer/core/stamp/attested.ts"
import type { TestKey } from "./test-key.ts"

/** The nonce that a token must have to be of this key. */
export function nonceOf(key: Pick<TestKey, "publicKeyHex">): string {
  return hash("sha256", key.publicKeyHex, "hex")
}

/** A key that a token attests: an ID token, or with the contact's scheme a verification token. */
export class AttestedKey {
  readonly key: TestKey
  readonly token: string
  readonly scheme: string

  constructor(key: TestKey, token: string, scheme: string = OIDC_SCHEME) {
    this.key = key
    this.token = token
    this.scheme = scheme
  }

  /** Name of the token's identity or contact. */
  get credential(): string {
    return this.scheme === CONTACT_SCHEME
      ? contactName(readVerificationToken(this.token, "").claims)
      : identityName(readIdToken(this.token, ""))
  }

  /** Value of the X-Stamp-Attested header for a body, with changed members. */
  stamp(body: Uint8Array | string, changes: object = {}): string {
    const signature = sign("sha256", Buffer.from(body as string), this.key.privateKey).toString("hex")
    const { publicKeyHex: publicKey } = this.key
    const members = { publicKeyAttestation: this.token, scheme: this.scheme, publicKey }
    return Buffer.from(JSON.stringify({ ...members, signature, ...changes })).toString("base64url")
  }
}

/** The stamper of a published client that holds a token. */
export function attestedStamper(by: AttestedKey) {
  return {
    stamp: async (body: string) => ({
      stampHeaderName: "X-Stamp-Attested",
      stampHeaderValue: by.stamp(body),
    }),
  }
}

import { sign } from "node:crypto"
import { OtpType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { signMessage } from "../../signer/core/crypto/keyset.ts"
import { type VerificationToken, writeVerificationToken } from "../../signer/core/otp/verification-token.ts"
import { CONTACT_SCHEME } from "../../signer/core/stamp/attested.ts"
import type { Fixture } from "../hostile/setup.ts"
import { AttestedKey } from "./attested.ts"
import { newKey, type TestKey } from "./stamper.ts"

/** Ids of tokens of one run. */
let tokens = 0

/** A token of the paired fetcher: the parent verified Ann's address for this key. */
export function verified(
  { acme, boundary, fakeFetcher }: Fixture,
  { publicKeyHex }: Pick<TestKey, "publicKeyHex">,
  changes: Partial<VerificationToken> = {},
): { id: string; compact: string } {
  const id = `0199cccc-0000-7000-8000-${String(++tokens).padStart(12, "0")}`
  const claims = {
    id,
    organizationId: acme.organizationId,
    channel: OtpType.EMAIL,
    contact: "ann@example.com",
    publicKey: publicKeyHex,
    expiresAtMs: boundary.nowMs() + 600_000,
    isSealed: true,
    ...changes,
  }
  return {
    id,
    compact: writeVerificationToken(claims, (message) => signMessage(fakeFetcher.keySet, message)),
  }
}

/** A new key that stamps with a token of the contact that is bound to it. */
export function contactKey(fixture: Fixture, changes: Partial<VerificationToken> = {}): AttestedKey {
  const key = newKey()
  return new AttestedKey(key, verified(fixture, key, changes).compact, CONTACT_SCHEME)
}

/** A client's signature over a message, as published clients make it. */
export function clientSignature(key: TestKey, message: string) {
  const signature = sign("sha256", Buffer.from(message), { key: key.privateKey, dsaEncoding: "ieee-p1363" })
  const scheme = "CLIENT_SIGNATURE_SCHEME_API_P256"
  return { publicKey: key.publicKeyHex, scheme, message, signature: signature.toString("hex") }
}

/** The message of a login, in the order of published clients. */
export function loginUsage(tokenId: string, publicKey: string): string {
  return JSON.stringify({ login: { publicKey }, tokenId, type: "USAGE_TYPE_LOGIN" })
}

/** Parameters of otp_login with a new token for a new key. */
export function otpLoginParams(fixture: Fixture, key = newKey(), changes: Partial<VerificationToken> = {}) {
  const { id, compact } = verified(fixture, key, changes)
  const { publicKeyHex: publicKey } = key
  return {
    verificationToken: compact,
    publicKey,
    clientSignature: clientSignature(key, loginUsage(id, publicKey)),
  }
}

/** The message of a sign-up, in the order of published clients: they leave out contacts that the user does not have. */
export function signUpUsage(tokenId: string, user: object, name: "signup" | "signupV2" = "signupV2"): string {
  return JSON.stringify({ [name]: user, tokenId, type: "USAGE_TYPE_SIGNUP" })
}

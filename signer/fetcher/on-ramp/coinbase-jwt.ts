import { type KeyObject, sign } from "node:crypto"
import type { RandomBytes } from "../../core/crypto/secret.ts"

/** Longest validity that Coinbase accepts, seconds. */
const LIFETIME_SECONDS = 120
const NONCE_LENGTH = 16

/**
 * A token for one request (https://docs.cdp.coinbase.com/api-reference/v2/authentication): ES256 or EdDSA, by the key's type.
 *
 * @param resource method, host and path without query, such as `POST api.developer.coinbase.com/onramp/v1/token`
 */
export function coinbaseJwt(
  { keyId, privateKey }: { keyId: string; privateKey: KeyObject },
  resource: string,
  { nowMs, random }: { nowMs: number; random: RandomBytes },
): string {
  const isEd25519 = privateKey.asymmetricKeyType === "ed25519"
  const nonce = Buffer.from(random(NONCE_LENGTH)).toString("hex")
  const header = { alg: isEd25519 ? "EdDSA" : "ES256", kid: keyId, typ: "JWT", nonce }
  const iat = Math.floor(nowMs / 1000)
  const claims = { sub: keyId, iss: "cdp", uris: [resource], iat, nbf: iat, exp: iat + LIFETIME_SECONDS }
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  const signature = sign(isEd25519 ? null : "sha256", Buffer.from(signed), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  })
  return `${signed}.${signature.toString("base64url")}`
}

import { Fault } from "../fault.ts"
import { createHash } from "node:crypto"
import { readAuthenticatorData } from "./authenticator-data.ts"
import { readClientData, requireOrigin } from "./client-data.ts"
import { isSignedByCredential } from "./cose-key.ts"

/** An authenticator's answer to a request to sign (Web Authentication §5.2.2), decoded. */
export type Assertion = {
  authenticatorData: Uint8Array
  clientDataJson: Uint8Array
  /** DER for ES256, 64 bytes for EdDSA, PKCS #1 v1.5 for RS256. */
  signature: Uint8Array
}

export type AssertionTarget = {
  /** The challenge as browsers write it: base64url without padding. */
  challenge: string
  /** COSE_Key of the credential. */
  publicKey: Uint8Array
  /** SHA-256 of the relying party's id at the registration. */
  rpIdHash: Uint8Array
  /** Origins that the organization allows; undefined: any. */
  origins: readonly string[] | undefined
}

/**
 * Verifies an authentication ceremony (Web Authentication §7.2): the credential's key signed this challenge, with its
 * user present. User verification is not required, because published clients only prefer it. Counters are not compared,
 * because passkeys that are synchronized between devices have none.
 * @throws Fault malformed, ceremony, challenge, origin, signature
 */
export function requireAssertion(assertion: Assertion, target: AssertionTarget): void {
  const { authenticatorData, clientDataJson, signature } = assertion
  const clientData = readClientData(clientDataJson)
  if (clientData.type !== "webauthn.get")
    throw new Fault("ceremony", "the client data is not of an assertion (webauthn.get)")
  if (clientData.challenge !== target.challenge)
    throw new Fault("challenge", "the passkey signed another challenge than this request body")
  requireOrigin(clientData, target.origins)
  const { rpIdHash, isUserPresent } = readAuthenticatorData(authenticatorData)
  if (Buffer.compare(rpIdHash, target.rpIdHash) !== 0) {
    throw new Fault("ceremony", "the passkey was used for another relying party than it was registered for")
  }
  if (!isUserPresent) throw new Fault("ceremony", "no user was present when the passkey signed")
  const clientDataHash = createHash("sha256").update(clientDataJson).digest()
  const signed = Buffer.concat([authenticatorData, clientDataHash])
  if (!isSignedByCredential(target.publicKey, signed, signature))
    throw new Fault("signature", "the passkey's signature does not verify")
}

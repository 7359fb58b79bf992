import { createHash } from "node:crypto"
import { readAttestationObject, requireSoundStatement } from "./attestation.ts"
import { readAuthenticatorData } from "./authenticator-data.ts"
import { readBase64url } from "./base64url.ts"
import { readCbor } from "./cbor.ts"
import { type ClientData, readClientData } from "./client-data.ts"
import { readCoseKey } from "./cose-key.ts"
import { WebauthnFault } from "./fault.ts"
import { requireOrigin } from "./origin-rule.ts"

/** What a client sends when a user has made a passkey. All but the challenge is base64url. */
export type Registration = {
  /** What the browser was asked to sign: base64url, or base64 from apps. */
  challenge: string
  /** The raw id, or a CBOR byte string of it. */
  credentialId: string
  clientDataJson: string
  attestationObject: string
}

/** A passkey as it is kept. */
export type RegisteredCredential = {
  /** 1 to 1023 bytes. */
  credentialId: Uint8Array
  /** COSE_Key exactly as it was attested; it has been read once. */
  publicKey: Uint8Array
  /** 16 bytes. */
  aaguid: Uint8Array
  /** Format identifier of the attestation statement. */
  attestationType: string
  /** SHA-256 of the relying party's id, 32 bytes. The client chose it; assertions must repeat it. */
  rpIdHash: Uint8Array
}

/**
 * Verifies a registration ceremony (Web Authentication §7.1), without opinion on the relying party's id and without trust
 * in attestations.
 *
 * @param origins those that the organization allows; undefined: any
 * @throws WebauthnFault, of every kind
 */
export function verifyRegistration(
  registration: Registration,
  origins: readonly string[] | undefined,
): RegisteredCredential {
  const clientDataBytes = readMember(registration, "clientDataJson")
  const clientData = readClientData(clientDataBytes)
  requireCreation(clientData, registration.challenge)
  requireOrigin(clientData, origins)
  const attestation = readAttestationObject(readMember(registration, "attestationObject"))
  const { credential, isUserPresent, rpIdHash } = readAuthenticatorData(attestation.authenticatorData)
  if (!isUserPresent) throw new WebauthnFault("ceremony", "no user was present when the credential was made")
  if (credential === undefined) {
    throw new WebauthnFault("credential", "missing parameter: user authenticator attestation auth data")
  }
  const { credentialId, publicKey, aaguid } = credential
  requireNamed(readMember(registration, "credentialId"), credentialId)
  const key = readCoseKey(publicKey)
  requireSoundStatement(attestation, createHash("sha256").update(clientDataBytes).digest(), key)
  // Copies: what is kept must not hold the whole request in memory.
  return {
    credentialId: Uint8Array.from(credentialId),
    publicKey: Uint8Array.from(publicKey),
    aaguid: Uint8Array.from(aaguid),
    attestationType: attestation.format,
    rpIdHash: Uint8Array.from(rpIdHash),
  }
}

function requireCreation({ type, challenge }: ClientData, expected: string): void {
  if (type !== "webauthn.create") {
    throw new WebauthnFault("ceremony", "the client data is not that of a registration (webauthn.create)")
  }
  if (canonicalChallenge(challenge) !== canonicalChallenge(expected)) {
    throw new WebauthnFault("challenge", "the client data holds another challenge than the request")
  }
}

/** Apps on iOS and Android send base64 or hexadecimal where browsers write base64url; one text, other letters. */
function canonicalChallenge(text: string): string {
  return text
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "")
}

function requireNamed(named: Uint8Array, attested: Uint8Array): void {
  if (Buffer.compare(named, attested) === 0 || isCborOf(named, attested)) return
  throw new WebauthnFault("credential", "credentialId is not the id of the credential that was attested")
}

function isCborOf(bytes: Uint8Array, content: Uint8Array): boolean {
  try {
    const value = readCbor(bytes)
    return value instanceof Uint8Array && Buffer.compare(value, content) === 0
  } catch {
    return false
  }
}

function readMember(registration: Registration, name: Exclude<keyof Registration, "challenge">): Buffer {
  const bytes = readBase64url(registration[name])
  if (bytes !== undefined) return bytes
  throw new WebauthnFault("malformed", `${name} is not base64url`)
}

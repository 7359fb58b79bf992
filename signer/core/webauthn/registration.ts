import { Fault } from "../fault.ts"
import { createHash } from "node:crypto"
import { readAttestationObject, requireSoundStatements } from "./attestation.ts"
import { readAuthenticatorData } from "./authenticator-data.ts"
import { readBase64url } from "../encodings.ts"
import { readCbor } from "./cbor.ts"
import { type ClientData, readClientData, requireOrigin } from "./client-data.ts"
import { readCoseKey } from "./cose-key.ts"

/** A client's parameters for a passkey that its user has made. All members but the challenge are base64url. */
export type Registration = {
  /** Challenge that the browser was given: base64url, or base64 from apps. */
  challenge: string
  /** The raw id, or a CBOR byte string of it. */
  credentialId: string
  clientDataJson: string
  attestationObject: string
}

/** A passkey as it is stored. */
export type RegisteredCredential = {
  /** 1 to 1023 bytes. */
  credentialId: Uint8Array
  /** COSE_Key exactly as it was attested; it is known to be readable. */
  publicKey: Uint8Array
  /** 16 bytes. */
  aaguid: Uint8Array
  /** Format identifier of the attestation statement. */
  attestationType: string
  /** SHA-256 of the relying party's id, 32 bytes. The client chose the id; assertions must repeat the digest. */
  rpIdHash: Uint8Array
}

/**
 * Verifies a registration ceremony (Web Authentication §7.1). Any relying party's id is accepted, and attestations are
 * not trusted.
 * @param origins that the organization allows; undefined: any
 * @throws Fault, of every kind
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
  if (!isUserPresent) throw new Fault("ceremony", "no user was present when the credential was made")
  if (credential === undefined)
    throw new Fault("credential", "missing parameter: user authenticator attestation auth data")
  const { credentialId, publicKey, aaguid } = credential
  requireSameId(readMember(registration, "credentialId"), credentialId)
  const key = readCoseKey(publicKey)
  requireSoundStatements(attestation, createHash("sha256").update(clientDataBytes).digest(), key)
  // Copies: views would keep the whole request in memory.
  return {
    credentialId: Uint8Array.from(credentialId),
    publicKey: Uint8Array.from(publicKey),
    aaguid: Uint8Array.from(aaguid),
    attestationType: attestation.format,
    rpIdHash: Uint8Array.from(rpIdHash),
  }
}

function requireCreation({ type, challenge }: ClientData, expected: string): void {
  if (type !== "webauthn.create")
    throw new Fault("ceremony", "the client data is not of a registration (webauthn.create)")
  if (canonicalChallenge(challenge) !== canonicalChallenge(expected))
    throw new Fault("challenge", "the client data holds another challenge than the request")
}

/** Apps on iOS and Android write base64 where browsers write base64url. */
function canonicalChallenge(text: string): string {
  return text
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "")
}

function requireSameId(named: Uint8Array, attested: Uint8Array): void {
  if (Buffer.compare(named, attested) === 0 || isCborOf(named, attested)) return
  throw new Fault("credential", "credentialId is not the id of the credential that was attested")
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
  throw new Fault("malformed", `${name} is not base64url`)
}

// Keys of this browser. WebCrypto keeps their private half: no script can read it.
import { p256 } from "@noble/curves/nist.js"
import { organizationOfHandle, userHandle } from "./user-handle.ts"
import { base64url, bytesOf, compressedHex, derSignature, hex } from "./encoding.ts"

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const

/** A P-256 key that stamps. `publicKey`: compressed point, hex. */
export type BrowserKey = { publicKey: string; privateKey: CryptoKey }

/** A new key whose private half never leaves the browser. */
export async function generateKey(): Promise<BrowserKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, false, ["sign", "verify"])
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey))
  return { publicKey: compressedHex(point), privateKey: pair.privateKey }
}

/** The key of 64 hexadecimal digits, as key files hold it; undefined: the text is none. */
export async function readKey(text: string): Promise<BrowserKey | undefined> {
  const [, digits] = /^(?:0x)?([0-9a-f]{64})(?::p256)?$/i.exec(text.trim()) ?? []
  if (digits === undefined) return undefined
  const scalar = Uint8Array.from(Buffer.from(digits, "hex"))
  try {
    const point = p256.getPublicKey(scalar, false)
    const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))]
    const jwk = { kty: "EC", crv: "P-256", d: base64url(scalar), x, y }
    const privateKey = await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["sign"])
    return { publicKey: compressedHex(point), privateKey }
  } catch {
    return undefined
  } finally {
    scalar.fill(0)
  }
}

/** Headers of a request with this body, stamped by a key. */
export async function stampByKey({ publicKey, privateKey }: BrowserKey, body: string) {
  const signed = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, bytesOf(body))
  const signature = hex(derSignature(new Uint8Array(signed)))
  const stamp = { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
  return { "x-stamp": base64url(bytesOf(JSON.stringify(stamp))) }
}

/** Headers of a request with this body, stamped by a passkey: the browser asks its user. @throws {DOMException} */
export async function stampByPasskey(body: string, credentialId?: string) {
  const digest = hex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(body))))
  const allowed = credentialId === undefined ? [] : [Uint8Array.from(Buffer.from(credentialId, "base64url"))]
  const credential = (await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(digest),
      rpId: location.hostname,
      allowCredentials: allowed.map((id) => ({ id, type: "public-key" as const })),
      userVerification: "preferred",
    },
  })) as PublicKeyCredential | null
  if (credential === null) throw new DOMException("no passkey was chosen", "NotAllowedError")
  const { authenticatorData, clientDataJSON, signature } =
    credential.response as AuthenticatorAssertionResponse
  const stamp = {
    credentialId: credential.id,
    authenticatorData: base64url(authenticatorData),
    clientDataJson: base64url(clientDataJSON),
    signature: base64url(signature),
  }
  return { headers: { "x-stamp-webauthn": JSON.stringify(stamp) }, credentialId: credential.id }
}

/**
 * The organization that a passkey names, without a request to the API; undefined: it was not made by these pages. The answer to
 * this challenge is thrown away: it logs in to nothing. @throws {DOMException}
 */
export async function askOrganizationOfPasskey(): Promise<string | undefined> {
  const credential = (await navigator.credentials.get({
    publicKey: {
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      rpId: location.hostname,
      userVerification: "preferred",
    },
  })) as PublicKeyCredential | null
  const { userHandle: handle } = (credential?.response ?? {}) as Partial<AuthenticatorAssertionResponse>
  return organizationOfHandle(new Uint8Array(handle ?? new ArrayBuffer(0)))
}

/** A new passkey of this page's host, as create_authenticators takes it. @throws {DOMException} */
export async function createPasskey(organizationId: string, userName: string, passkeyName: string) {
  const challenge = crypto.getRandomValues(new Uint8Array(32))
  const credential = (await navigator.credentials.create({
    publicKey: {
      challenge,
      rp: { id: location.hostname, name: "Countersign" },
      user: { id: userHandle(organizationId), name: userName, displayName: userName },
      pubKeyCredParams: [
        { type: "public-key", alg: -7 },
        { type: "public-key", alg: -8 },
        { type: "public-key", alg: -257 },
      ],
      authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    },
  })) as PublicKeyCredential | null
  if (credential === null) throw new DOMException("no passkey was made", "NotAllowedError")
  const response = credential.response as AuthenticatorAttestationResponse
  const transports = response
    .getTransports()
    .map(transportName)
    .filter((name) => name !== undefined)
  return {
    authenticatorName: passkeyName,
    challenge: base64url(challenge),
    attestation: {
      credentialId: credential.id,
      clientDataJson: base64url(response.clientDataJSON),
      attestationObject: base64url(response.attestationObject),
      transports,
    },
  }
}

const TRANSPORTS: readonly string[] = ["ble", "internal", "nfc", "usb", "hybrid"]

function transportName(name: string): string | undefined {
  return TRANSPORTS.includes(name) ? `AUTHENTICATOR_TRANSPORT_${name.toUpperCase()}` : undefined
}

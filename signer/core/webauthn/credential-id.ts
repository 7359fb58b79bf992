/** Largest credential id, bytes (Web Authentication §4). */
export const MAX_CREDENTIAL_ID_LENGTH = 1023

const PREFIX = "webauthn:"

/** The name by which a passkey's owner is looked up, beside the public keys of API keys, which never have its prefix. */
export function passkeyName(credentialId: Uint8Array): string {
  return PREFIX + Buffer.from(credentialId).toString("base64url")
}

/** True if a credential's name is a passkey's, not a public key. */
export function isPasskeyName(credential: string): boolean {
  return credential.startsWith(PREFIX)
}

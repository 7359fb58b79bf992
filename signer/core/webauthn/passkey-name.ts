const PREFIX = "webauthn:"

/** Name of a passkey among the credentials that stamp: by it holders are looked up. No public key is written like it. */
export function passkeyName(credentialId: Uint8Array): string {
  return PREFIX + Buffer.from(credentialId).toString("base64url")
}

/** Whether a credential's name is that of a passkey, and not a public key. */
export function isPasskeyName(credential: string): boolean {
  return credential.startsWith(PREFIX)
}

import { createHash } from "node:crypto"

/** Kinds of events that endpoints receive. */
export const ACTIVITY_UPDATES = "ACTIVITY_UPDATES"
export const SEND_UPDATES = "SEND_TRANSACTION_STATUS_UPDATES"
export const BALANCE_CONFIRMED = "BALANCE_CONFIRMED_UPDATES"
export const BALANCE_FINALIZED = "BALANCE_FINALIZED_UPDATES"

/** Most notifications that one call signs. */
export const MAX_STATEMENTS = 256

const VERSION = "v1"
const ALGORITHM = "ed25519"

/** Path of the key set, as published receivers know it. */
export const WEBHOOK_KEYS_PATH = "/public/v1/discovery/webhooks/jwks"

/** Id of a key: it follows from the key, so that a receiver never finds two keys under one id. */
export function webhookKeyId(publicKey: Uint8Array): string {
  return createHash("sha256").update(publicKey).digest("hex").slice(0, 32)
}

/** The signed parts of a notification, beside its body. */
export type WebhookStamp = { keyId: string; timestampMs: bigint | number; eventId: string }

/** The signed bytes: `v1.ed25519.<key id>.<timestamp, ms>.<event id>.` || body. */
export function webhookInput({ keyId, timestampMs, eventId }: WebhookStamp, body: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${VERSION}.${ALGORITHM}.${keyId}.${timestampMs}.${eventId}.`), body])
}

/** Headers by which receivers verify a notification. */
export function webhookSignatureHeaders(
  stamp: WebhookStamp,
  signature: Uint8Array,
): { [name: string]: string } {
  return {
    "X-Turnkey-Timestamp": String(stamp.timestampMs),
    "X-Turnkey-Event-Id": stamp.eventId,
    "X-Turnkey-Signature-Key-Id": stamp.keyId,
    "X-Turnkey-Signature-Algorithm": ALGORITHM,
    "X-Turnkey-Signature-Version": VERSION,
    "X-Turnkey-Signature": Buffer.from(signature).toString("hex"),
  }
}

/** The key set (RFC 7517, RFC 8037) with the members that published receivers read. */
export function webhookKeySet(publicKey: Uint8Array): object {
  const key = {
    kid: webhookKeyId(publicKey),
    kty: "OKP",
    crv: "Ed25519",
    alg: "EdDSA",
    use: "sig",
    x: Buffer.from(publicKey).toString("base64url"),
    turnkey_signature_algorithm: ALGORITHM,
    turnkey_signature_version: VERSION,
  }
  return { keys: [key] }
}

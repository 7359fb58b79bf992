import type { Secret } from "../../../../core/crypto/secret.ts"
import { webhookInput, webhookKeyId } from "../../../../core/webhook/statement.ts"
import { SigningKey } from "../../../keys/signing-key.ts"

/** The key of webhook signatures: one for the deployment, derived from the root seed. It signs nothing else. */
export type WebhookKey = {
  readonly keyId: string
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
  /** Signs a notification; 64 bytes. The signed bytes begin with the version, the algorithm and this key's id. */
  readonly sign: (event: { timestampMs: bigint; eventId: string }, body: Uint8Array) => Uint8Array
}

/** @param secret 32 bytes; the caller wipes it */
export function openWebhookKey(secret: Secret): WebhookKey {
  const key = new SigningKey({ curve: "CURVE_ED25519", secret })
  const publicKey = Uint8Array.from(Buffer.from(key.publicKeyHex, "hex"))
  const keyId = webhookKeyId(publicKey)
  return {
    keyId,
    publicKey,
    sign(event, body) {
      const { r, s } = key.sign({ message: webhookInput({ ...event, keyId }, body) })
      return Uint8Array.from(Buffer.from(`${r}${s}`, "hex"))
    },
  }
}

import { readPublicKeySet } from "../../../../core/crypto/keyset.ts"
import { p256PrivateKey } from "../../../../core/crypto/p256.ts"
import { Secret, wiping } from "../../../../core/crypto/secret.ts"
import { type MailPlace, sealMailedBundle } from "../../../../core/fetch-orders/mailed-bundle.ts"
import { createPrivateKey } from "../../../keys/private-key.ts"
import type { ExecutionDeps } from "../../../execution/state/deps.ts"

/** Seals a credential bundle to the paired fetcher, which mails it: nobody who relays the order reads it. */
export function sealToFetcher(
  bundle: string,
  place: MailPlace,
  { keyring, random }: Pick<ExecutionDeps, "keyring" | "random">,
): Uint8Array {
  const recipient = readPublicKeySet(keyring.pins.fetcherPublicKey)?.encrypt
  if (recipient === undefined) throw new Error("a fetcher is paired with its whole key set")
  const { secret } = createPrivateKey("CURVE_P256", random)
  const text = Secret.moveFrom(Buffer.from(bundle))
  return wiping([secret, text], () =>
    sealMailedBundle({ ephemeral: p256PrivateKey(secret), recipient }, place, text),
  )
}

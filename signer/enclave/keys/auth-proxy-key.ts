import { type KeyPlace, sealProxyKey } from "../../core/auth-proxy/sealed-key.ts"
import {
  compressP256,
  p256Point,
  p256PrivateKey,
  p256PublicKey,
  uncompressP256,
} from "../../core/crypto/p256.ts"
import { type RandomBytes, wiping } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { createPrivateKey } from "./private-key.ts"

/** An organization's proxy key. Its private half exists only sealed to the paired proxy's own key. */
export type AuthProxyKey = { publicKey: string; sealedPrivateKey: Uint8Array }

/**
 * Makes an organization's proxy key.
 *
 * @param ownKeyHex own key of the paired proxy, compressed, 66 hexadecimal digits; "": none is paired
 * @throws AUTH_PROXY_NOT_PAIRED
 */
export function newAuthProxyKey(
  ownKeyHex: string,
  place: Omit<KeyPlace, "publicKey">,
  random: RandomBytes,
): AuthProxyKey {
  const point = uncompressP256(Buffer.from(ownKeyHex, "hex"))
  const recipient = point && p256PublicKey(point)
  if (recipient === undefined) {
    const sentence =
      "the signer knows no auth proxy: the operator gives it the proxy's public key, see docs/OPERATIONS.md"
    throw refuse("AUTH_PROXY_NOT_PAIRED", sentence)
  }
  const [made, once] = [createPrivateKey("CURVE_P256", random), createPrivateKey("CURVE_P256", random)]
  return wiping([made.secret, once.secret], () => {
    const publicKey = Buffer.from(compressP256(p256Point(p256PrivateKey(made.secret)))).toString("hex")
    const keys = { ephemeral: p256PrivateKey(once.secret), recipient }
    return { publicKey, sealedPrivateKey: sealProxyKey(keys, { ...place, publicKey }, made.secret) }
  })
}

import type { KeyObject } from "node:crypto"
import { type HpkeContext, openHpke, sealHpke } from "../crypto/hpke.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { p256Point } from "../crypto/p256.ts"
import type { Secret } from "../crypto/secret.ts"

/** The place for which a key is sealed. A key that was moved to another organization or configuration does not open. */
export type KeyPlace = {
  organizationId: string
  configId: string
  /** The key's public half, 66 hexadecimal digits. */
  publicKey: string
}

const INFO = Buffer.from("countersign/v1/auth-proxy-key")
const POINT_LENGTH = 65

/**
 * Seals an organization's proxy key to the proxy's own key: `enc(65) || ciphertext(32) || tag(16)`, HPKE with the
 * associated data field(organizationId) || field(configId) || field(publicKey), field(x) = length(4, BE) || x.
 *
 * @param scalar private key, 32 bytes
 */
export function sealProxyKey(
  keys: { ephemeral: KeyObject; recipient: KeyObject },
  place: KeyPlace,
  scalar: Secret,
): Uint8Array {
  return Buffer.concat([p256Point(keys.ephemeral), sealHpke(keys, contextOf(place), scalar)])
}

/** The private key, 32 bytes, which the caller wipes; undefined: it was sealed to another key or for another place. */
export function openProxyKey(recipient: KeyObject, place: KeyPlace, sealed: Uint8Array): Secret | undefined {
  const enc = sealed.subarray(0, POINT_LENGTH)
  return openHpke({ recipient, enc }, contextOf(place), sealed.subarray(POINT_LENGTH))
}

function contextOf({ organizationId, configId, publicKey }: KeyPlace): HpkeContext {
  const fields = [organizationId, configId, publicKey].map((text) => Buffer.from(text))
  return { info: INFO, aad: lengthPrefixed(...fields) }
}

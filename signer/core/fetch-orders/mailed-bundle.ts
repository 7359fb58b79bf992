import type { KeyObject } from "node:crypto"
import { type HpkeContext, openHpke, sealHpke } from "../crypto/hpke.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { p256Point } from "../crypto/p256.ts"
import { type Secret, wiping } from "../crypto/secret.ts"

/** The organization and the activity that a bundle is mailed for. Sealed for another one, it does not open. */
export type MailPlace = { organizationId: string; activityFingerprint: Uint8Array }

const INFO = Buffer.from("countersign/v1/mailed-bundle")
const POINT_LENGTH = 65

/**
 * Seals a credential bundle to the fetcher's encryption key: `enc(65) || ciphertext || tag(16)`, HPKE with the associated
 * data field(organizationId) || field(fingerprint), field(x) = length(4, BE) || x.
 */
export function sealMailedBundle(
  keys: { ephemeral: KeyObject; recipient: KeyObject },
  place: MailPlace,
  bundle: Secret,
): Uint8Array {
  return Buffer.concat([p256Point(keys.ephemeral), sealHpke(keys, contextOf(place), bundle)])
}

/** The bundle's text; undefined: it was sealed to another key or for another activity. */
export function openMailedBundle(
  recipient: KeyObject,
  place: MailPlace,
  sealed: Uint8Array,
): string | undefined {
  const enc = sealed.subarray(0, POINT_LENGTH)
  const bundle = openHpke({ recipient, enc }, contextOf(place), sealed.subarray(POINT_LENGTH))
  return bundle && wiping([bundle], () => bundle.use((bytes) => Buffer.from(bytes).toString("latin1")))
}

function contextOf({ organizationId, activityFingerprint }: MailPlace): HpkeContext {
  return { info: INFO, aad: lengthPrefixed(Buffer.from(organizationId), activityFingerprint) }
}

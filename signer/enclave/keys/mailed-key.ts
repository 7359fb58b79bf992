import { expand } from "../../core/crypto/branch.ts"
import type { PrivateKey } from "../../core/crypto/curve.ts"
import { lengthPrefixed } from "../../core/crypto/length-prefixed.ts"
import { type Secret, wiping } from "../../core/crypto/secret.ts"
import { createPrivateKey } from "./private-key.ts"

const SALT = "countersign/v1/mailed-key"

/**
 * The P-256 key that an activity mails. It is the same whenever the activity is run. The activity runs once to order the mail
 * and once more when the mail was sent, and nothing of it is kept between. The caller wipes it.
 * @param branch branch of the root seed
 */
export function mailedKey(
  branch: Secret,
  { organizationId, fingerprint }: { organizationId: string; fingerprint: string },
): PrivateKey {
  let draw = 0
  return createPrivateKey("CURVE_P256", (length) => {
    const parts = [organizationId, fingerprint, String(draw++)].map((part) => Buffer.from(part))
    const drawn = expand(branch, SALT, lengthPrefixed(...parts), length)
    return wiping([drawn], () => drawn.use((bytes) => Uint8Array.from(bytes)))
  })
}

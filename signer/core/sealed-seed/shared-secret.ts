import { createHmac, timingSafeEqual } from "node:crypto"
import { combine, split } from "shamir-secret-sharing"
import { expand } from "../crypto/branch.ts"
import { ownBytes, Secret, wipe, wiping } from "../crypto/secret.ts"
import { refuse } from "../refusal.ts"
import { termsBytes, type SetTerms } from "./terms.ts"

const SECRET_LENGTH = 32
const CHECK_LENGTH = 8
const CHECK_DOMAIN = "countersign/v1/share-check"
const SLOT_SALT = "countersign/v1/seed-slot"

/** The secret that holders share: 32 random bytes. */
export const SHARED_SECRET_LENGTH = SECRET_LENGTH

/** Splits the secret with its check value into the set's points, in the order of their numbers. */
export async function splitSecret(secret: Secret, terms: SetTerms): Promise<Secret[]> {
  const checked = ownBytes(SECRET_LENGTH + CHECK_LENGTH)
  secret.use((bytes) => checked.set(bytes))
  checked.set(checkOf(checked.subarray(0, SECRET_LENGTH), terms), SECRET_LENGTH)
  try {
    const points = await split(checked, terms.shares, terms.threshold)
    return points.map((point) => Secret.moveFrom(point))
  } finally {
    wipe(checked)
  }
}

/**
 * Combines points. Too few, altered and foreign points give a wrong secret without any fault: the check value tells.
 *
 * @throws SHARES_WRONG
 */
export async function combineSecret(points: readonly Secret[], terms: SetTerms): Promise<Secret> {
  const copies = points.map((point) => point.use((bytes) => Uint8Array.from(bytes)))
  const combined = await combine(copies)
    .catch((cause: unknown) => {
      // Two points with one coordinate: at least one of them was altered.
      throw refuse("SHARES_WRONG", SHARES_WRONG, { cause })
    })
    .finally(() => wipe(...copies))
  const [secret, check] = [combined.subarray(0, SECRET_LENGTH), combined.subarray(SECRET_LENGTH)]
  try {
    if (!timingSafeEqual(checkOf(secret, terms), check)) throw refuse("SHARES_WRONG", SHARES_WRONG)
    return Secret.copyOf(secret)
  } finally {
    wipe(combined)
  }
}

const SHARES_WRONG =
  "these shares do not belong together, so they open nothing, and all of them were forgotten. " +
  "At least one was altered, or comes from a ceremony that was broken off. Give them again, and another holder's in the place of one"

/** The slot's key from the shared secret. */
export function keyOfSecret(secret: Secret): Secret {
  return wiping([secret], () => expand(secret, SLOT_SALT, "shares", SECRET_LENGTH))
}

/** The first 8 bytes of HMAC-SHA256 under the secret, over the terms of its set. */
function checkOf(secret: Uint8Array, terms: SetTerms): Buffer {
  const mac = createHmac("sha256", secret).update(CHECK_DOMAIN).update(Uint8Array.of(0))
  return mac.update(termsBytes(terms)).digest().subarray(0, CHECK_LENGTH)
}

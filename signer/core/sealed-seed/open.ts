import { type Secret, wiping } from "../crypto/secret.ts"
import { type Refusal, refuse } from "../refusal.ts"
import { decryptSeed, type SealedFile, type SlotKind, slotOf, unwrapKey } from "./format.ts"
import { keyOfPassphrase } from "./passphrase.ts"
import { combineSecret, keyOfSecret } from "./shared-secret.ts"

/** Opens by a threshold of points. The caller wipes points and seed. @throws SHARES_WRONG, SEALED_SEED_DAMAGED */
export async function openByShares(sealed: SealedFile, points: readonly Secret[]): Promise<Secret> {
  return seedUnder(sealed, await keyByShares(sealed, points))
}

/** The random key of the file, by a threshold of points. The caller wipes both. @throws SHARES_WRONG, SEALED_SEED_DAMAGED */
export async function keyByShares(sealed: SealedFile, points: readonly Secret[]): Promise<Secret> {
  const slotKey = keyOfSecret(await combineSecret(points, sealed.header))
  return keyInSlot(sealed, "shares", slotKey, () => refuse("SEALED_SEED_DAMAGED", SLOT_ALTERED))
}

const SLOT_ALTERED =
  "the shares belong together, and the slot of shares was altered after it was written. Restore the file from a copy of the same generation; the same shares open it"

/** @throws SEED_SLOT_MISSING, PASSPHRASE_WRONG, SEALED_SEED_DAMAGED */
export async function openByPassphrase(sealed: SealedFile, passphrase: Secret): Promise<Secret> {
  return seedUnder(sealed, await keyByPassphrase(sealed, passphrase))
}

/** The random key of the file. @throws SEED_SLOT_MISSING, PASSPHRASE_WRONG */
export async function keyByPassphrase(sealed: SealedFile, passphrase: Secret): Promise<Secret> {
  const slot = slotOf(sealed, "passphrase")
  if (slot === undefined) throw slotMissing("passphrase")
  const slotKey = await keyOfPassphrase(passphrase, slot.kind.value)
  return keyInSlot(sealed, "passphrase", slotKey, () =>
    refuse("PASSPHRASE_WRONG", `the passphrase does not open this seed. Type it again, or ${SHARES_OPEN}`),
  )
}

/** Opens by the key that a command gave. @throws SEED_SLOT_MISSING, UNSEAL_KEY_WRONG, SEALED_SEED_DAMAGED */
export function openByKey(sealed: SealedFile, key: Secret): Secret {
  return seedUnder(sealed, keyByCommand(sealed, key))
}

/** The random key of the file, by the key that a command gave. @throws SEED_SLOT_MISSING, UNSEAL_KEY_WRONG */
export function keyByCommand(sealed: SealedFile, key: Secret): Secret {
  return keyInSlot(sealed, "command", key, () =>
    refuse(
      "UNSEAL_KEY_WRONG",
      `the command gave a key that does not open this seed. Check the command and its key store, or ${SHARES_OPEN}`,
    ),
  )
}

const SHARES_OPEN = "give shares, which always open it: unlock without an option asks for them"

const seedUnder = (sealed: SealedFile, key: Secret): Secret => wiping([key], () => decryptSeed(sealed, key))

/** @throws SEED_SLOT_MISSING */
function keyInSlot(sealed: SealedFile, kind: SlotKind, slotKey: Secret, wrong: () => Refusal): Secret {
  return wiping([slotKey], () => {
    const slot = slotOf(sealed, kind)
    if (slot === undefined) throw slotMissing(kind)
    const key = unwrapKey(slot.wrappedKey, slotKey, { kind, terms: sealed.header, nonce: slot.nonce })
    if (key === undefined) throw wrong()
    return key
  })
}

function slotMissing(kind: SlotKind): Refusal {
  return refuse("SEED_SLOT_MISSING", `this seed was sealed without a ${kind}: ${SHARES_OPEN}`)
}

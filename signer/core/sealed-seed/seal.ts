import { create } from "@bufbuild/protobuf"
import {
  SealedSeedHeaderSchema,
  type SeedOwner,
  type SeedSlot,
  SeedSlotSchema,
} from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { type RandomBytes, Secret, wiping } from "../crypto/secret.ts"
import { COST_LOG2, encryptSeed, SALT_LENGTH, type SealedFile, wrapKey } from "./format.ts"
import { requireHolderKeys } from "./holders.ts"
import { keyOfPassphrase } from "./passphrase.ts"
import { writeShare } from "./share.ts"
import { keyOfSecret, SHARED_SECRET_LENGTH, splitSecret } from "./shared-secret.ts"
import { requirePossible, SET_ID_LENGTH, type SetTerms } from "./terms.ts"

const KEY_LENGTH = 32
const NONCE_LENGTH = 12

/** Daily ways beside the shares. `command`: the slot's key and the blob by which a command gives it again. */
export type DailySlots = {
  passphrase?: Secret | undefined
  command?: { key: Secret; blob: Uint8Array } | undefined
}

/** What the operator decides, and the deployment's id. */
export type SealOptions = {
  owner: SeedOwner
  deploymentId: string
  generation: number
  shares: number
  threshold: number
  /** Keys of the holders who approve acts, in the order of their shares; none: each operator acts alone. */
  holderPublicKeys?: readonly Uint8Array[]
  /** True if the deployment's processes start in production alone. */
  production?: boolean
  setupCodesNeedApproval?: boolean
  /** Digest of the witnesses that the settings must name. Absent: the settings may name any. */
  witnessesDigest?: Uint8Array | undefined
  /** Absent: 0. */
  revision?: bigint
}

/** A sealed seed and the shares of its set, in the order of their numbers; the caller wipes these. */
export type SealResult = { sealed: SealedFile; shares: Secret[] }

/** Seals a seed under a new random key with a new set of shares. @throws SHARES_IMPOSSIBLE, HOLDERS_IMPOSSIBLE */
export async function sealSeed(
  seed: Secret,
  options: SealOptions,
  daily: DailySlots,
  random: RandomBytes,
): Promise<SealResult> {
  requirePossible(options)
  const { holderPublicKeys = [], production = false, setupCodesNeedApproval = false, ...others } = options
  const { witnessesDigest = new Uint8Array(0), ...set } = others
  requireHolderKeys(holderPublicKeys, set.shares)
  const terms: SetTerms = { ...set, setId: random(SET_ID_LENGTH) }
  const key = Secret.moveFrom(random(KEY_LENGTH))
  const secret = Secret.moveFrom(random(SHARED_SECRET_LENGTH))
  try {
    const points = await splitSecret(secret, terms)
    const shares = wiping(points, () => points.map((point, index) => writeShare(terms, index + 1, point)))
    const slot = (kind: SeedSlot["kind"], slotKey: Secret) =>
      newSlot(key, slotKey, { kind, terms, nonce: random(NONCE_LENGTH) })
    const slots = [
      slot({ case: "shares", value: empty() }, keyOfSecret(secret)),
      ...(await dailySlots(daily, slot, random)),
    ]
    const rules = {
      holderPublicKeys: [...holderPublicKeys],
      production,
      setupCodesNeedApproval,
      witnessesDigest,
    }
    const header = create(SealedSeedHeaderSchema, { ...terms, slots, ...rules })
    return { sealed: encryptSeed(seed, key, header, random(NONCE_LENGTH)), shares }
  } finally {
    for (const one of [key, secret]) one.wipe()
  }
}

/** Slots of daily ways to the random key of a file whose set of shares stays. The caller wipes the key. */
export function newDailySlots(
  daily: DailySlots,
  { key, terms }: { key: Secret; terms: SetTerms },
  random: RandomBytes,
): Promise<SeedSlot[]> {
  const slot: NewSlot = (kind, slotKey) => newSlot(key, slotKey, { kind, terms, nonce: random(NONCE_LENGTH) })
  return dailySlots(daily, slot, random)
}

type NewSlot = (kind: SeedSlot["kind"], slotKey: Secret) => SeedSlot

async function dailySlots(
  { passphrase, command }: DailySlots,
  slot: NewSlot,
  random: RandomBytes,
): Promise<SeedSlot[]> {
  const slots: SeedSlot[] = []
  if (passphrase !== undefined) {
    const value = {
      $typeName: "countersign.state.v1.PassphraseSlot" as const,
      salt: random(SALT_LENGTH),
      costLog2: COST_LOG2.usual,
    }
    slots.push(slot({ case: "passphrase", value }, await keyOfPassphrase(passphrase, value)))
  }
  if (command !== undefined) {
    const value = { $typeName: "countersign.state.v1.CommandSlot" as const, blob: command.blob }
    slots.push(slot({ case: "command", value }, command.key))
  }
  return slots
}

type SlotInit = { kind: SeedSlot["kind"]; terms: SetTerms; nonce: Uint8Array }

/** Wraps the random key; the slot's key is wiped. */
function newSlot(key: Secret, slotKey: Secret, { kind, terms, nonce }: SlotInit): SeedSlot {
  if (kind.case === undefined) throw new TypeError("a slot has a kind")
  const place = { kind: kind.case, terms, nonce }
  return create(SeedSlotSchema, {
    kind,
    nonce,
    wrappedKey: wiping([slotKey], () => wrapKey(key, slotKey, place)),
  })
}

const empty = () => ({ $typeName: "countersign.state.v1.SharesSlot" as const })

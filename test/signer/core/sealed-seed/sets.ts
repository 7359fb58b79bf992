// Sealed seeds for tests, with their shares.
import { randomBytes } from "node:crypto"
import { SeedOwner } from "../../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { Secret } from "../../../../signer/core/crypto/secret.ts"
import { type DailySlots, type SealOptions, sealSeed } from "../../../../signer/core/sealed-seed/seal.ts"

export const DEPLOYMENT = "0199b2c4-7a10-8000-8000-3f6d5c2b1a09"

export const TERMS: SealOptions = {
  owner: SeedOwner.SIGNER,
  deploymentId: DEPLOYMENT,
  generation: 1,
  shares: 5,
  threshold: 3,
}

export const random = (length: number) => Uint8Array.from(randomBytes(length))

/** A sealed seed, the bytes of the seed, and those of its shares. */
export async function newSet(options: Partial<SealOptions> = {}, daily: DailySlots = {}) {
  const seed = random(32)
  const { sealed, shares } = await sealSeed(Secret.copyOf(seed), { ...TERMS, ...options }, daily, random)
  return { seed, sealed, shares: shares.map(bytesOf) }
}

export const bytesOf = (secret: Secret) => secret.use((bytes) => Uint8Array.from(bytes))

/** All choices of `size` items, in order. */
export function subsets<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]]
  return items.flatMap((item, index) =>
    subsets(items.slice(index + 1), size - 1).map((rest) => [item, ...rest]),
  )
}

import { createHash } from "node:crypto"
import type { SealedSeedHeader } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { counted } from "../counted.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { uncompressP256 } from "../crypto/p256.ts"
import { refuse } from "../refusal.ts"

/** Holders who approve acts: those of a set of shares, by their keys, in the order of the shares. */
export type Holders = {
  readonly deploymentId: string
  readonly generation: number
  /** Number of holders whose approvals suffice: as many as shares that open the seed. */
  readonly threshold: number
  /** Compressed points of P-256. */
  readonly publicKeys: readonly Uint8Array[]
}

type HoldersHeader = Pick<SealedSeedHeader, "deploymentId" | "generation" | "threshold" | "holderPublicKeys">

/** The holders whom a sealed seed names; undefined: it names none. Authentic once the seed is open. */
export function holdersOf(header: HoldersHeader): Holders | undefined {
  const { deploymentId, generation, threshold, holderPublicKeys: publicKeys } = header
  return publicKeys.length === 0 ? undefined : { deploymentId, generation, threshold, publicKeys }
}

/** True for one key of P-256 for each share, all different, or for none. */
export function areHolderKeys(keys: readonly Uint8Array[], shares: number): boolean {
  if (keys.length === 0) return true
  const all = new Set(keys.map((key) => Buffer.from(key).toString("hex")))
  return keys.length === shares && all.size === shares && keys.every((key) => uncompressP256(key))
}

/** @throws HOLDERS_IMPOSSIBLE */
export function requireHolderKeys(keys: readonly Uint8Array[], shares: number): void {
  if (areHolderKeys(keys, shares)) return
  const sentence = `${counted(keys.length, "key")} for ${shares} shares: each holder has a share and a key of P-256 of their own, so name ${shares} different keys, in the order of the shares`
  throw refuse("HOLDERS_IMPOSSIBLE", sentence)
}

const DOMAIN = Buffer.from("countersign/v1/holders")

/** SHA-256( field(domain) || field(deployment id) || field(generation(1) || threshold(1)) || field(key)... ): names the holders. */
export function holdersDigest({ deploymentId, generation, threshold, publicKeys }: Holders): Uint8Array {
  const numbers = Uint8Array.of(generation, threshold)
  const bytes = lengthPrefixed(DOMAIN, Buffer.from(deploymentId), numbers, ...publicKeys)
  return createHash("sha256").update(bytes).digest()
}

import { SeedOwner, type SealedSeedHeader } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { lengthPrefixed } from "../crypto/length-prefixed.ts"
import { refuse } from "../refusal.ts"

/** The set of shares that a sealed seed, each of its slots and each share belong to. */
export type SetTerms = Pick<
  SealedSeedHeader,
  "owner" | "deploymentId" | "generation" | "setId" | "shares" | "threshold"
>

/** A share has 4 bits for its number and 4 for the threshold. */
export const MAX_SHARES = 15
export const MIN_THRESHOLD = 2
/** A share has one byte for it. */
export const MAX_GENERATION = 255
export const SET_ID_LENGTH = 2

/** Names of the owners of seeds, for people. */
const OWNER_NAMES: ReadonlyMap<SeedOwner, string> = new Map([
  [SeedOwner.SIGNER, "signer"],
  [SeedOwner.FETCHER, "fetcher"],
  [SeedOwner.AUTH_PROXY, "auth proxy"],
  [SeedOwner.AUTHORITY, "certificate authority"],
])

/** The owner's name; undefined: none of this release. */
export function ownerName(owner: SeedOwner): string | undefined {
  return OWNER_NAMES.get(owner)
}

type Counts = Pick<SetTerms, "shares" | "threshold">

/** @throws SHARES_IMPOSSIBLE */
export function requirePossible(counts: Counts): void {
  if (isPossible(counts)) return
  const { shares, threshold } = counts
  const sentence = `${shares} shares with a threshold of ${threshold}: there can be ${MIN_THRESHOLD} to ${MAX_SHARES} shares, and a threshold from ${MIN_THRESHOLD} to their number`
  throw refuse("SHARES_IMPOSSIBLE", sentence)
}

export function isPossible({ shares, threshold }: Counts): boolean {
  const areWhole = Number.isInteger(shares) && Number.isInteger(threshold)
  return areWhole && threshold >= MIN_THRESHOLD && threshold <= shares && shares <= MAX_SHARES
}

/** The terms as bytes that are authenticated with each slot and by the check value inside the shared secret. */
export function termsBytes({
  owner,
  deploymentId,
  generation,
  setId,
  shares,
  threshold,
}: SetTerms): Uint8Array {
  const numbers = Uint8Array.of(owner, generation, shares, threshold)
  return lengthPrefixed(numbers, setId, new TextEncoder().encode(deploymentId))
}

/** First 4 bytes of the deployment's id: a share has no room for all 16. */
export function deploymentPrefix(deploymentId: string): Uint8Array {
  return Uint8Array.from(Buffer.from(deploymentId.slice(0, 8), "hex"))
}

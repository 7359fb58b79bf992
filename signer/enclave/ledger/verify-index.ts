import type { Steps } from "../../core/turns/steps.ts"
import type { VerifiedIndex } from "./ledger.ts"
import { isIndexShard } from "./overflow.ts"
import { isDamaged } from "./refusals.ts"
import type { CommittedShards } from "./shards.ts"

/** Names that are read from the table in one step. */
const NAMES_PER_STEP = 100

/** As `Ledger.verifyIndex`. */
export function* verifyIndex(shards: CommittedShards): Steps<VerifiedIndex> {
  let [verified, damaged] = [0, 0]
  for (const name of yield* indexShards(shards)) {
    if (!shards.hasRoomForIndex) return { verified, damaged, isWhole: false }
    if (yield* isSound(name, shards)) verified += 1
    else damaged += 1
    yield
  }
  return { verified, damaged, isWhole: true }
}

/** Names of the index shards that there are now. Later ones are verified by the change that creates them. */
function* indexShards({ reads }: CommittedShards): Steps<string[]> {
  const found: string[] = []
  for (let after = ""; ; ) {
    const page = reads.page({ of: "shards", after, atMost: NAMES_PER_STEP })
    const last = page.at(-1)?.name
    if (last === undefined) return found
    found.push(...page.map(({ name }) => name).filter(isIndexShard))
    after = last
    yield
  }
}

function* isSound(name: string, shards: CommittedShards): Steps<boolean> {
  try {
    yield* shards.verifiedInSteps(name)
    return true
  } catch (error) {
    if (isDamaged(error)) return false
    throw error
  }
}

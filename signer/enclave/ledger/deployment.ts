import { refuse } from "../../core/refusal.ts"
import { laneIn, LANES, type LaneState, laneOf, type LedgerLanes, requireNotAfter, stateOf } from "./lanes.ts"
import type { LaneTerm } from "./ledger.ts"
import { add, LedgerMac, isSame } from "./mac.ts"
import { prefixOfShard } from "./overflow.ts"
import { damaged } from "./refusals.ts"
import { FORMAT, type NamedShard, type StoredLane, type StoredReads, type Tenure } from "./store.ts"

export const FOREIGN =
  "the ledger belongs to another root seed: wrong host, backup or seed? Nothing was changed; restore the root seed of this " +
  "ledger, or the ledger of this root seed"

/** @throws LEDGER_FOREIGN when the identity's MAC is of another key */
export function requireIdentity({ identity, seal }: Tenure, key: Uint8Array): LedgerMac {
  const authenticator = new LedgerMac(key, identity)
  if (isSame(authenticator.sealIdentity(FORMAT), seal)) return authenticator
  throw refuse("LEDGER_FOREIGN", FOREIGN)
}

/** `overflowPrefixes`: name prefixes under which overflow shards exist. */
export type ReadDeployment = { state: LedgerLanes; overflowPrefixes: Set<string> }

/**
 * Checks that the lanes' rows cover exactly the stored shards, by one pass over their names and MACs: 7 seconds for a
 * million. The rows of a shard are verified when first read. From then on the lanes have the writer's fence. @throws LEDGER_DAMAGED
 */
export function readDeployment(
  { lanes: stored, fence }: Tenure,
  reads: StoredReads,
  authenticator: LedgerMac,
): ReadDeployment {
  if (stored.length !== LANES.length) throw damaged("the ledger lacks a lane")
  const state = stateOf(stored.map(withoutMembers))
  const overflowPrefixes = readMembers(reads, authenticator, state)
  for (const lane of stored) requireLane(lane, fence, laneIn(state, lane.lane), authenticator)
  return { state: { ...state, lanes: state.lanes.map((lane) => ({ ...lane, fence })) }, overflowPrefixes }
}

function withoutMembers({ lane, fence, epoch, sequence, floorMs, quietUntilMs }: StoredLane): LaneState {
  return { lane, fence, epoch, sequence, floorMs, quietUntilMs, shards: 0, sum: 0n }
}

function requireLane({ mac }: StoredLane, fence: number, lane: LaneState, authenticator: LedgerMac): void {
  if (lane.fence <= fence && isSame(authenticator.laneMac(lane), mac)) return
  throw damaged("the ledger's organizations are not those that were written")
}

/** Adds every shard to its lane. Requires strict order: a search in an unordered index could miss a shard. */
function readMembers(reads: StoredReads, authenticator: LedgerMac, state: LedgerLanes): Set<string> {
  const overflowPrefixes = new Set<string>()
  let previous: Buffer | undefined
  for (const { name, term, mac } of allShards(reads)) {
    const bytes = Buffer.from(name)
    if (previous !== undefined && Buffer.compare(previous, bytes) >= 0)
      throw damaged("the ledger's organizations are out of order")
    previous = bytes
    addMember(laneIn(state, laneOf(name)), term, authenticator.shardElement(term, name, mac))
    const prefix = prefixOfShard(name)
    if (prefix !== undefined) overflowPrefixes.add(prefix)
  }
  return overflowPrefixes
}

function* allShards(reads: StoredReads): Generator<NamedShard> {
  for (let last: string | undefined; ; ) {
    const behind = last === undefined ? {} : { after: last }
    const page = reads.page({ of: "shards", ...behind, atMost: SHARDS_AT_ONCE })
    yield* page
    last = page.at(-1)?.name
    if (last === undefined) return
  }
}

const SHARDS_AT_ONCE = 1_000

/** @throws LEDGER_DAMAGED for a shard of another lane, or one that is newer than its lane */
function addMember(lane: LaneState, term: LaneTerm, element: bigint): void {
  requireNotAfter(term, lane)
  lane.sum = add(lane.sum, element)
  lane.shards += 1
}

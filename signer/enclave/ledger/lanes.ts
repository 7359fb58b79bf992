import { damaged } from "./refusals.ts"
import { DEPLOYMENT, type Lane, type LaneTerm, type LedgerPosition, OUTCOMES } from "./ledger.ts"

// Lanes divide the ledger. Each has its own sequence, fence, epoch, sum and times, and a request changes one lane alone. Lane 0
// has the rows of the deployment: issuers, code sequences, setup, clock, rollback, claimed secrets. Lane 1 has all
// organizations. With n lanes of organizations, an organization's lane would be 1 + the first four bytes of SHA-256 of the
// top-level organization's id, modulo n; n is 1.

export const DEPLOYMENT_LANE: Lane = 0
export const ORGANIZATIONS_LANE: Lane = 1
export const LANES: readonly Lane[] = [DEPLOYMENT_LANE, ORGANIZATIONS_LANE]

export type LaneState = LedgerPosition["lanes"][number] & {
  floorMs: number
  quietUntilMs: number
  shards: number
  /** Sum of the shards' elements. */
  sum: bigint
}

/** The state of every lane, by its number, and the times of the process: the latest ones of all lanes. */
export type LedgerLanes = { lanes: readonly LaneState[]; floorMs: number; quietUntilMs: number }

export function laneOf(shard: string): Lane {
  const isOfDeployment = shard === DEPLOYMENT || (shard.startsWith("#") && shard !== OUTCOMES)
  return isOfDeployment ? DEPLOYMENT_LANE : ORGANIZATIONS_LANE
}

export function stateOf(lanes: readonly LaneState[]): LedgerLanes {
  return {
    lanes,
    floorMs: Math.max(...lanes.map(({ floorMs }) => floorMs)),
    quietUntilMs: Math.max(...lanes.map(({ quietUntilMs }) => quietUntilMs)),
  }
}

/** A ledger opens with all lanes only (deployment.ts). */
export function laneIn({ lanes }: LedgerLanes, lane: Lane): LaneState {
  return lanes[lane]!
}

/** Lanes of a new ledger, before its first transaction. */
export function emptyState(): LedgerLanes {
  const none = { sequence: 0n, floorMs: 0, quietUntilMs: 0, shards: 0, sum: 0n }
  return stateOf(LANES.map((lane) => ({ lane, fence: FIRST_FENCE, epoch: 0, ...none })))
}

const FIRST_FENCE = 1

/** Requires that what contains an item was written with it or after it. @throws LEDGER_DAMAGED */
export function requireNotAfter(item: LaneTerm, whole: LaneTerm): void {
  if (item.lane !== whole.lane || item.fence > whole.fence || item.epoch > whole.epoch)
    throw damaged("an item of the ledger is of another lane, or newer than what contains it")
}

import { randomBytes } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { blob, damaged, guardRead } from "./fault.ts"
import { laneIn, LANES, type LaneState, laneOf, type LedgerLanes, requireNotAfter, stateOf } from "./lanes.ts"
import type { LaneTerm } from "./ledger.ts"
import { add, LedgerMac, isSame } from "./mac.ts"
import { prefixOfShard } from "./overflow.ts"
import { FORMAT } from "./schema.ts"
import type { Statements, StoredLane } from "./statements.ts"

/** Stores 32 random bytes, which all other MACs cover: rows of two ledgers with one root seed cannot be exchanged. */
export function createIdentity(connection: DatabaseSync, key: Uint8Array): LedgerMac {
  const authenticator = new LedgerMac(key, randomBytes(32))
  const statement = connection.prepare("INSERT INTO ledger VALUES (1, ?, ?)")
  statement.run(authenticator.identity, authenticator.sealIdentity(FORMAT))
  return authenticator
}

export const FOREIGN =
  "the ledger belongs to another root seed: wrong host, backup or seed? Nothing was changed; restore the root seed of this " +
  "ledger, or the ledger of this root seed"

/** @throws LEDGER_FOREIGN when the identity's MAC is of another key, LEDGER_DAMAGED when there is no identity */
export function readIdentity(connection: DatabaseSync, key: Uint8Array): LedgerMac {
  const row = guardRead(() => connection.prepare("SELECT identity, seal FROM ledger WHERE id = 1").get())
  if (row === undefined) throw damaged("the ledger has no identity")
  const authenticator = new LedgerMac(key, blob(row["identity"], 32))
  if (isSame(authenticator.sealIdentity(FORMAT), blob(row["seal"], 32))) return authenticator
  throw refuse("LEDGER_FOREIGN", FOREIGN)
}

/** `overflowPrefixes`: name prefixes under which overflow shards exist. */
export type ReadDeployment = { state: LedgerLanes; overflowPrefixes: Set<string> }

/**
 * Reads the lanes' rows and checks that they cover exactly the shards in the file, by one pass over their names and
 * MACs: 7 seconds for a million. The rows of a shard are verified when first read. @throws LEDGER_DAMAGED
 */
export function readDeployment(statements: Statements, authenticator: LedgerMac): ReadDeployment {
  const stored = guardRead(() => statements.lanes())
  if (stored.length !== LANES.length) throw damaged("the ledger lacks a lane")
  const state = stateOf(stored.map(withoutMembers))
  const overflowPrefixes = guardRead(() => readMembers(statements, authenticator, state))
  for (const lane of stored) requireLane(lane, laneIn(state, lane.lane), authenticator)
  return { state, overflowPrefixes }
}

function withoutMembers({ lane, fence, epoch, sequence, floorMs, quietUntilMs }: StoredLane): LaneState {
  return { lane, fence, epoch, sequence, floorMs, quietUntilMs, shards: 0, sum: 0n }
}

function requireLane({ mac }: StoredLane, lane: LaneState, authenticator: LedgerMac): void {
  if (isSame(authenticator.laneMac(lane), mac)) return
  throw damaged("the ledger's organizations are not those that were written")
}

/** Adds every shard to its lane. Requires strict order: a search in an unordered index could miss a shard. */
function readMembers(statements: Statements, authenticator: LedgerMac, state: LedgerLanes): Set<string> {
  const overflowPrefixes = new Set<string>()
  let previous: Buffer | undefined
  for (const { id, term, mac } of statements.organizations()) {
    const name = Buffer.from(id)
    if (previous !== undefined && Buffer.compare(previous, name) >= 0)
      throw damaged("the ledger's organizations are out of order")
    previous = name
    addMember(laneIn(state, laneOf(id)), term, authenticator.shardElement(term, id, mac))
    const prefix = prefixOfShard(id)
    if (prefix !== undefined) overflowPrefixes.add(prefix)
  }
  return overflowPrefixes
}

/** @throws LEDGER_DAMAGED for a shard of another lane, or one that is newer than its lane */
function addMember(lane: LaneState, term: LaneTerm, element: bigint): void {
  requireNotAfter(term, lane)
  lane.sum = add(lane.sum, element)
  lane.shards += 1
}

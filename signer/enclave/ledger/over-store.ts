import { advance, type Steps } from "../../core/turns/steps.ts"
import { readDeployment, requireIdentity } from "./deployment.ts"
import { turn } from "./event-loop.ts"
import { GroupCommit } from "./group-commit.ts"
import { laneIn, laneOf, ORGANIZATIONS_LANE } from "./lanes.ts"
import { type IndexChange, type Ledger, type LedgerChange, OUTCOMES, type RowKind } from "./ledger.ts"
import { purgeExpired, purgeRemoved } from "./purge.ts"
import { readChange, readIndexChange, requireCount, requireTime } from "./read-change.ts"
import { ledgerClosed } from "./refusals.ts"
import { CommittedShards, SHARD_LIMITS, type ShardLimits } from "./shards.ts"
import type { LedgerStore, Tenure } from "./store.ts"
import { verifyIndex } from "./verify-index.ts"
import { requireWitness, Witness } from "./witness.ts"

export type LedgerOverOptions = {
  /** 32 bytes, a branch of the root seed used for nothing else. */
  key: Uint8Array
  /** File of the witness; undefined: the store needs none. */
  witness?: string
  /** Ends the process at once; called once, after a write or sync failed. */
  terminate: (error: unknown) => void
  limits?: Partial<ShardLimits>
  /**
   * Called after each transaction, with the number of requests that it made durable and the time in which it was written
   * and synced, for metrics and tests.
   */
  onBatch?: (requests: number, syncSeconds: number) => void
  /** Called after the sync of each transaction, before anyone learns of it. */
  onCommit?: () => void
}

/**
 * The ledger over a store that this process has taken over, which the ledger closes.
 * @throws LEDGER_FOREIGN, LEDGER_DAMAGED
 */
export function ledgerOver(store: LedgerStore, tenure: Tenure, options: LedgerOverOptions): Ledger {
  const authenticator = requireIdentity(tenure, options.key)
  const { state, overflowPrefixes } = readDeployment(tenure, store.reads, authenticator)
  const { witness: file } = options
  if (file !== undefined) requireWitness(file, state, authenticator)
  const witness = file === undefined ? undefined : new Witness(file, "r+", authenticator)
  const limits = { ...SHARD_LIMITS, ...options.limits }
  const shards = new CommittedShards(store.reads, authenticator, state, limits, overflowPrefixes)
  const { terminate, onBatch = () => {}, onCommit = () => {} } = options
  const { fence } = tenure
  const group = new GroupCommit({ store, fence, shards, witness, terminate, onBatch, onCommit })
  store.onFault = (error) => group.fail(error)
  return ledgerOf(shards, group, store, async () => {
    await store.close()
    witness?.close()
  })
}

function ledgerOf(
  shards: CommittedShards,
  group: GroupCommit,
  store: LedgerStore,
  release: () => Promise<void>,
): Ledger {
  const opened = new OpenShards(shards)
  return {
    ...readsOf(opened),
    ...writesOf(opened, group, store),
    ...timesOf(shards, group),
    isFull: () => group.isFull,
    sequence: () => laneIn(opened.get().state, ORGANIZATIONS_LANE).sequence,
    position() {
      const lanes = shards.state.lanes.map(({ lane, fence, epoch, sequence }) => ({
        lane,
        fence,
        epoch,
        sequence,
      }))
      return { identity: new Uint8Array(shards.authenticator.identity), lanes }
    },
    term(organizationId) {
      const { lane, fence, epoch } = laneIn(opened.get().state, laneOf(organizationId))
      return { lane, fence, epoch }
    },
    beginEpoch: (atSeconds) => group.submit((transaction) => transaction.beginEpoch(requireCount(atSeconds))),
    stateDigest: () => shards.authenticator.stateDigest(shards.state.lanes),
    async close() {
      if (!opened.close()) return
      await group.end()
      await release()
    },
  }
}

/** The shards, until the ledger is closed. */
class OpenShards {
  readonly shards: CommittedShards
  /** Removals of outcomes that the next transaction makes, by the outcomes' keys. */
  readonly removals = new Map<string, Promise<void>>()
  #isClosed = false

  constructor(shards: CommittedShards) {
    this.shards = shards
  }

  get(): CommittedShards {
    if (this.#isClosed) throw ledgerClosed()
    return this.shards
  }

  isForgotten(shard: string, kind: RowKind, key: string): boolean {
    return shard === OUTCOMES && kind === "outcome" && this.removals.has(key)
  }

  /** The ledger may be closed between two steps. */
  *during<T>(steps: Steps<T>): Steps<T> {
    for (;;) {
      this.get()
      const result = steps.next()
      if (result.done === true) return result.value
      yield
    }
  }

  /** False: closed before. */
  close(): boolean {
    const wasOpen = !this.#isClosed
    this.#isClosed = true
    return wasOpen
  }
}

type Reads =
  | "head"
  | "row"
  | "rows"
  | "ownRows"
  | "page"
  | "group"
  | "organizations"
  | "verifyIndex"
  | "prepare"
  | "overflowExceeds"

function readsOf(opened: OpenShards): Pick<Ledger, Reads> {
  const { shards } = opened
  return {
    head(organizationId) {
      const head = opened.get().verified(organizationId)?.head
      return head && { version: head.version, digest: new Uint8Array(head.digest) }
    },
    row(organizationId, kind, key) {
      if (opened.isForgotten(organizationId, kind, key)) return undefined
      const value = opened.get().value(organizationId, kind, key)
      return value && new Uint8Array(value)
    },
    rows(organizationId, kind) {
      const rows = opened.get().rows(organizationId, kind)
      return rows.filter(({ key }) => !opened.isForgotten(organizationId, kind, key))
    },
    ownRows: (organizationId, kind) => opened.get().ownRowsOf(organizationId, kind),
    page: (organizationId, kind, after, limits) => opened.get().page(organizationId, kind, after, limits),
    group: (organizationId, kind, name, atMost) =>
      opened.during(shards.group(organizationId, kind, name, atMost)),
    organizations: (after, atMost) => opened.get().organizations(after, atMost),
    verifyIndex: () => opened.during(verifyIndex(shards)),
    prepare: (organizationId, names) => opened.during(shards.prepare(organizationId, names)),
    overflowExceeds: (organizationId, rows) => opened.during(shards.overflowExceeds(organizationId, rows)),
  }
}

function writesOf(
  opened: OpenShards,
  group: GroupCommit,
  store: LedgerStore,
): Pick<Ledger, "commit" | "forgetOutcome" | "settleRemovals" | "purge"> {
  const { shards } = opened
  return {
    async commit(changes, indexChanges = []) {
      const read = changes.map(readChange)
      const readIndex = indexChanges.map(readIndexChange)
      requireOneLane(read, readIndex)
      const preparation = opened.during(prepared(shards, read, readIndex))
      while (advance(preparation).done !== true) await turn()
      await group.submit(function* (transaction) {
        for (const change of read) yield* transaction.applyChange(change)
        for (const change of readIndex) yield* transaction.applyIndexChange(change)
      })
    },
    async forgetOutcome(key) {
      const change = readIndexChange({
        shard: OUTCOMES,
        update: [{ kind: "outcome", key, next: () => undefined }],
      })
      opened.get()
      const removal = group.submit((transaction) => transaction.applyIndexChange(change), false)
      opened.removals.set(key, removal)
      try {
        await removal
      } finally {
        opened.removals.delete(key)
      }
    },
    async settleRemovals() {
      await Promise.allSettled(opened.removals.values())
    },
    async purge(nowMs) {
      const parts = { store, group }
      const expired = await purgeExpired(parts, requireTime(nowMs))
      return expired + (await purgeRemoved(parts, shards))
    },
  }
}

type Times = "timeFloorMs" | "advanceTimeFloor" | "quietUntilMs" | "resetTimeFloor"

function timesOf(shards: CommittedShards, group: GroupCommit): Pick<Ledger, Times> {
  return {
    timeFloorMs: () => shards.state.floorMs,
    advanceTimeFloor: (nowMs) => group.advanceTime(requireTime(nowMs)),
    quietUntilMs: () => shards.state.quietUntilMs,
    async resetTimeFloor(nowMs, quietUntilMs) {
      const floorMs = requireTime(nowMs)
      requireTime(quietUntilMs)
      await group.submit((transaction) => {
        group.forgetTime()
        transaction.setTimes(floorMs, quietUntilMs)
      })
    },
  }
}

/** A transaction of two lanes could not be written where each lane has a store of its own. @throws RangeError */
function requireOneLane(changes: readonly LedgerChange[], indexChanges: readonly IndexChange[]): void {
  const shards = [
    ...changes.map(({ organizationId }) => organizationId),
    ...indexChanges.map(({ shard }) => shard),
  ]
  if (new Set(shards.map(laneOf)).size > 1)
    throw new RangeError("the changes of one request belong to one lane")
}

/** Verifies the shards of changes before their transaction begins: the changes of others do not wait for that. */
function* prepared(
  shards: CommittedShards,
  changes: readonly LedgerChange[],
  indexChanges: readonly IndexChange[],
): Steps<void> {
  for (const { organizationId, put, remove, mustBeAbsent = [] } of changes)
    yield* shards.prepare(organizationId, [...mustBeAbsent, ...remove, ...put])
  for (const { shard } of indexChanges) yield* shards.verifiedInSteps(shard)
}

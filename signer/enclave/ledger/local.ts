import { existsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../core/refusal.ts"
import { advance, type Steps } from "../../core/turns/steps.ts"
import { carryOver, type CarryOverOptions, installWitness } from "./carry-over.ts"
import { openConnection } from "./connection.ts"
import type { LedgerLocation } from "./create-ledger.ts"
import { readDeployment, readIdentity } from "./deployment.ts"
import { ledgerClosed } from "./fault.ts"
import { type LedgerFiles, ledgerFiles } from "./files.ts"
import { GroupCommit } from "./group-commit.ts"
import { laneIn, laneOf, ORGANIZATIONS_LANE } from "./lanes.ts"
import type { IndexChange, Ledger, LedgerChange } from "./ledger.ts"
import { LongWriter, turn } from "./long-writer.ts"
import { purgeExpired, purgeRemoved } from "./purge.ts"
import { readChange, readIndexChange, requireCount, requireTime } from "./read-change.ts"
import { isEarlierFormat, requireSchema } from "./schema.ts"
import { CommittedShards, SHARD_LIMITS, type ShardLimits } from "./shards.ts"
import { Statements } from "./statements.ts"
import { verifyIndex } from "./verify-index.ts"
import { requireWitness, Witness } from "./witness.ts"

export type LedgerOptions = LedgerLocation &
  CarryOverOptions & {
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
 * Opens the local ledger; carries one of format 2 over.
 * @throws LEDGER_MISSING, LEDGER_FOREIGN, LEDGER_FORMAT_UNKNOWN, LEDGER_DAMAGED, LEDGER_FULL, LedgerInUse
 */
export function openLedger(options: LedgerOptions): Ledger {
  const files = ledgerFiles(options.directory)
  if (!existsSync(files.database)) throw refuse("LEDGER_MISSING", "the ledger's directory contains no ledger")
  const connection = openConnection(files.database)
  try {
    if (isEarlierFormat(connection)) carryOver(connection, files, options)
    else installWitness(files)
    return serveLedger(connection, files, options)
  } catch (error) {
    connection.close()
    throw error
  }
}

/** `openLedger` over an open connection, which the ledger closes. */
export function serveLedger(
  connection: DatabaseSync,
  files: LedgerFiles,
  options: LedgerOptions,
  longWriter = new LongWriter(files.database),
): Ledger {
  requireSchema(connection)
  const authenticator = readIdentity(connection, options.key)
  const statements = new Statements(connection)
  const { state, overflowPrefixes } = readDeployment(statements, authenticator)
  requireWitness(files.witness, state, authenticator)
  const limits = { ...SHARD_LIMITS, ...options.limits }
  const shards = new CommittedShards(statements, authenticator, state, limits, overflowPrefixes)
  const witness = new Witness(files.witness, "r+", authenticator)
  const { terminate, onBatch = () => {}, onCommit = () => {} } = options
  const group = new GroupCommit({ connection, shards, longWriter, witness, terminate, onBatch, onCommit })
  return ledgerOver(shards, group, async () => {
    await longWriter.close()
    connection.close()
    witness.close()
  })
}

function ledgerOver(shards: CommittedShards, group: GroupCommit, release: () => Promise<void>): Ledger {
  const opened = new OpenShards(shards)
  return {
    ...readsOf(opened),
    ...writesOf(opened, group),
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
  #isClosed = false

  constructor(shards: CommittedShards) {
    this.shards = shards
  }

  get(): CommittedShards {
    if (this.#isClosed) throw ledgerClosed()
    return this.shards
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
      const value = opened.get().value(organizationId, kind, key)
      return value && new Uint8Array(value)
    },
    rows: (organizationId, kind) => opened.get().rows(organizationId, kind),
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

function writesOf(opened: OpenShards, group: GroupCommit): Pick<Ledger, "commit" | "purge"> {
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
    async purge(nowMs) {
      const expired = await purgeExpired(shards, group, requireTime(nowMs))
      return expired + (await purgeRemoved(shards, group))
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

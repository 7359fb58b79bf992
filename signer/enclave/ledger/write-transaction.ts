import { requireInvariant } from "../../core/invariant.ts"
import { refuse } from "../../core/refusal.ts"
import type { Steps } from "../../core/turns/steps.ts"
import type {
  IndexChange,
  Lane,
  LedgerChange,
  LedgerRow,
  OrganizationHead,
  RowKind,
  RowName,
} from "./ledger.ts"
import { CHANGED } from "./ledger.ts"
import { laneIn, laneOf, ORGANIZATIONS_LANE, type LaneState, type LedgerLanes } from "./lanes.ts"
import { add, isSame, subtract } from "./mac.ts"
import { ownerOf } from "./overflow.ts"
import { damaged } from "./refusals.ts"
import { type CommittedShards, rowName } from "./shards.ts"
import type { StoredChange, StoredLane, StoredRow, StoredShard } from "./store.ts"
import { uint64 } from "./uint64.ts"
import type { VerifiedShard } from "./verify-shard.ts"

/** A row that the transaction writes; `stored` undefined: it removes the row. */
type WrittenRow = { shard: string; name: RowName; stored: VerifiedRow | undefined }
type VerifiedRow = StoredRow & { element: bigint }

/**
 * The changes of one transaction. Nothing is written to the file before: reads see the committed state however
 * long the changes take to prepare. A nested transaction is merged when its request succeeded.
 */
export class WriteTransaction {
  /** The times are those that the transaction sets in each lane that it changes. */
  state: LedgerLanes
  readonly shards = new Map<string, VerifiedShard>()
  readonly rows = new Map<string, WrittenRow>()
  readonly #heads: [string, StoredShard][] = []
  readonly #lanes = new Set<Lane>()
  readonly #overflowShards = new Map<string, string | undefined>()
  /** Committed rows by `rowName`: none changes while the transaction is prepared, and each is looked for up to three times. */
  readonly #read: Map<string, StoredRow | undefined>
  readonly #committed: CommittedShards
  readonly #outer: WriteTransaction | undefined

  constructor(committed: CommittedShards, state: LedgerLanes, outer?: WriteTransaction) {
    this.#committed = committed
    this.state = { ...state, lanes: state.lanes.map((lane) => ({ ...lane })) }
    this.#outer = outer
    this.#read = outer === undefined ? new Map() : outer.#read
  }

  nest(): WriteTransaction {
    return new WriteTransaction(this.#committed, this.state, this)
  }

  merge(nested: WriteTransaction): void {
    this.state = nested.state
    for (const lane of nested.#lanes) this.#lanes.add(lane)
    for (const [name, shard] of nested.shards) this.shards.set(name, shard)
    for (const [name, row] of nested.rows) this.rows.set(name, row)
  }

  /** @throws ORGANIZATION_BUSY, LEDGER_DAMAGED, RangeError */
  *applyChange(change: LedgerChange): Steps<void> {
    const { organizationId, expect, head, put, remove, mustBeAbsent, notesSequence } = change
    const current = this.#shard(organizationId)
    requireExpected(current?.head, expect)
    if (current === undefined) this.#requireNoRows(organizationId)
    else requireForward(current.head, head)
    yield* this.#requireAbsent(organizationId, mustBeAbsent ?? [])
    this.shards.set(organizationId, { ...(current ?? EMPTY_SHARD), head })
    for (const name of remove) {
      this.#remove(this.#shardWith(organizationId, name) ?? organizationId, name)
      yield
    }
    for (const row of put) {
      this.#put(this.#shardFor(organizationId, row), row)
      yield
    }
    if (notesSequence === true) this.#noteSequence(organizationId)
  }

  /** @throws ORGANIZATION_BUSY, LEDGER_DAMAGED */
  *applyIndexChange({ shard, put, update, mustBeAbsent }: Required<IndexChange>): Steps<void> {
    this.#include(shard, this.#shard(shard))
    yield* this.#requireAbsent(shard, mustBeAbsent)
    for (const row of put) this.#put(shard, row)
    for (const { kind, key, next } of update) {
      const value = next(this.#verifiedRow(shard, { kind, key })?.row.value)
      if (value === undefined) this.#remove(shard, { kind, key })
      else this.#put(shard, { kind, key, value })
    }
  }

  /** Removes the named rows that still exist and fulfil the condition; returns their number. @throws LEDGER_DAMAGED */
  removeRows(shard: string, names: readonly RowName[], condition?: (row: LedgerRow) => boolean): number {
    const current = this.#shard(shard)
    if (current === undefined) throw damaged("a row of the ledger belongs to no organization")
    this.shards.set(shard, current)
    return names.filter((name) => this.#remove(shard, name, condition)).length
  }

  /** Sets the times of every lane, also down: for an operator's orders only. */
  setTimes(floorMs: number, quietUntilMs: number): void {
    this.state = { ...this.state, floorMs, quietUntilMs }
    this.#changeEveryLane()
  }

  /** Begins one epoch in every lane: `atSeconds`, or the one after the lanes' own. */
  beginEpoch(atSeconds: number): void {
    const epoch = Math.max(atSeconds, ...this.state.lanes.map((lane) => lane.epoch + 1))
    for (const lane of this.state.lanes) lane.epoch = epoch
    this.#changeEveryLane()
  }

  #changeEveryLane(): void {
    for (const { lane } of this.state.lanes) this.#lanes.add(lane)
  }

  /** Authenticates the changed shards and lanes; called last, before `changes`. */
  *finish(): Steps<void> {
    const { authenticator } = this.#committed
    for (const [name, shard] of this.shards) {
      yield
      const lane = this.#lane(name)
      const { fence, epoch } = lane
      const term = { lane: lane.lane, fence, epoch }
      const mac = authenticator.shardMac(term, name, shard)
      const element = authenticator.shardElement(term, name, mac)
      this.#heads.push([name, { head: shard.head, term, mac }])
      if (shard.element === EMPTY_SHARD.element) lane.shards += 1
      lane.sum = add(subtract(lane.sum, shard.element), element)
      this.shards.set(name, { ...shard, element })
      this.#lanes.add(lane.lane)
    }
    if (this.#lanes.size === 0) this.#lanes.add(ORGANIZATIONS_LANE)
    const { floorMs, quietUntilMs } = this.state
    for (const lane of this.changedLanes()) {
      Object.assign(lane, { floorMs, quietUntilMs })
      lane.sequence += 1n
    }
  }

  /** The lanes that the transaction writes, once it is finished. */
  changedLanes(): LaneState[] {
    return [...this.#lanes].map((lane) => laneIn(this.state, lane))
  }

  /** Everything that is written, but for the lanes. */
  *changes(): Generator<StoredChange> {
    for (const { shard, name, stored } of this.rows.values())
      if (stored === undefined) yield { is: "removal", shard, name }
      else yield { is: "entry", shard, row: stored.row, term: stored.term, mac: stored.mac }
    for (const [name, stored] of this.#heads) yield { is: "shard", name, stored }
  }

  /** The changed lanes as they are written. */
  storedLanes(): StoredLane[] {
    return this.changedLanes().map((lane) => {
      const { shards: _, sum: __, ...stored } = lane
      return { ...stored, mac: this.#committed.authenticator.laneMac(lane) }
    })
  }

  /** Values of the written rows, for the cache, as CommittedShards names them; undefined for removed ones. */
  values(): Map<string, Uint8Array | undefined> {
    const values = new Map<string, Uint8Array | undefined>()
    for (const { shard, name, stored } of this.rows.values()) {
      const cached = rowName(ownerOf(shard), name.kind, name.key)
      // A row that leaves one shard for another is removed from the one and written into the other.
      if (stored !== undefined || !values.has(cached)) values.set(cached, stored?.row.value)
    }
    return values
  }

  /** The sequence of this transaction, by which a database that is older than the ledger is found. */
  #noteSequence(organizationId: string): void {
    this.#put(organizationId, { ...CHANGED, value: uint64(this.#lane(organizationId).sequence + 1n) })
  }

  #lane(shard: string): LaneState {
    return laneIn(this.state, laneOf(shard))
  }

  #uncommitted(name: string): VerifiedShard | undefined {
    return this.shards.get(name) ?? this.#outer?.shards.get(name)
  }

  #shard(name: string): VerifiedShard | undefined {
    return this.#uncommitted(name) ?? this.#committed.verified(name)
  }

  /** Adds an index or overflow shard to the transaction, creating it where it does not exist yet. */
  #include(name: string, current: VerifiedShard | undefined): void {
    if (current === undefined) this.#requireNoRows(name)
    this.shards.set(name, current ?? { ...EMPTY_SHARD, head: NO_DOCUMENT })
  }

  /** The shard of the organization that contains the row: its own or an overflow shard; undefined for no such row. */
  #shardWith(organizationId: string, name: RowName): string | undefined {
    if (this.#stored(organizationId, name) !== undefined) return organizationId
    const overflow = this.#overflowShard(organizationId, name)
    if (overflow === undefined) return undefined
    const shard = this.#overflow(organizationId, name.kind, overflow)
    if (shard === undefined || this.#stored(overflow, name) === undefined) return undefined
    this.#include(overflow, shard)
    return overflow
  }

  /** The shard to write a row to: the one that contains it, else the organization's own unless that is full. */
  #shardFor(organizationId: string, row: LedgerRow): string {
    const present = this.#shardWith(organizationId, row)
    if (present !== undefined) return present
    const rowCount = this.shards.get(organizationId)?.rowCount ?? 0
    const isFull = rowCount >= this.#committed.ownRows
    const overflow = isFull ? this.#overflowShard(organizationId, row) : undefined
    if (overflow === undefined) return organizationId
    this.#include(overflow, this.#shard(overflow))
    return overflow
  }

  /** Reads nothing from disk where the organization has no overflow shard for rows of the kind. */
  #overflow(organizationId: string, kind: RowKind, name: string): VerifiedShard | undefined {
    const uncommitted = this.#uncommitted(name)
    if (uncommitted !== undefined || !this.#committed.hasOverflow(organizationId, kind)) return uncommitted
    return this.#committed.verified(name)
  }

  /** A row is looked for, required to be absent and written: its shard is computed once. */
  #overflowShard(organizationId: string, { kind, key }: RowName): string | undefined {
    const name = rowName(organizationId, kind, key)
    if (this.#overflowShards.has(name)) return this.#overflowShards.get(name)
    const shard = this.#committed.overflowShard(organizationId, { kind, key })
    this.#overflowShards.set(name, shard)
    return shard
  }

  #written(shard: string, { kind, key }: RowName): WrittenRow | undefined {
    const name = rowName(shard, kind, key)
    return this.rows.get(name) ?? this.#outer?.rows.get(name)
  }

  #stored(shard: string, name: RowName): StoredRow | undefined {
    const written = this.#written(shard, name)
    if (written !== undefined) return written.stored
    const key = rowName(shard, name.kind, name.key)
    if (this.#read.has(key)) return this.#read.get(key)
    const stored = this.#committed.reads.row(shard, name)
    this.#read.set(key, stored)
    return stored
  }

  #verifiedRow(shard: string, name: RowName): VerifiedRow | undefined {
    const written = this.#written(shard, name)
    if (written !== undefined) return written.stored
    const stored = this.#stored(shard, name)
    return stored && { ...stored, element: this.#committed.verifyRow(shard, stored) }
  }

  #put(shard: string, row: LedgerRow): void {
    this.#remove(shard, row)
    const { lane, fence, epoch } = this.#lane(shard)
    const term = { lane, fence, epoch }
    const { mac, element } = this.#committed.authenticator.row(term, shard, row)
    this.#count(shard, 1, element)
    const { kind, key } = row
    const stored = { row, term, mac, element }
    this.rows.set(rowName(shard, kind, key), { shard, name: { kind, key }, stored })
  }

  *#requireAbsent(shard: string, names: RowName[]): Steps<void> {
    for (const name of names) {
      if (this.#shardWith(shard, name) !== undefined) throw busy()
      yield
    }
  }

  /** False when there is no such row or `condition` does not hold for it. */
  #remove(shard: string, name: RowName, condition: (row: LedgerRow) => boolean = () => true): boolean {
    const verified = this.#verifiedRow(shard, name)
    if (verified === undefined || !condition(verified.row)) return false
    this.#count(shard, -1, verified.element)
    const { kind, key } = name
    this.rows.set(rowName(shard, kind, key), { shard, name: { kind, key }, stored: undefined })
    return true
  }

  #count(name: string, count: 1 | -1, element: bigint): void {
    const shard = this.shards.get(name)
    requireInvariant(shard !== undefined, "rows change only within a change of their shard")
    // A row that was removed before and is on the disk again would leave a count that no later start could verify.
    requireInvariant(shard.rowCount + count >= 0, "a shard has the rows that are removed from it")
    const sum = count === 1 ? add(shard.sum, element) : subtract(shard.sum, element)
    this.shards.set(name, { ...shard, rowCount: shard.rowCount + count, sum })
  }

  #requireNoRows(shard: string): void {
    if (this.#committed.reads.rowsIn(shard).length > 0)
      throw damaged("the ledger has rows of an organization that was never created")
  }
}

/** A shard before its first commit adds nothing to its lane; no real element is 0. */
const EMPTY_SHARD = { rowCount: 0, sum: 0n, element: 0n }

/** Head of a shard that has rows and no document. */
export const NO_DOCUMENT: OrganizationHead = { version: 0n, digest: new Uint8Array(32) }

const busy = () =>
  refuse("ORGANIZATION_BUSY", "the organization changed meanwhile; send the same request again")

function requireExpected(current: OrganizationHead | undefined, expect: OrganizationHead | undefined): void {
  if (current === undefined && expect === undefined) return
  if (current === undefined || expect === undefined || !isSameHead(current, expect)) throw busy()
}

function requireForward(current: OrganizationHead, next: OrganizationHead): void {
  if (next.version > current.version || isSameHead(current, next)) return
  throw new RangeError("an organization's version only grows, and each version has one digest")
}

const isSameHead = (one: OrganizationHead, other: OrganizationHead): boolean =>
  one.version === other.version && isSame(one.digest, other.digest)

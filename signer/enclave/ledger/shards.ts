import type {
  GroupedKind,
  LedgerPage,
  LedgerRow,
  OrganizationState,
  PageLimits,
  RowKind,
  RowName,
} from "./ledger.ts"
import { type KeptLimits, KeptShards } from "./kept-shards.ts"
import type { LedgerLanes } from "./lanes.ts"
import { type LedgerMac, isSame } from "./mac.ts"
import {
  groupOverflowShards,
  groupRange,
  holdingsPrefix,
  organizationOf,
  overflowPrefix,
  overflowShard,
  prefixOfShard,
  prefixRange,
  readCursor,
  writeCursor,
} from "./overflow.ts"
import { RecentlyUsed } from "../../core/recently-used.ts"
import { runAtOnce, type Steps } from "../../core/turns/steps.ts"
import type { RowsPage, StoredReads, StoredRow, StoredShard } from "./store.ts"
import { type VerifiedShard, verifyRow, verifyRows } from "./verify-shard.ts"

export type ShardLimits = KeptLimits & {
  /** Bytes of row values kept in memory. */
  rowBytes: number
  /** Rows in an organization's own shard before rows go to overflow shards; verifying 1,000 rows takes 10 ms. */
  ownRows: number
}

export const SHARD_LIMITS: ShardLimits = {
  organizations: 100_000,
  indexShards: 2 * 65_536,
  rowBytes: 64 * 1024 * 1024,
  ownRows: 1_000,
}

/** The committed rows, verified when first read: in an organization's own shard and its overflow shards (overflow.ts). */
export class CommittedShards {
  readonly reads: StoredReads
  readonly authenticator: LedgerMac
  readonly ownRows: number
  state: LedgerLanes
  /** Name prefixes under which overflow shards exist; under all others no shard is looked for. */
  readonly #overflowPrefixes: Set<string>
  readonly #verified: KeptShards
  /**
   * Row values by organization or index shard, kind and key, in whichever shard the row is: finding that shard costs a MAC.
   * Absent rows too, because fingerprint look-ups mostly find none.
   */
  readonly #rows: RecentlyUsed<string, { value: Uint8Array | undefined }>

  constructor(
    reads: StoredReads,
    authenticator: LedgerMac,
    state: LedgerLanes,
    limits: ShardLimits,
    overflowPrefixes: Set<string> = new Set(),
  ) {
    this.reads = reads
    this.authenticator = authenticator
    this.ownRows = limits.ownRows
    this.state = state
    this.#overflowPrefixes = overflowPrefixes
    this.#verified = new KeptShards(limits)
    this.#rows = new RecentlyUsed(limits.rowBytes)
  }

  /** @throws LEDGER_DAMAGED */
  verified(shard: string): VerifiedShard | undefined {
    return this.#verified.get(shard) ?? runAtOnce(this.#verify(shard))
  }

  /** As `verified`, in steps. @throws LEDGER_DAMAGED */
  *verifiedInSteps(shard: string): Steps<VerifiedShard | undefined> {
    return this.#verified.get(shard) ?? (yield* this.#verify(shard))
  }

  /** False once a further index shard displaces another one from memory. */
  get hasRoomForIndex(): boolean {
    return this.#verified.hasRoomForIndex
  }

  /** Verifies the shards of rows in steps: reading or writing the rows at once verifies none. @throws LEDGER_DAMAGED */
  *prepare(organizationId: string, names: readonly RowName[]): Steps<void> {
    yield* this.verifiedInSteps(organizationId)
    for (const name of names) {
      if (!this.hasOverflow(organizationId, name.kind)) continue
      const shard = this.overflowShard(organizationId, name)
      if (shard !== undefined) yield* this.#verifyOverflow(shard)
      yield
    }
  }

  /** A pause follows each of them: an organization may have thousands of a few rows. */
  *#verifyOverflow(shard: string): Steps<VerifiedShard | undefined> {
    const known = this.#verified.get(shard)
    if (known !== undefined) return known
    yield* this.#verify(shard)
    yield
    return this.verified(shard)
  }

  /** True if a committed overflow shard for rows of the kind exists. */
  hasOverflow(organizationId: string, kind: RowKind): boolean {
    const prefix = overflowPrefix(organizationId, kind)
    return prefix !== undefined && this.#overflowPrefixes.has(prefix)
  }

  overflowShard(organizationId: string, name: RowName): string | undefined {
    return overflowShard(this.authenticator, organizationId, name)
  }

  /** The cached value itself, not a copy. @throws LEDGER_DAMAGED */
  value(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined {
    if (this.verified(organizationId) === undefined || !key.isWellFormed()) return undefined
    const name = rowName(organizationId, kind, key)
    const cached = this.#rows.get(name)
    if (cached !== undefined) return cached.value
    const value = this.#storedValue(organizationId, { kind, key })
    this.#cacheRow(name, value)
    return value
  }

  #storedValue(organizationId: string, row: RowName): Uint8Array | undefined {
    const own = this.#valueIn(organizationId, row)
    if (own !== undefined || !this.hasOverflow(organizationId, row.kind)) return own
    const shard = this.overflowShard(organizationId, row)
    return shard === undefined ? undefined : this.#valueIn(shard, row)
  }

  /** @throws LEDGER_DAMAGED */
  rows(organizationId: string, kind: RowKind): LedgerRow[] {
    const own = this.#rowsIn(organizationId, kind)
    const prefix = overflowPrefix(organizationId, kind)
    if (prefix === undefined) return own
    const all = [...own, ...this.#shardsUnder(prefix).flatMap((shard) => this.#rowsIn(shard, kind))]
    return all.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** @throws LEDGER_DAMAGED */
  ownRowsOf(organizationId: string, kind: RowKind): LedgerRow[] {
    return this.#rowsIn(organizationId, kind)
  }

  /** Ids of the organizations that have overflow shards, those of fingerprints aside. */
  overflowing(): string[] {
    return [...this.#overflowPrefixes].flatMap((prefix) => organizationOf(prefix) ?? [])
  }

  /** The overflow shards of an organization, those of fingerprints aside. @throws LEDGER_DAMAGED */
  holdings(organizationId: string): string[] {
    return this.#shardsUnder(holdingsPrefix(organizationId))
  }

  /** @throws LEDGER_DAMAGED */
  page(organizationId: string, kind: RowKind, after: string, limits: PageLimits): LedgerPage {
    const { rows, bytes } = limits
    const cursor = readCursor(after)
    const page: LedgerPage = { rows: [], next: "" }
    let free = bytes
    for (const shard of this.#shardsFrom(`${organizationId}${cursor.shard}`, organizationId, kind)) {
      const suffix = shard.slice(organizationId.length)
      for (const row of this.#rowsAfter(shard, kind, suffix === cursor.shard ? cursor.key : undefined)) {
        free -= row.value.length
        if (page.rows.length > 0 && (page.rows.length === rows || free < 0)) return page
        page.rows.push(row)
        page.next = writeCursor(suffix, row.key)
      }
    }
    return { ...page, next: "" }
  }

  /** The organization's own shard and its overflow shards of the kind, in this order, from one of them on. */
  *#shardsFrom(first: string, organizationId: string, kind: RowKind): Generator<string> {
    if (first === organizationId) yield organizationId
    const prefix = overflowPrefix(organizationId, kind)
    if (prefix !== undefined) yield* this.#shardsUnder(prefix).filter((shard) => shard >= first)
  }

  /** `after`: a key; undefined: from the first row on, whose key may be empty. */
  *#rowsAfter(shard: string, kind: RowKind, after: string | undefined): Generator<LedgerRow> {
    if (this.verified(shard) === undefined) return
    for (let last = after; ; ) {
      const behind = last === undefined ? {} : { after: last }
      const page = this.reads.page({ of: "rows", shard, kind, ...behind, atMost: ROWS_AT_ONCE })
      for (const stored of page) {
        this.verifyRow(shard, stored)
        yield stored.row
      }
      last = page.at(-1)?.row.key
      if (page.length < ROWS_AT_ONCE) return
    }
  }

  /** @throws LEDGER_DAMAGED */
  *group(organizationId: string, kind: GroupedKind, group: string, atMost: number): Steps<LedgerRow[]> {
    const found: LedgerRow[] = []
    for (const shard of this.#shardsOfGroup(organizationId, kind, group)) {
      if (found.length >= atMost) break
      yield* this.#verifyOverflow(shard)
      found.push(...this.#groupIn(shard, kind, group, atMost - found.length))
    }
    return found
  }

  /** Overflow shards are looked for once the own shard was read: it is verified in turns, in which they may be created. */
  *#shardsOfGroup(organizationId: string, kind: GroupedKind, group: string): Generator<string> {
    yield organizationId
    if (this.hasOverflow(organizationId, kind))
      yield* groupOverflowShards(this.authenticator, organizationId, kind, group)
  }

  /** A page of organizations' states, not authenticated. @throws LEDGER_DAMAGED */
  organizations(after: string, atMost: number): OrganizationState[] {
    return this.reads.organizationStates(after, atMost)
  }

  /** @throws LEDGER_DAMAGED */
  *overflowExceeds(organizationId: string, rows: number): Steps<boolean> {
    let count = 0
    for (const shard of this.holdings(organizationId)) {
      count += (yield* this.#verifyOverflow(shard))?.rowCount ?? 0
      if (count > rows) return true
    }
    return false
  }

  #shardsUnder(prefix: string): string[] {
    if (!this.#overflowPrefixes.has(prefix)) return []
    // No shard is named by the prefix alone.
    const { from: after, to: before } = prefixRange(prefix)
    return this.reads.page({ of: "shards", after, before, atMost: ALL }).map(({ name }) => name)
  }

  #valueIn(shard: string, row: RowName): Uint8Array | undefined {
    if (this.verified(shard) === undefined) return undefined
    const stored = this.reads.row(shard, row)
    if (stored !== undefined) this.verifyRow(shard, stored)
    return stored?.row.value
  }

  #rowsIn(shard: string, kind: RowKind): LedgerRow[] {
    return this.#verifiedRows({ of: "rows", shard, kind, atMost: ALL })
  }

  #groupIn(shard: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    const { from, to: before } = groupRange(group)
    return this.#verifiedRows({ of: "rows", shard, kind, from, before, atMost })
  }

  #verifiedRows(page: RowsPage): LedgerRow[] {
    if (this.verified(page.shard) === undefined) return []
    return this.reads.page(page).map((stored) => {
      this.verifyRow(page.shard, stored)
      return stored.row
    })
  }

  /** @throws LEDGER_DAMAGED */
  verifyRow(shard: string, stored: StoredRow): bigint {
    return verifyRow(shard, stored, this.authenticator)
  }

  /** Takes over the changes of a transaction once it is durable. */
  publish(state: LedgerLanes, shards: Map<string, VerifiedShard>, rows: Map<string, Uint8Array | undefined>) {
    this.state = state
    for (const [name, shard] of shards) {
      this.#verified.set(name, shard)
      const prefix = prefixOfShard(name)
      if (prefix !== undefined) this.#overflowPrefixes.add(prefix)
    }
    for (const [name, value] of rows) this.#cacheRow(name, value)
  }

  #cacheRow(name: string, value: Uint8Array | undefined): void {
    this.#rows.set(name, { value }, ROW_OVERHEAD + name.length + (value?.length ?? 0))
  }

  *#verify(shard: string): Steps<VerifiedShard | undefined> {
    const stored = this.reads.shard(shard)
    if (stored === undefined) return undefined
    const rows = this.reads.rowsIn(shard)
    return this.#keep(shard, stored, yield* verifyRows(shard, stored, rows, this.authenticator))
  }

  /** The state that was verified, unless a transaction has changed it since: that one is verified at once. */
  #keep(shard: string, { mac }: StoredShard, verified: VerifiedShard): VerifiedShard | undefined {
    const now = this.reads.shard(shard)
    if (now === undefined || !isSame(now.mac, mac)) return this.verified(shard)
    this.#verified.set(shard, verified)
    return verified
  }
}

/** Neither organization nor kind can contain the separator. */
export const rowName = (shard: string, kind: RowKind, key: string): string => `${shard}\0${kind}\0${key}`

/** Rows that are read at once for a page, which may end before the last of them. */
const ROWS_AT_ONCE = 50

/** All rows or shards of one kind. */
const ALL = Number.MAX_SAFE_INTEGER

/** Approximate cost of a cached row beyond its name and value, bytes. */
const ROW_OVERHEAD = 256

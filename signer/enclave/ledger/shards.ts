import { damaged, guardRead } from "./fault.ts"
import type {
  GroupedKind,
  LedgerPage,
  LedgerRow,
  OrganizationHead,
  OrganizationState,
  PageLimits,
  RowKind,
  RowName,
} from "./ledger.ts"
import { add, type Authenticator, type DeploymentState, isSame } from "./mac.ts"
import {
  groupOverflowShards,
  groupRange,
  holdingsPrefix,
  organizationOf,
  overflowPrefix,
  overflowShard,
  prefixOfShard,
  prefixRange,
} from "./overflow.ts"
import { RecentlyUsed } from "../../core/recently-used.ts"
import type { Statements, StoredRow } from "./statements.ts"

/** A shard whose MACs were checked. `sum`: of its rows' elements; `element`: what it adds to the deployment's sum. */
export type VerifiedShard = { head: OrganizationHead; rowCount: number; sum: bigint; element: bigint }

export type ShardLimits = {
  /** Verified shards kept in memory, about 400 bytes each; others are verified again when read. */
  organizations: number
  /** Bytes of row values kept in memory. */
  rowBytes: number
  /** Rows in an organization's own shard before rows go to overflow shards; verifying 1,000 rows takes 10 ms. */
  ownRows: number
}

export const SHARD_LIMITS: ShardLimits = {
  organizations: 100_000,
  rowBytes: 64 * 1024 * 1024,
  ownRows: 1_000,
}

/** The committed rows, verified when first read: in an organization's own shard and its overflow shards (overflow.ts). */
export class CommittedShards {
  readonly statements: Statements
  readonly authenticator: Authenticator
  readonly ownRows: number
  deployment: DeploymentState
  /** Name prefixes under which overflow shards exist; under all others no shard is looked for. */
  readonly #overflowPrefixes: Set<string>
  readonly #verified: RecentlyUsed<string, VerifiedShard>
  /** Row values by `rowName`; absent rows too, because fingerprint look-ups mostly find none. */
  readonly #rows: RecentlyUsed<string, { value: Uint8Array | undefined }>

  constructor(
    statements: Statements,
    authenticator: Authenticator,
    deployment: DeploymentState,
    limits: ShardLimits,
    overflowPrefixes: Set<string> = new Set(),
  ) {
    this.statements = statements
    this.authenticator = authenticator
    this.ownRows = limits.ownRows
    this.deployment = deployment
    this.#overflowPrefixes = overflowPrefixes
    this.#verified = new RecentlyUsed(limits.organizations)
    this.#rows = new RecentlyUsed(limits.rowBytes)
  }

  /** @throws LEDGER_DAMAGED */
  verified(shard: string): VerifiedShard | undefined {
    const cached = this.#verified.get(shard)
    if (cached !== undefined) return cached
    const verified = guardRead(() => this.#verify(shard))
    if (verified !== undefined) this.#verified.set(shard, verified)
    return verified
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
    const own = this.#valueIn(organizationId, kind, key)
    if (own !== undefined || !this.hasOverflow(organizationId, kind)) return own
    const shard = this.overflowShard(organizationId, { kind, key })
    return shard === undefined ? undefined : this.#valueIn(shard, kind, key)
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
    return guardRead(() => this.#page(organizationId, kind, after, limits))
  }

  #page(organizationId: string, kind: RowKind, after: string, { rows, bytes }: PageLimits): LedgerPage {
    const cursor = readCursor(after)
    const page: LedgerPage = { rows: [], next: "" }
    let free = bytes
    for (const shard of this.#shardsFrom(`${organizationId}${cursor.shard}`, organizationId, kind)) {
      const suffix = shard.slice(organizationId.length)
      for (const row of this.#rowsAfter(shard, kind, suffix === cursor.shard ? cursor.key : "")) {
        free -= row.value.length
        if (page.rows.length > 0 && (page.rows.length === rows || free < 0)) return page
        page.rows.push(row)
        page.next = `${suffix}${IN_SHARD}${row.key}`
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

  *#rowsAfter(shard: string, kind: RowKind, after: string): Generator<LedgerRow> {
    if (this.verified(shard) === undefined) return
    for (const stored of this.statements.entriesAfter(shard, kind, after)) {
      this.verifyRow(shard, stored)
      yield stored.row
    }
  }

  /** @throws LEDGER_DAMAGED */
  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    const overflow = this.hasOverflow(organizationId, kind)
      ? groupOverflowShards(this.authenticator, organizationId, kind, group)
      : []
    const found: LedgerRow[] = []
    for (const shard of [organizationId, ...overflow]) {
      if (found.length >= atMost) break
      found.push(...this.#groupIn(shard, kind, group, atMost - found.length))
    }
    return found
  }

  /** Not authenticated. @throws LEDGER_DAMAGED */
  organizations(after: string, atMost: number): OrganizationState[] {
    return guardRead(() => this.statements.organizationStates(after, atMost))
  }

  /** @throws LEDGER_DAMAGED */
  overflowExceeds(organizationId: string, rows: number): boolean {
    let count = 0
    return this.holdings(organizationId).some((shard) => {
      count += this.verified(shard)?.rowCount ?? 0
      return count > rows
    })
  }

  #shardsUnder(prefix: string): string[] {
    if (!this.#overflowPrefixes.has(prefix)) return []
    const { from, to } = prefixRange(prefix)
    return guardRead(() => [...this.statements.organizationsBetween(from, to)])
  }

  #valueIn(shard: string, kind: RowKind, key: string): Uint8Array | undefined {
    if (this.verified(shard) === undefined || !key.isWellFormed()) return undefined
    const name = rowName(shard, kind, key)
    const cached = this.#rows.get(name)
    if (cached !== undefined) return cached.value
    const stored = guardRead(() => this.statements.entry(shard, kind, key))
    if (stored !== undefined) this.verifyRow(shard, stored)
    this.#cacheRow(name, stored?.row.value)
    return stored?.row.value
  }

  #rowsIn(shard: string, kind: RowKind): LedgerRow[] {
    return this.#verifiedRows(shard, () => [...this.statements.entries(shard, kind)])
  }

  #groupIn(shard: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    const range = { ...groupRange(group), atMost }
    return this.#verifiedRows(shard, () => this.statements.entriesBetween(shard, kind, range))
  }

  #verifiedRows(shard: string, read: () => StoredRow[]): LedgerRow[] {
    if (this.verified(shard) === undefined) return []
    return guardRead(read).map((stored) => {
      this.verifyRow(shard, stored)
      return stored.row
    })
  }

  /** Checks the MAC of one row and returns the row's element. @throws LEDGER_DAMAGED */
  verifyRow(shard: string, { row, mac }: StoredRow): bigint {
    const expected = this.authenticator.row(shard, row)
    if (!isSame(expected.mac, mac)) throw damaged("a row of the ledger was altered")
    return expected.element
  }

  /** Takes over the changes of a transaction once it is durable. */
  publish(
    deployment: DeploymentState,
    shards: Map<string, VerifiedShard>,
    rows: Map<string, Uint8Array | undefined>,
  ) {
    this.deployment = deployment
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

  /** Requires strict order too: a search in an unordered index could miss a row. */
  #verify(shard: string): VerifiedShard | undefined {
    const stored = this.statements.organization(shard)
    if (stored === undefined) return undefined
    let rowCount = 0
    let sum = 0n
    let previous = Buffer.alloc(0)
    for (const each of this.statements.entries(shard)) {
      const name = Buffer.from(`${each.row.kind}\0${each.row.key}`)
      if (Buffer.compare(previous, name) >= 0) throw damaged("the ledger's index is out of order")
      previous = name
      sum = add(sum, this.verifyRow(shard, each))
      rowCount += 1
    }
    const { head } = stored
    const mac = this.authenticator.organizationMac(shard, head, rowCount, sum)
    if (!isSame(mac, stored.mac)) throw damaged("the rows of an organization are not those that were written")
    return { head, rowCount, sum, element: this.authenticator.organizationElement(shard, mac) }
  }
}

/** Between shard and key in a cursor: no shard's name contains it. */
const IN_SHARD = "/"

function readCursor(text: string): { shard: string; key: string } {
  const end = text.indexOf(IN_SHARD)
  return end === -1 ? { shard: "", key: "" } : { shard: text.slice(0, end), key: text.slice(end + 1) }
}

/** Neither organization nor kind can contain the separator. */
export const rowName = (shard: string, kind: RowKind, key: string): string => `${shard}\0${kind}\0${key}`

/** Approximate cost of a cached row beyond its name and value, bytes. */
const ROW_OVERHEAD = 256

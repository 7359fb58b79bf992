import { damaged, guardRead } from "./fault.ts"
import type { GroupedKind, LedgerRow, OrganizationHead, RowKind, RowName } from "./ledger.ts"
import {
  groupRange,
  overflowShard,
  groupOverflowShards,
  prefixOfShard,
  overflowPrefix,
  holdingsPrefix,
  prefixRange,
} from "./overflow.ts"
import { RecentlyUsed } from "./recently-used.ts"
import { add, type Authenticator, type DeploymentState, isSame } from "./mac.ts"
import type { Statements, StoredRow } from "./statements.ts"

/** An organization that passed its check: `sum` is that of its rows, `element` what it adds to the deployment. */
export type VerifiedShard = { head: OrganizationHead; rowCount: number; sum: bigint; element: bigint }

export type ShardLimits = {
  /** Organizations whose check is remembered, about 400 bytes each; others are checked again when touched. */
  organizations: number
  /** Bytes of row values kept in memory. */
  rowBytes: number
  /** Rows that an organization's own book takes before others go to overflow books; 1,000 are 10 ms of first touch. */
  ownRows: number
}

export const SHARD_LIMITS: ShardLimits = {
  organizations: 100_000,
  rowBytes: 64 * 1024 * 1024,
  ownRows: 1_000,
}

/** The committed state, as far as it was authenticated by this process. */
export class CommittedShards {
  readonly statements: Statements
  readonly authenticator: Authenticator
  readonly ownRows: number
  deployment: DeploymentState
  /** Shelves that overflow books stand on: on all others none is looked for. */
  readonly #shelves: Set<string>
  readonly #standings: RecentlyUsed<VerifiedShard>
  /** By `rowName`; absence is remembered too, it is what fingerprints are asked for. */
  readonly #rows: RecentlyUsed<{ value: Uint8Array | undefined }>

  constructor(
    statements: Statements,
    authenticator: Authenticator,
    deployment: DeploymentState,
    limits: ShardLimits,
    shelves: Set<string> = new Set(),
  ) {
    this.statements = statements
    this.authenticator = authenticator
    this.ownRows = limits.ownRows
    this.deployment = deployment
    this.#shelves = shelves
    this.#standings = new RecentlyUsed(limits.organizations)
    this.#rows = new RecentlyUsed(limits.rowBytes)
  }

  /** @throws LEDGER_DAMAGED */
  verified(organizationId: string): VerifiedShard | undefined {
    const known = this.#standings.get(organizationId)
    if (known !== undefined) return known
    const checked = guardRead(() => this.#check(organizationId))
    if (checked !== undefined) this.#standings.set(organizationId, checked)
    return checked
  }

  /** Has it any overflow book for rows of the kind, as far as is committed? */
  hasOverflow(organizationId: string, kind: RowKind): boolean {
    const shelf = overflowPrefix(organizationId, kind)
    return shelf !== undefined && this.#shelves.has(shelf)
  }

  overflowShard(organizationId: string, name: RowName): string | undefined {
    return overflowShard(this.authenticator, organizationId, name)
  }

  /** The value itself, not a copy. @throws LEDGER_DAMAGED */
  value(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined {
    const own = this.#valueIn(organizationId, kind, key)
    if (own !== undefined || !this.hasOverflow(organizationId, kind)) return own
    const book = this.overflowShard(organizationId, { kind, key })
    return book === undefined ? undefined : this.#valueIn(book, kind, key)
  }

  /** @throws LEDGER_DAMAGED */
  rows(organizationId: string, kind: RowKind): LedgerRow[] {
    const own = this.#rowsIn(organizationId, kind)
    const shelf = overflowPrefix(organizationId, kind)
    if (shelf === undefined) return own
    const all = [...own, ...this.#booksOn(shelf).flatMap((book) => this.#rowsIn(book, kind))]
    return all.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** @throws LEDGER_DAMAGED */
  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    const beside = this.hasOverflow(organizationId, kind)
      ? groupOverflowShards(this.authenticator, organizationId, kind, group)
      : []
    const found: LedgerRow[] = []
    for (const book of [organizationId, ...beside]) {
      if (found.length >= atMost) break
      found.push(...this.#groupIn(book, kind, group, atMost - found.length))
    }
    return found
  }

  /** @throws LEDGER_DAMAGED */
  overflowExceeds(organizationId: string, atMost: number): boolean {
    let count = 0
    return this.#booksOn(holdingsPrefix(organizationId)).some((book) => {
      count += this.verified(book)?.rowCount ?? 0
      return count > atMost
    })
  }

  #booksOn(shelf: string): string[] {
    if (!this.#shelves.has(shelf)) return []
    const { from, to } = prefixRange(shelf)
    return guardRead(() => [...this.statements.organizationsBetween(from, to)])
  }

  #valueIn(book: string, kind: RowKind, key: string): Uint8Array | undefined {
    if (this.verified(book) === undefined || !key.isWellFormed()) return undefined
    const name = rowName(book, kind, key)
    const known = this.#rows.get(name)
    if (known !== undefined) return known.value
    const stored = guardRead(() => this.statements.entry(book, kind, key))
    if (stored !== undefined) this.verifyRow(book, stored)
    this.#keep(name, stored?.row.value)
    return stored?.row.value
  }

  #rowsIn(book: string, kind: RowKind): LedgerRow[] {
    if (this.verified(book) === undefined) return []
    const stored = guardRead(() => [...this.statements.entries(book, kind)])
    for (const each of stored) this.verifyRow(book, each)
    return stored.map(({ row }) => row)
  }

  #groupIn(book: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[] {
    if (this.verified(book) === undefined) return []
    const range = { ...groupRange(group), atMost }
    const stored = guardRead(() => this.statements.entriesBetween(book, kind, range))
    for (const each of stored) this.verifyRow(book, each)
    return stored.map(({ row }) => row)
  }

  /** Checks one row and returns its element. @throws LEDGER_DAMAGED */
  verifyRow(organizationId: string, { row, mac }: StoredRow): bigint {
    const proof = this.authenticator.row(organizationId, row)
    if (!isSame(proof.mac, mac)) throw damaged("a row of the ledger was altered")
    return proof.element
  }

  /** Called once the transaction that wrote them is durable. */
  publish(
    deployment: DeploymentState,
    standings: Map<string, VerifiedShard>,
    rows: Map<string, Uint8Array | undefined>,
  ) {
    this.deployment = deployment
    for (const [book, standing] of standings) {
      this.#standings.set(book, standing)
      const shelf = prefixOfShard(book)
      if (shelf !== undefined) this.#shelves.add(shelf)
    }
    for (const [name, value] of rows) this.#keep(name, value)
  }

  #keep(name: string, value: Uint8Array | undefined): void {
    this.#rows.set(name, { value }, ROW_OVERHEAD + name.length + (value?.length ?? 0))
  }

  /**
   * Every row is authentic, their sum is the one the organization's row covers, so none is lost or added; and
   * they come in strict order, so that no search in the index misses one of them.
   */
  #check(organizationId: string): VerifiedShard | undefined {
    const stored = this.statements.organization(organizationId)
    if (stored === undefined) return undefined
    let rowCount = 0
    let sum = 0n
    let previous = Buffer.alloc(0)
    for (const each of this.statements.entries(organizationId)) {
      const name = Buffer.from(`${each.row.kind}\0${each.row.key}`)
      if (Buffer.compare(previous, name) >= 0) throw damaged("the ledger's index is out of order")
      previous = name
      sum = add(sum, this.verifyRow(organizationId, each))
      rowCount += 1
    }
    const mac = this.authenticator.organizationMac(organizationId, stored.head, rowCount, sum)
    if (!isSame(mac, stored.mac)) throw damaged("the rows of an organization are not those that were written")
    return {
      head: stored.head,
      rowCount,
      sum,
      element: this.authenticator.organizationElement(organizationId, mac),
    }
  }
}

/** Neither organization nor kind can hold the separator. */
export const rowName = (organizationId: string, kind: RowKind, key: string): string =>
  `${organizationId}\0${kind}\0${key}`

/** About what a cached row costs beyond its name and value. */
const ROW_OVERHEAD = 256

import { refuse } from "../../core/refusal.ts"
import { type CommittedShards, rowName, type VerifiedShard } from "./shards.ts"
import { damaged, guardRead } from "./fault.ts"
import type { LedgerChange, LedgerRow, OrganizationHead, RowKind, RowName, IndexChange } from "./ledger.ts"
import { add, type DeploymentState, isSame, subtract } from "./mac.ts"

/**
 * The state inside one open transaction: what was posted so far on top of the books. A posting forks for each
 * request and takes the fork back when the request succeeds, as its savepoint does in the file.
 */
export class WriteTransaction {
  readonly deployment: DeploymentState
  readonly shards = new Map<string, VerifiedShard>()
  readonly rows = new Map<string, Uint8Array | undefined>()
  /** Roughly what the transaction adds to the log. */
  bytes = 0
  readonly #books: CommittedShards
  readonly #below: WriteTransaction | undefined

  constructor(books: CommittedShards, deployment: DeploymentState, below?: WriteTransaction) {
    this.#books = books
    this.deployment = { ...deployment }
    this.#below = below
  }

  nest(): WriteTransaction {
    return new WriteTransaction(this.#books, this.deployment, this)
  }

  merge(fork: WriteTransaction): void {
    Object.assign(this.deployment, fork.deployment)
    for (const [organizationId, standing] of fork.shards) this.shards.set(organizationId, standing)
    for (const [name, value] of fork.rows) this.rows.set(name, value)
    this.bytes += fork.bytes
  }

  /** @throws ORGANIZATION_BUSY, LEDGER_DAMAGED, RangeError */
  applyChange({ organizationId, expect, head, put, remove, mustBeAbsent }: LedgerChange): void {
    const current = this.#standing(organizationId)
    requireExpected(current?.head, expect)
    if (current === undefined) this.#requireNoRows(organizationId)
    else requireForward(current.head, head)
    this.#requireAbsent(organizationId, mustBeAbsent ?? [])
    this.shards.set(organizationId, { ...(current ?? EMPTY_SHARD), head })
    for (const name of remove) this.#remove(this.#placeOf(organizationId, name) ?? organizationId, name)
    for (const row of put) this.#put(this.#placeFor(organizationId, row), row)
  }

  /** @throws ORGANIZATION_BUSY, LEDGER_DAMAGED */
  applyIndexChange({ shard: book, put, update, mustBeAbsent }: Required<IndexChange>): void {
    const current = this.#standing(book)
    this.#open(book, current)
    this.#requireAbsent(book, mustBeAbsent)
    for (const row of put) this.#put(book, row)
    for (const { kind, key, next } of update) {
      const value = next(this.#value(book, { kind, key }))
      if (value === undefined) this.#remove(book, { kind, key })
      else this.#put(book, { kind, key, value })
    }
  }

  /** Removes those of the rows that are still there and expired; returns how many. @throws LEDGER_DAMAGED */
  removeExpired(organizationId: string, names: RowName[], nowMs: number): number {
    const current = this.#standing(organizationId)
    if (current === undefined) throw damaged("a row of the ledger belongs to no organization")
    this.shards.set(organizationId, current)
    const isExpired = (row: LedgerRow) => row.expiresMs !== undefined && row.expiresMs <= nowMs
    return names.filter((name) => this.#remove(organizationId, name, isExpired)).length
  }

  /** Writes organizations and deployment as they stand after all requests: the last thing before the commit. */
  finish(): void {
    const { statements, authenticator } = this.#books
    for (const [organizationId, standing] of this.shards) {
      const { head, rowCount, sum } = standing
      const mac = authenticator.organizationMac(organizationId, head, rowCount, sum)
      const element = authenticator.organizationElement(organizationId, mac)
      statements.putOrganization(organizationId, { head, mac })
      if (standing.element === EMPTY_SHARD.element) this.deployment.organizations += 1
      this.deployment.sum = add(subtract(this.deployment.sum, standing.element), element)
      this.shards.set(organizationId, { ...standing, element })
    }
    this.deployment.sequence += 1n
    statements.putDeployment({ ...this.deployment, mac: authenticator.deploymentMac(this.deployment) })
  }

  #standing(organizationId: string): VerifiedShard | undefined {
    return (
      this.shards.get(organizationId) ??
      this.#below?.shards.get(organizationId) ??
      this.#books.verified(organizationId)
    )
  }

  /** Takes a book without document into the transaction; it is born with its first row. */
  #open(book: string, current: VerifiedShard | undefined): void {
    if (current === undefined) this.#requireNoRows(book)
    this.shards.set(book, current ?? { ...EMPTY_SHARD, head: NO_DOCUMENT })
  }

  /** The book that has a row of the organization: its own, or the overflow book; undefined where none has. */
  #placeOf(organizationId: string, name: RowName): string | undefined {
    if (this.#has(organizationId, name)) return organizationId
    const book = this.#books.overflowShard(organizationId, name)
    if (book === undefined) return undefined
    const standing = this.#overflowStanding(organizationId, name.kind, book)
    if (standing === undefined || !this.#has(book, name)) return undefined
    this.#open(book, standing)
    return book
  }

  /** The book that a row goes to: the one that has it, else the organization's own as long as there is room. */
  #placeFor(organizationId: string, row: LedgerRow): string {
    const known = this.#placeOf(organizationId, row)
    if (known !== undefined) return known
    const rowCount = this.shards.get(organizationId)?.rowCount ?? 0
    const book = rowCount < this.#books.ownRows ? undefined : this.#books.overflowShard(organizationId, row)
    if (book === undefined) return organizationId
    this.#open(book, this.#standing(book))
    return book
  }

  /** Nothing is looked for on disk where the organization never had an overflow book for rows of the kind. */
  #overflowStanding(organizationId: string, kind: RowKind, book: string): VerifiedShard | undefined {
    const posted = this.shards.get(book) ?? this.#below?.shards.get(book)
    return posted ?? (this.#books.hasOverflow(organizationId, kind) ? this.#books.verified(book) : undefined)
  }

  #has(book: string, { kind, key }: RowName): boolean {
    return guardRead(() => this.#books.statements.entry(book, kind, key)) !== undefined
  }

  #put(organizationId: string, row: LedgerRow): void {
    this.#remove(organizationId, row)
    const { mac, element } = this.#books.authenticator.row(organizationId, row)
    this.#books.statements.putEntry(organizationId, { row, mac })
    this.#account(organizationId, 1, element)
    this.rows.set(rowName(organizationId, row.kind, row.key), row.value)
    this.bytes += row.value.length + PAGES_PER_ROW
  }

  #value(organizationId: string, { kind, key }: RowName): Uint8Array | undefined {
    const stored = guardRead(() => this.#books.statements.entry(organizationId, kind, key))
    if (stored === undefined) return undefined
    this.#books.verifyRow(organizationId, stored)
    return stored.row.value
  }

  #requireAbsent(organizationId: string, names: RowName[]): void {
    for (const name of names) if (this.#placeOf(organizationId, name) !== undefined) throw busy()
  }

  /** False when there is no such row, or not one that is `wanted`. */
  #remove(
    organizationId: string,
    { kind, key }: RowName,
    wanted: (row: LedgerRow) => boolean = () => true,
  ): boolean {
    const stored = guardRead(() => this.#books.statements.entry(organizationId, kind, key))
    if (stored === undefined) return false
    const element = this.#books.verifyRow(organizationId, stored)
    if (!wanted(stored.row)) return false
    this.#books.statements.removeEntry(organizationId, kind, key)
    this.#account(organizationId, -1, element)
    this.rows.set(rowName(organizationId, kind, key), undefined)
    this.bytes += PAGES_PER_ROW
    return true
  }

  #account(organizationId: string, count: 1 | -1, element: bigint): void {
    const standing = this.shards.get(organizationId)
    if (standing === undefined) throw new Error("rows change only within a change of their organization")
    const sum = count === 1 ? add(standing.sum, element) : subtract(standing.sum, element)
    this.shards.set(organizationId, { ...standing, rowCount: standing.rowCount + count, sum })
  }

  #requireNoRows(organizationId: string): void {
    guardRead(() => {
      for (const _ of this.#books.statements.entries(organizationId)) {
        throw damaged("rows stand under an organization that was never born")
      }
    })
  }
}

/** An organization before its first commit adds nothing to the deployment; no real element is 0. */
const EMPTY_SHARD = { rowCount: 0, sum: 0n, element: 0n }

/** Head of a book that has rows and no document. */
const NO_DOCUMENT: OrganizationHead = { version: 0n, digest: new Uint8Array(32) }

/** A row touches about two pages: its own and one of the index. */
const PAGES_PER_ROW = 2 * 4096

const busy = () =>
  refuse("ORGANIZATION_BUSY", "the organization changed meanwhile; send the same request again")

function requireExpected(current: OrganizationHead | undefined, expect: OrganizationHead | undefined): void {
  if (current === undefined && expect === undefined) return
  if (current === undefined || expect === undefined || !isSameHead(current, expect)) throw busy()
}

function requireForward(current: OrganizationHead, next: OrganizationHead): void {
  if (next.version > current.version || isSameHead(current, next)) return
  throw new RangeError("an organization's version only grows, and has one digest")
}

const isSameHead = (one: OrganizationHead, other: OrganizationHead): boolean =>
  one.version === other.version && isSame(one.digest, other.digest)

/**
 * The signer's own durable memory, the reason why nothing it decided can be rolled back. Everything else the
 * signer is handed (documents, records, votes) is compared with what stands here.
 *
 * Reads are synchronous and authenticated; they see only what a sync made durable. Writes are compare-and-set.
 */
export interface Ledger {
  /**
   * Version and digest of an organization's current document; undefined: no such organization was ever born.
   * @throws LEDGER_DAMAGED when the organization's rows are not exactly those that were written
   */
  head(organizationId: string): OrganizationHead | undefined

  /**
   * A copy of one row's value. A row past its expiry is returned until it is purged.
   * @throws LEDGER_DAMAGED
   */
  row(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined

  /**
   * All rows of one kind, ordered by the UTF-8 bytes of their keys. Reads from disk: not for hot paths.
   * @throws LEDGER_DAMAGED
   */
  rows(organizationId: string, kind: RowKind): LedgerRow[]

  /**
   * Rows of a kind whose keys are `<group>/<member>`, of one group, in any order, and no more than `atMost`. Costs as
   * much as the group is large, however many rows the organization has.
   * @throws LEDGER_DAMAGED
   */
  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): LedgerRow[]

  /**
   * Whether more rows than `atMost` of what the organization holds stand in overflow books, having found no room in its
   * own. Looks at no more books than it takes to tell.
   * @throws LEDGER_DAMAGED
   */
  overflowExceeds(organizationId: string, atMost: number): boolean

  /**
   * Writes one activity's changes, all or none; resolves only after the sync.
   * @throws ORGANIZATION_BUSY when `expect` or `mustBeAbsent` does not hold, or the disk is full: nothing was
   *   written and the same change may be tried again
   * @throws LEDGER_DAMAGED when an organization concerned fails its check: nothing was written
   * @throws RangeError when a change has no legal form (a head that goes back, a key that is not text)
   */
  commit(changes: LedgerChange[], side?: IndexChange[]): Promise<void>

  /**
   * Advances the time floor to `nowMs` and removes every row that expired by then, both in the same
   * transactions, so that what was purged can never be fresh again. Returns the number of rows removed.
   */
  purge(nowMs: number): Promise<number>

  /** Unix time in milliseconds that certainly has passed, as made durable; 0 before time was first told. */
  timeFloorMs(): number

  /** Notes the time: durable with the next commit, or by itself once a minute ahead of the floor. */
  advanceTimeFloor(nowMs: number): void

  /** Until this time (Unix, ms) nothing is decided, because an operator set time back; 0: no such time. */
  quietUntilMs(): number

  /** An operator's decision about time: the only way for the floor to go down. Resolves after the sync. */
  resetTimeFloor(nowMs: number, quietUntilMs: number): Promise<void>

  /** What a witness outside (the fetcher) remembers: of one identity the sequence never goes down. */
  position(): LedgerPosition

  /** Finishes what is queued, syncs and lets go of the files. */
  close(): Promise<void>
}

export const ROW_KINDS = [
  "record",
  "fingerprint",
  "outcome",
  "pending",
  "waited",
  "address",
  "wallet-account",
  "name",
  "identity",
  "session",
  "import-target",
  "setup",
  "archive-document",
  "archive-record",
] as const

export type RowKind = (typeof ROW_KINDS)[number]

/** Kinds whose keys are `<group>/<member>`; rows of one group are read together. */
export type GroupedKind = "wallet-account"

/** `expiresMs`: Unix time from which on the row may be purged; without it the row stays. */
export type LedgerRow = { kind: RowKind; key: string; value: Uint8Array; expiresMs?: number }

export type RowName = { kind: RowKind; key: string }

/** `version`: 0 to 2^64-1, never lower than before; of one version there is one digest. */
export type OrganizationHead = { version: bigint; digest: Uint8Array }

export type LedgerChange = {
  /** `DEPLOYMENT` for rows of the deployment itself (setup codes). */
  organizationId: string
  /** Compare-and-set; undefined: the organization must not exist. */
  expect: OrganizationHead | undefined
  /** The new head; may equal `expect`. */
  head: OrganizationHead
  /** Written after `remove`; replaces a row of the same kind and key. */
  put: LedgerRow[]
  /** A row that does not exist is no fault here; a caller for whom it is one reads it first. */
  remove: RowName[]
  /** Rows that must not exist before this change, expired or not. */
  mustBeAbsent?: RowName[]
}

/**
 * Rows that stand beside an organization's own, spread over books so that the first touch of one stays short
 * however large the register grows. A side book has no document: it is born with its first row.
 */
export type IndexChange = {
  /** `<organization id>#<shard>`: no organization has such an id. */
  shard: string
  put?: LedgerRow[]
  update?: RowUpdate[]
  /** Rows that must not exist before this change, expired or not. */
  mustBeAbsent?: RowName[]
}

/**
 * A row made from what it was when its turn came, so that changes which began side by side do not undo each other.
 * `next` is told the value, undefined where there is no row, and returns the new one, undefined for no row. It has
 * no effect of its own.
 */
export type RowUpdate = RowName & { next: (value: Uint8Array | undefined) => Uint8Array | undefined }

/** `identity`: 32 random bytes made with the ledger; `sequence`: number of transactions so far. */
export type LedgerPosition = { identity: Uint8Array; sequence: bigint }

/** The organization that holds the deployment's own rows. Born with the ledger: version 0, 32 zero bytes. */
export const DEPLOYMENT = ""

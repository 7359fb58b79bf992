import { requireInvariant } from "../../core/invariant.ts"
import type { Steps } from "../../core/turns/steps.ts"

/**
 * The signer's own durable store. It keeps the signer's decisions from being rolled back: every document, record and
 * vote handed to the signer is compared with it.
 *
 * Reads are synchronous and authenticated, and see only synced transactions. Writes are compare-and-set. Reads throw
 * LEDGER_DAMAGED when an organization's rows are not exactly those that were written.
 */
export interface Ledger {
  /** Version and digest of an organization's current document; undefined when the organization was never created. */
  head(organizationId: string): OrganizationHead | undefined

  /** A copy of one row's value. A row past its expiry is returned until it is purged. */
  row(organizationId: string, kind: RowKind, key: string): Uint8Array | undefined

  /** All rows of one kind, ordered by the UTF-8 bytes of their keys. Reads from disk, so not for hot paths. */
  rows(organizationId: string, kind: RowKind): LedgerRow[]

  /** The rows of `rows` that are not in overflow shards, about a thousand at most. */
  ownRows(organizationId: string, kind: RowKind): LedgerRow[]

  /**
   * A page of the rows of one kind: shard by shard, and in a shard by key. It ends before `limits` are exceeded, with at
   * least one row. Reads no shard beyond the page. `after`: "" or `next` of the page before; `next` is "" after the last.
   */
  page(organizationId: string, kind: RowKind, after: string, limits: PageLimits): LedgerPage

  /** At most `atMost` rows of one group, in any order. The cost depends on the size of the group alone. */
  group(organizationId: string, kind: GroupedKind, group: string, atMost: number): Steps<LedgerRow[]>

  /**
   * Verifies in steps what reading these rows would verify at once. The rows of a large organization are in many shards, and
   * each shard is verified whole when it is first read.
   */
  prepare(organizationId: string, names: readonly RowName[]): Steps<void>

  /**
   * Verifies index shards in steps, until each one is in memory or there is no memory for more. Until then a change of an
   * index shard verifies all its rows. A damaged one is counted and passed over: it is refused when it is used.
   */
  verifyIndex(): Steps<VerifiedIndex>

  /**
   * At most `atMost` organizations behind an id, in the order of their ids. Not authenticated: it may only decide what
   * is read again.
   */
  organizations(after: string, atMost: number): OrganizationState[]

  /** True if the organization's overflow shards together have more than `rows` rows, fingerprints aside. */
  overflowExceeds(organizationId: string, rows: number): Steps<boolean>

  /**
   * Writes one activity's changes, all or none; resolves after the sync. All of them are of one lane.
   * @throws ORGANIZATION_BUSY when `expect` or `mustBeAbsent` does not hold, LEDGER_FULL when the disk is full. Nothing
   *   was written; the same change may be tried again.
   * @throws LEDGER_DAMAGED when the rows of an organization concerned fail verification. Nothing was written.
   * @throws RangeError for an invalid change, such as a head of a lower version, and for changes of two lanes
   */
  commit(changes: LedgerChange[], indexChanges?: IndexChange[]): Promise<void>

  /**
   * Removes an outcome of the shard OUTCOMES. Reads do not return it from now on; its row is removed in the next transaction, which
   * saves a sync. A crash before may bring it back. Resolves after the sync. @throws LEDGER_FULL: reads return it again
   */
  forgetOutcome(key: string): Promise<void>

  /**
   * Resolves once the removal of each outcome that was forgotten before this call is written or has failed. Reads return an outcome again if
   * its removal failed because the disk is full.
   */
  settleRemovals(): Promise<void>

  /**
   * Removes every row that expired by `nowMs`, and those in overflow shards of organizations with the row REMOVED;
   * returns their number. The same transactions advance the time floor to
   * `nowMs`, so a purged fingerprint can never be fresh again.
   */
  purge(nowMs: number): Promise<number>

  /** The durable time floor: a Unix time in milliseconds that has certainly passed; 0 before the first time was set. */
  timeFloorMs(): number

  /** Advances the time floor: durable with the next commit, or by itself once it is a minute ahead. */
  advanceTimeFloor(nowMs: number): void

  /** Unix time in milliseconds until which nothing is decided, because an operator set time back; 0 for none. */
  quietUntilMs(): number

  /** Sets the time floor on an operator's order: the only way to lower it. Resolves after the sync. */
  resetTimeFloor(nowMs: number, quietUntilMs: number): Promise<void>

  /** True if the latest write failed because the disk is full. */
  isFull(): boolean

  /** Sequence of the latest transaction of the organizations' lane: while it stays, no row of an organization changes. */
  sequence(): bigint

  /** The position to compare with a backup or an outside witness: for one identity none of its numbers ever goes down. */
  position(): LedgerPosition

  /** Lane, fence and epoch under which a change of the organization is written now. */
  term(organizationId: string): LaneTerm

  /**
   * Begins an epoch in every lane, on an operator's order to give up state that is newer than the ledger: what names an earlier
   * one belongs to another history. The epoch is `atSeconds`, a Unix time, or the next one. Resolves after the sync.
   */
  beginEpoch(atSeconds: number): Promise<void>

  /** Digest of the whole state after the latest transaction, which the log names. It tells nothing about the rows. */
  stateDigest(): Uint8Array

  /** Commits what is queued, syncs and closes the files. */
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
  "rollback",
  "issuer",
  "archive-document",
  "archive-record",
  "velocity",
  "changed",
  "clock",
  "removed",
  "gas-usage",
  "code-sequence",
  "token-use",
  "seal",
] as const

export type RowKind = (typeof ROW_KINDS)[number]

/** Kinds whose keys are `<group>/<member>`; rows of one group are read together. */
export type GroupedKind = "wallet-account" | "velocity"

/** `expiresMs`: Unix time in milliseconds from which the row may be purged; a row without it stays. */
export type LedgerRow = { kind: RowKind; key: string; value: Uint8Array; expiresMs?: number }

/** Numbers of index shards. `isWhole`: there was memory for all of them. */
export type VerifiedIndex = { verified: number; damaged: number; isWhole: boolean }

export type PageLimits = { rows: number; bytes: number }
export type LedgerPage = { rows: LedgerRow[]; next: string }

export type RowName = { kind: RowKind; key: string }

/** `sequence`: that of the latest transaction that changed the organization; 0n: unknown, before the ledger kept it. */
export type OrganizationState = { organizationId: string; version: bigint; sequence: bigint }

/** The organization's row with the sequence of the latest transaction that changed it, 8 bytes. */
export const CHANGED = { kind: "changed", key: "" } as const

/** Row of a deleted organization whose overflow shards still have rows: a purge removes them, then this one. */
export const REMOVED = { kind: "removed", key: "" } as const

/** `version`: 0 to 2^64-1, never lower than before; each version has one digest. */
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
  /** Rows that do not exist are ignored. */
  remove: RowName[]
  /** Rows that must not exist before this change, expired or not. */
  mustBeAbsent?: RowName[]
  /** Also writes the row CHANGED with the sequence of this transaction. */
  notesSequence?: boolean
}

/**
 * A change of an index shard. Its rows are found by a digest, and spread over many shards so that verifying one stays fast. An
 * index shard has no document; its first row creates it.
 */
export type IndexChange = {
  /** `<organization id>#<shard>`; no organization has such an id. */
  shard: string
  put?: LedgerRow[]
  update?: RowUpdate[]
  /** Rows that must not exist before this change, expired or not. */
  mustBeAbsent?: RowName[]
}

/**
 * A row whose new value is computed inside the transaction, so concurrent changes do not undo each other. `next` maps
 * the current value to the new one; undefined means no row. It must have no side effect.
 */
export type RowUpdate = RowName & { next: (value: Uint8Array | undefined) => Uint8Array | undefined }

/** A part of the ledger with a sequence of its own: 0 is the deployment's lane, 1 that of all organizations (lanes.ts). */
export type Lane = 0 | 1

/** The lane and the writer of a stored item. Every MAC covers it. */
export type LaneTerm = {
  lane: Lane
  /** Grows when another writer takes the lane over. */
  fence: number
  /** Unix time, in seconds, at which an operator last gave up state that is newer than the ledger; 0: never. It only grows. */
  epoch: number
}

/** `identity`: 32 random bytes created with the ledger; `sequence`: number of the lane's transactions so far. */
export type LedgerPosition = { identity: Uint8Array; lanes: (LaneTerm & { sequence: bigint })[] }

/** Id of the shard that holds the deployment's own rows. Created with the ledger: version 0, digest of 32 zero bytes. */
export const DEPLOYMENT = ""

/** Index shard of the organizations' lane: the outcomes that the API tier has not acknowledged. */
export const OUTCOMES = "#outcomes"

/** A change of the deployment's own rows. */
export function deploymentChange(
  ledger: Pick<Ledger, "head">,
  rows: { put?: LedgerRow[]; remove?: RowName[]; mustBeAbsent?: RowName[] },
): LedgerChange {
  const head = ledger.head(DEPLOYMENT)
  requireInvariant(head !== undefined, "a ledger has the deployment's rows from its start")
  const { put = [], remove = [], mustBeAbsent = [] } = rows
  return { organizationId: DEPLOYMENT, expect: head, head, put, remove, mustBeAbsent }
}

/** The sequence of the latest transaction that changed an organization; 0n: unknown, before the ledger kept it. */
export function changedAt(ledger: Pick<Ledger, "row">, organizationId: string): bigint {
  const value = ledger.row(organizationId, CHANGED.kind, CHANGED.key)
  return value === undefined ? 0n : Buffer.from(value).readBigUInt64BE()
}

const PAGE: PageLimits = { rows: 100, bytes: 1024 * 1024 }

/** All rows of one kind, read page by page in steps. */
export function* allRows(
  ledger: Pick<Ledger, "page">,
  organizationId: string,
  kind: RowKind,
): Steps<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for (let after = ""; ; ) {
    const page = ledger.page(organizationId, kind, after, PAGE)
    rows.push(...page.rows)
    if (page.next === "") return rows
    after = page.next
    yield
  }
}

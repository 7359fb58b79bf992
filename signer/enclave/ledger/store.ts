import type { LaneState } from "./lanes.ts"
import {
  type LaneTerm,
  type LedgerRow,
  type OrganizationHead,
  type OrganizationState,
  ROW_KINDS,
  type RowKind,
  type RowName,
} from "./ledger.ts"
import { damaged } from "./refusals.ts"

// What the ledger asks of a store. A store keeps bytes by their names and knows no key. Nothing that it answers is believed: the
// cache checks every MAC and sum (shards.ts, deployment.ts). docs/formats/ledger.md says what each verb promises, and
// test/signer/enclave/ledger/store-conformance.ts holds every store to it.

/** The number of the format, which the seal of a ledger's identity covers. */
export const FORMAT = 3

/** A row as stored: typed, not yet authenticated. */
export type StoredRow = { row: LedgerRow; term: LaneTerm; mac: Uint8Array }
/** A shard's own row. */
export type StoredShard = { head: OrganizationHead; term: LaneTerm; mac: Uint8Array }
export type NamedShard = Omit<StoredShard, "head"> & { name: string }
export type StoredLane = Omit<LaneState, "shards" | "sum"> & { mac: Uint8Array }

/** A shard with all its rows, by kind and key. `stored` undefined: it does not exist. Text is ordered by its bytes in UTF-8. */
export type LoadedShard = { name: string; stored: StoredShard | undefined; rows: StoredRow[] }

/** Position in the order of expiry; `number` orders rows with the same expiry. */
export type ExpiryCursor = { expiresMs: number; number: number }
/** `kind` is not checked yet: a damaged kind must fail its own shard only, not the others on the same page. */
export type ExpiredRow = ExpiryCursor & { shard: string; kind: string; key: string }

/** Rows of one kind in a shard, by key: from `from` or behind `after`, before `before`. */
export type RowsPage = {
  of: "rows"
  shard: string
  kind: RowKind
  from?: string
  after?: string
  before?: string
  atMost: number
}
/** Rows that expired by `untilMs`, in the order of expiry; in one shard alone in any order. */
export type ExpiredPage = {
  of: "expired"
  after: ExpiryCursor
  untilMs: number
  shard?: string
  atMost: number
}
/** Shards by name: behind `after`, before `before`. */
export type ShardsPage = { of: "shards"; after?: string; before?: string; atMost: number }

export type StoredPage = RowsPage | ExpiredPage | ShardsPage

/** One change of a transaction. Every value is bytes, text or a number, so that it can be sent elsewhere. */
export type StoredChange =
  | { is: "entry"; shard: string; row: LedgerRow; term: LaneTerm; mac: Uint8Array }
  | { is: "removal"; shard: string; name: RowName }
  | { is: "shard"; name: string; stored: StoredShard }

/** A transaction. `lanes`: the rows of the lanes that it changes, each with the sequence after it. */
export type Batch = {
  /** That of the writer's `Tenure`. */
  fence: number
  lanes: StoredLane[]
  /** May be read more than once. */
  changes: Iterable<StoredChange>
  /** Number of changed rows. */
  rows: number
}

/**
 * The outcome of an append.
 *
 * - `done`: it is durable.
 * - `refused`: nothing was written. `full`: the store has no room. `conflict`: a lane is not at the sequence before. `fenced`: another
 *   writer has taken over.
 * - `unknown`: it is durable or not. It is never answered as either: the same batch is appended again, which writes it at most once.
 */
export type Appended =
  | { is: "done" }
  | { is: "refused"; because: "full" | "conflict" | "fenced"; cause?: unknown }
  | { is: "unknown"; cause?: unknown }

/** The identity of a ledger, as it was sealed at its creation. */
export type SealedIdentity = { identity: Uint8Array; seal: Uint8Array }

/** What a writer has from its `takeOver` on. */
export type Tenure = SealedIdentity & { fence: number; lanes: StoredLane[] }

/** The content of a new ledger: what its first transaction writes, from no lane at all. */
export type NewLedger = SealedIdentity & Pick<Batch, "lanes" | "changes">

/** The lanes now, and the transactions that led there; undefined where the store does not keep all of them. */
export type Tail = { lanes: StoredLane[]; batches: Batch[] | undefined }

export interface LedgerStore {
  /**
   * Makes this the only writer. The fence is durable, above that of every other writer that could still append; no lane has a
   * higher one. Once for each store that is opened.
   */
  takeOver(): Promise<Tenure>

  /** Shards as they are stored, all of one moment. */
  load(names: readonly string[]): Promise<LoadedShard[]>

  /** A page, of one moment; pages of different moments may miss what changed in between, and repeat nothing. */
  rows(page: RowsPage): Promise<StoredRow[]>
  rows(page: ExpiredPage): Promise<ExpiredRow[]>
  rows(page: ShardsPage): Promise<NamedShard[]>

  /**
   * Writes one transaction, all or nothing, if the fence is this writer's and each lane is at the sequence before. A batch that is
   * stored already is `done`. Appends follow each other. `onShown` is called once with `done`, in the moment from which on
   * `reads` show the batch. Rejects when the store cannot go on: only the next start finds out what is stored.
   */
  append(batch: Batch, onShown: () => void): Promise<Appended>

  /** Resolves if this writer was still the only one at a moment after the call; rejects once it is not. */
  turn(): Promise<void>

  /** The transactions after those that left the lanes at these sequences, by lane. No append that ended before is missing. */
  tail(after: readonly bigint[]): Promise<Tail>

  /** Set by the writer: called when the store cannot go on, between two appends. */
  onFault: ((error: unknown) => void) | undefined

  /** The seam for reads that do not wait. */
  readonly reads: StoredReads

  /** Ends what is under way. Every verb rejects afterwards. */
  close(): Promise<void>
}

/**
 * The seam through which the cache reads within a call. Decisions are made without a pause, so that none sees two states of the
 * ledger; what they read is not always in memory. SQLite answers from its pages in microseconds. A store behind a network has to
 * answer from a copy of its own, which follows `tail`. Every read sees the batches whose `onShown` was called, and no other.
 * @throws LEDGER_DAMAGED where the bytes cannot be read
 */
export interface StoredReads {
  shard(name: string): StoredShard | undefined
  /** All rows of a shard, in the order of the store. */
  rowsIn(shard: string): StoredRow[]
  row(shard: string, name: RowName): StoredRow | undefined
  page(page: RowsPage): StoredRow[]
  page(page: ExpiredPage): ExpiredRow[]
  page(page: ShardsPage): NamedShard[]
  /** Organizations behind an id, without index and overflow shards and without the deployment's own. */
  organizationStates(after: string, atMost: number): OrganizationState[]
}

/** @throws LEDGER_DAMAGED */
export function readKind(value: unknown): RowKind {
  const kind = ROW_KINDS.find((each) => each === value)
  if (kind === undefined) throw damaged("a row of the ledger has an unknown kind")
  return kind
}

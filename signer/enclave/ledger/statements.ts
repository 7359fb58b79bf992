import type { DatabaseSync, StatementSync } from "node:sqlite"
import { blob, count, damaged, text } from "./fault.ts"
import {
  CHANGED,
  type Lane,
  type LaneTerm,
  type LedgerRow,
  type OrganizationHead,
  type OrganizationState,
  ROW_KINDS,
  type RowKind,
  type RowName,
} from "./ledger.ts"
import { DEPLOYMENT_LANE, LANES, laneOf, type LaneState } from "./lanes.ts"
import { uint64 } from "./mac.ts"

/** Rows as read from the file: typed, not yet authenticated. */
export type StoredRow = { row: LedgerRow; term: LaneTerm; mac: Uint8Array }
export type LedgerOrganization = { head: OrganizationHead; term: LaneTerm; mac: Uint8Array }
export type StoredLane = Omit<LaneState, "shards" | "sum"> & { mac: Uint8Array }
/** Position in the order of expiry; `number` orders rows with the same expiry. */
export type ExpiryCursor = { expiresMs: number; number: number }
/** `kind` is not checked yet: a damaged kind must fail its own shard only, not the others on the same page. */
export type ExpiredRow = ExpiryCursor & { organizationId: string; kind: string; key: string }

/** All SQL that reads and writes the ledger's tables, prepared once. */
export class Statements {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  /** In the order of their numbers. */
  lanes(): StoredLane[] {
    const rows = this.#prepare("SELECT * FROM lane ORDER BY number").all()
    return rows.map((row) => ({
      ...readTerm(row, readLane(row["number"])),
      sequence: readUint64(row["sequence"]),
      floorMs: count(row["floor_ms"]),
      quietUntilMs: count(row["quiet_until_ms"]),
      mac: blob(row["mac"], 32),
    }))
  }

  putLane({ lane, fence, epoch, sequence, floorMs, quietUntilMs, mac }: StoredLane): void {
    const sql = "INSERT OR REPLACE INTO lane VALUES (?, ?, ?, ?, ?, ?, ?)"
    this.#prepare(sql).run(lane, fence, epoch, uint64(sequence), floorMs, quietUntilMs, mac)
  }

  /** A read that begins a snapshot. */
  beginSnapshot(): void {
    this.#prepare("SELECT number FROM lane WHERE number = ?").get(DEPLOYMENT_LANE)
  }

  organization(id: string): LedgerOrganization | undefined {
    const sql = "SELECT lane, fence, epoch, version, digest, mac FROM organization WHERE id = ?"
    const row = this.#prepare(sql).get(id)
    if (row === undefined) return undefined
    const head = { version: readUint64(row["version"]), digest: blob(row["digest"]) }
    return { head, term: readTerm(row, readLane(row["lane"])), mac: blob(row["mac"], 32) }
  }

  /** Organizations behind an id, without index and overflow shards and without the deployment's own. */
  organizationStates(after: string, atMost: number): OrganizationState[] {
    const sql = `SELECT id, version, (SELECT value FROM entry
        WHERE organization_id = organization.id AND kind = ? AND key = ?) AS changed
      FROM organization WHERE id > ? AND instr(id, '#') = 0 ORDER BY id LIMIT ?`
    const rows = this.#prepare(sql).all(CHANGED.kind, CHANGED.key, after, atMost)
    return rows.map((row) => ({
      organizationId: text(row["id"]),
      version: readUint64(row["version"]),
      sequence: row["changed"] === null ? 0n : readUint64(row["changed"]),
    }))
  }

  putOrganization(id: string, { head, term, mac }: LedgerOrganization): void {
    const sql = "INSERT OR REPLACE INTO organization VALUES (?, ?, ?, ?, ?, ?, ?)"
    this.#prepare(sql).run(id, term.lane, term.fence, term.epoch, uint64(head.version), head.digest, mac)
  }

  *organizations(): Generator<{ id: string; term: LaneTerm; mac: Uint8Array }> {
    const sql = "SELECT id, lane, fence, epoch, mac FROM organization ORDER BY id"
    for (const row of this.#prepare(sql).iterate())
      yield {
        id: text(row["id"]),
        term: readTerm(row, readLane(row["lane"])),
        mac: blob(row["mac"], 32),
      }
  }

  /** At most `atMost` ids behind one, in order. */
  organizationsAfter(after: string, atMost: number): string[] {
    const sql = "SELECT id FROM organization WHERE id > ? ORDER BY id LIMIT ?"
    return this.#prepare(sql)
      .all(after, atMost)
      .map((row) => text(row["id"]))
  }

  /** Ids from `from`, before `to`, in order. */
  *organizationsBetween(from: string, to: string): Generator<string> {
    const sql = "SELECT id FROM organization WHERE id >= ? AND id < ? ORDER BY id"
    for (const row of this.#prepare(sql).iterate(from, to)) yield text(row["id"])
  }

  entry(organizationId: string, kind: RowKind, key: string): StoredRow | undefined {
    const sql = `SELECT ${ROW} FROM entry WHERE organization_id = ? AND kind = ? AND key = ?`
    const row = this.#prepare(sql).get(organizationId, kind, key)
    return row === undefined ? undefined : readRow(row, laneOf(organizationId))
  }

  /** All rows of an organization, or those of one kind, in the order of the index. */
  *entries(organizationId: string, kind?: RowKind): Generator<StoredRow> {
    const where = kind === undefined ? "organization_id = ?" : "organization_id = ? AND kind = ?"
    const statement = this.#prepare(`SELECT ${ROW} FROM entry WHERE ${where} ORDER BY kind, key`)
    for (const row of statement.iterate(organizationId, ...(kind === undefined ? [] : [kind])))
      yield readRow(row, laneOf(organizationId))
  }

  /** At most `atMost` rows of one kind with keys from `from`, before `to`, in order. */
  entriesBetween(
    organizationId: string,
    kind: RowKind,
    { from, to, atMost }: { from: string; to: string; atMost: number },
  ): StoredRow[] {
    const sql = `SELECT ${ROW} FROM entry
      WHERE organization_id = ? AND kind = ? AND key >= ? AND key < ? ORDER BY key LIMIT ?`
    const rows = this.#prepare(sql).all(organizationId, kind, from, to, atMost)
    return rows.map((row) => readRow(row, laneOf(organizationId)))
  }

  /** Rows of one kind with keys behind `after`, in order, read one by one. */
  *entriesAfter(organizationId: string, kind: RowKind, after: string): Generator<StoredRow> {
    const sql = `SELECT ${ROW} FROM entry WHERE organization_id = ? AND kind = ? AND key > ? ORDER BY key`
    for (const row of this.#prepare(sql).iterate(organizationId, kind, after))
      yield readRow(row, laneOf(organizationId))
  }

  putEntry(organizationId: string, { row, term, mac }: StoredRow): void {
    const sql = `INSERT INTO entry (organization_id, ${ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (organization_id, kind, key)
      DO UPDATE SET expires_ms = excluded.expires_ms, fence = excluded.fence, epoch = excluded.epoch,
        value = excluded.value, mac = excluded.mac`
    const { kind, key, expiresMs = null, value } = row
    this.#prepare(sql).run(organizationId, kind, key, expiresMs, term.fence, term.epoch, value, mac)
  }

  removeEntry(organizationId: string, kind: RowKind, key: string): void {
    const sql = "DELETE FROM entry WHERE organization_id = ? AND kind = ? AND key = ?"
    this.#prepare(sql).run(organizationId, kind, key)
  }

  /** At most `limit` rows behind the cursor that expired by `untilMs`. */
  expired(after: ExpiryCursor, untilMs: number, limit: number): ExpiredRow[] {
    const sql = `SELECT number, organization_id, ${NAMES} FROM entry
      WHERE (expires_ms, number) > (?, ?) AND expires_ms <= ? ORDER BY expires_ms, number LIMIT ?`
    const rows = this.#prepare(sql).all(after.expiresMs, after.number, untilMs, limit)
    return rows.map((row) => ({
      expiresMs: count(row["expires_ms"]),
      number: count(row["number"]),
      organizationId: text(row["organization_id"]),
      kind: text(row["kind"]),
      key: text(row["key"]),
    }))
  }

  /** At most `limit` rows of one shard that expired by `untilMs`. Scans the whole shard. */
  expiredIn(shard: string, untilMs: number, limit: number): RowName[] {
    const sql = `SELECT kind, key FROM entry INDEXED BY entry_in_shard
      WHERE organization_id = ? AND expires_ms <= ? LIMIT ?`
    const rows = this.#prepare(sql).all(shard, untilMs, limit)
    return rows.map((row) => ({ kind: readKind(row["kind"]), key: text(row["key"]) }))
  }

  #prepare(sql: string): StatementSync {
    const prepared = this.#prepared.get(sql)
    if (prepared !== undefined) return prepared
    const statement = this.#connection.prepare(sql)
    this.#prepared.set(sql, statement)
    return statement
  }
}

const NAMES = "kind, key, expires_ms"
const ROW = `${NAMES}, fence, epoch, value, mac`

type Columns = Record<string, unknown>

function readRow(columns: Columns, lane: Lane): StoredRow {
  const names = { kind: readKind(columns["kind"]), key: text(columns["key"]) }
  const expiry = columns["expires_ms"] === null ? {} : { expiresMs: count(columns["expires_ms"]) }
  const row = { ...names, ...expiry, value: blob(columns["value"]) }
  return { row, term: readTerm(columns, lane), mac: blob(columns["mac"], 32) }
}

function readTerm(columns: Columns, lane: Lane): LaneTerm {
  return { lane, fence: count(columns["fence"]), epoch: count(columns["epoch"]) }
}

function readLane(value: unknown): Lane {
  const lane = LANES.find((each) => each === value)
  if (lane === undefined) throw damaged("the ledger has an unknown lane")
  return lane
}

/** @throws LEDGER_DAMAGED */
export function readKind(value: unknown): RowKind {
  const kind = ROW_KINDS.find((each) => each === value)
  if (kind === undefined) throw damaged("a row of the ledger has an unknown kind")
  return kind
}

export function readUint64(value: unknown): bigint {
  return Buffer.from(blob(value, 8)).readBigUInt64BE()
}

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { DEPLOYMENT_LANE, LANES, laneOf } from "../lanes.ts"
import { CHANGED, type Lane, type LaneTerm, type OrganizationState, type RowName } from "../ledger.ts"
import { damaged } from "../refusals.ts"
import {
  type ExpiredPage,
  type ExpiredRow,
  type NamedShard,
  readKind,
  type RowsPage,
  type ShardsPage,
  type StoredLane,
  type StoredPage,
  type StoredReads,
  type StoredRow,
  type StoredShard,
} from "../store.ts"
import { uint64 } from "../uint64.ts"
import { blob, count, guardRead, text } from "./fault.ts"

/** All SQL that reads and writes the ledger's tables, prepared once. Every fault of a read is LEDGER_DAMAGED. */
export class Statements implements StoredReads {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  /** Undefined: the ledger has none. */
  identity(): { identity: Uint8Array; seal: Uint8Array } | undefined {
    const row = this.#get("SELECT identity, seal FROM ledger WHERE id = 1")
    return row && { identity: blob(row["identity"], 32), seal: blob(row["seal"], 32) }
  }

  putIdentity(identity: Uint8Array, seal: Uint8Array): void {
    this.#prepare("INSERT INTO ledger VALUES (1, ?, ?)").run(identity, seal)
  }

  /** In the order of their numbers. */
  lanes(): StoredLane[] {
    const rows = this.#all("SELECT * FROM lane ORDER BY number")
    return rows.map((row) => ({
      ...readTerm(row, readLane(row["number"])),
      sequence: readUint64(row["sequence"]),
      floorMs: count(row["floor_ms"]),
      quietUntilMs: count(row["quiet_until_ms"]),
      mac: blob(row["mac"], 32),
    }))
  }

  putLane({ lane, fence, epoch, sequence, floorMs, quietUntilMs, mac }: StoredLane): void {
    const sql = "INSERT INTO lane VALUES (?, ?, ?, ?, ?, ?, ?)"
    this.#prepare(sql).run(lane, fence, epoch, uint64(sequence), floorMs, quietUntilMs, mac)
  }

  /** Replaces a lane that is at the sequence before; false: it is not. */
  advanceLane({ lane, fence, epoch, sequence, floorMs, quietUntilMs, mac }: StoredLane): boolean {
    const sql = `UPDATE lane SET fence = ?, epoch = ?, sequence = ?, floor_ms = ?, quiet_until_ms = ?, mac = ?
      WHERE number = ? AND sequence = ?`
    const after = [fence, epoch, uint64(sequence), floorMs, quietUntilMs, mac]
    return this.#prepare(sql).run(...after, lane, uint64(sequence - 1n)).changes === 1
  }

  /** A read that begins a snapshot. */
  beginSnapshot(): void {
    this.#prepare("SELECT number FROM lane WHERE number = ?").get(DEPLOYMENT_LANE)
  }

  shard(name: string): StoredShard | undefined {
    const sql = `SELECT ${SHARD} FROM organization WHERE id = ?`
    const row = this.#get(sql, name)
    return row && readShard(row)
  }

  putShard(name: string, { head, term, mac }: StoredShard): void {
    const sql = "INSERT OR REPLACE INTO organization VALUES (?, ?, ?, ?, ?, ?, ?)"
    this.#prepare(sql).run(name, term.lane, term.fence, term.epoch, uint64(head.version), head.digest, mac)
  }

  page(page: RowsPage): StoredRow[]
  page(page: ExpiredPage): ExpiredRow[]
  page(page: ShardsPage): NamedShard[]
  page(page: StoredPage): StoredRow[] | ExpiredRow[] | NamedShard[] {
    switch (page.of) {
      case "rows":
        return this.#rowsOf(page)
      case "expired":
        return this.#expired(page)
      case "shards":
        return this.#shards(page)
      default:
        return page satisfies never
    }
  }

  #shards({ after, before, atMost }: ShardsPage): NamedShard[] {
    const range = bounds([
      ["id > ?", after],
      ["id < ?", before],
    ])
    const sql = `SELECT id, ${MEMBER} FROM organization WHERE ${range.where} ORDER BY id LIMIT ?`
    const rows = this.#all(sql, ...range.values, atMost)
    return rows.map((row) => ({ name: text(row["id"]), ...readMember(row) }))
  }

  organizationStates(after: string, atMost: number): OrganizationState[] {
    const sql = `SELECT id, version, (SELECT value FROM entry
        WHERE organization_id = organization.id AND kind = ? AND key = ?) AS changed
      FROM organization WHERE id > ? AND instr(id, '#') = 0 ORDER BY id LIMIT ?`
    const rows = this.#all(sql, CHANGED.kind, CHANGED.key, after, atMost)
    return rows.map((row) => ({
      organizationId: text(row["id"]),
      version: readUint64(row["version"]),
      sequence: row["changed"] === null ? 0n : readUint64(row["changed"]),
    }))
  }

  row(shard: string, { kind, key }: RowName): StoredRow | undefined {
    const sql = `SELECT ${ROW} FROM entry WHERE organization_id = ? AND kind = ? AND key = ?`
    const row = this.#get(sql, shard, kind, key)
    return row && readRow(row, laneOf(shard))
  }

  /** All rows of a shard, in the order of the index. */
  rowsIn(shard: string): StoredRow[] {
    const sql = `SELECT ${ROW} FROM entry WHERE organization_id = ? ORDER BY kind, key`
    return readRows(this.#all(sql, shard), shard)
  }

  #rowsOf({ shard, kind, from, after, before, atMost }: RowsPage): StoredRow[] {
    const range = bounds([
      ["key >= ?", from],
      ["key > ?", after],
      ["key < ?", before],
    ])
    const sql = `SELECT ${ROW} FROM entry
      WHERE organization_id = ? AND kind = ? AND ${range.where} ORDER BY key LIMIT ?`
    return readRows(this.#all(sql, shard, kind, ...range.values, atMost), shard)
  }

  putEntry(shard: string, { row, term, mac }: StoredRow): void {
    const sql = `INSERT INTO entry (organization_id, ${ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (organization_id, kind, key)
      DO UPDATE SET expires_ms = excluded.expires_ms, fence = excluded.fence, epoch = excluded.epoch,
        value = excluded.value, mac = excluded.mac`
    const { kind, key, expiresMs = null, value } = row
    this.#prepare(sql).run(shard, kind, key, expiresMs, term.fence, term.epoch, value, mac)
  }

  removeEntry(shard: string, { kind, key }: RowName): void {
    const sql = "DELETE FROM entry WHERE organization_id = ? AND kind = ? AND key = ?"
    this.#prepare(sql).run(shard, kind, key)
  }

  /** With a shard it scans the whole shard, in the order of its index. */
  #expired({ after, untilMs, shard, atMost }: ExpiredPage): ExpiredRow[] {
    const sql =
      shard === undefined
        ? `SELECT ${EXPIRED} FROM entry
          WHERE (expires_ms, number) > (?, ?) AND expires_ms <= ? ORDER BY expires_ms, number LIMIT ?`
        : `SELECT ${EXPIRED} FROM entry INDEXED BY entry_in_shard
          WHERE organization_id = ? AND (expires_ms, number) > (?, ?) AND expires_ms <= ? LIMIT ?`
    const ofShard = shard === undefined ? [] : [shard]
    const rows = this.#all(sql, ...ofShard, after.expiresMs, after.number, untilMs, atMost)
    return rows.map((row) => ({
      expiresMs: count(row["expires_ms"]),
      number: count(row["number"]),
      shard: text(row["organization_id"]),
      kind: text(row["kind"]),
      key: text(row["key"]),
    }))
  }

  #get(sql: string, ...values: SQLInputValue[]): Columns | undefined {
    return guardRead(() => this.#prepare(sql).get(...values))
  }

  #all(sql: string, ...values: SQLInputValue[]): Columns[] {
    return guardRead(() => this.#prepare(sql).all(...values))
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
const MEMBER = "lane, fence, epoch, mac"
const SHARD = `${MEMBER}, version, digest`
const EXPIRED = `number, organization_id, ${NAMES}`

/** The conditions whose bound is given, with their values. */
function bounds(conditions: readonly (readonly [string, string | undefined])[]) {
  const given = conditions.filter(([, value]) => value !== undefined)
  return {
    where: given.map(([condition]) => condition).join(" AND ") || "true",
    values: given.map(([, value]) => value!),
  }
}

type Columns = Record<string, unknown>

function readShard(columns: Columns): StoredShard {
  const head = { version: readUint64(columns["version"]), digest: blob(columns["digest"]) }
  return { head, ...readMember(columns) }
}

function readMember(columns: Columns): Omit<StoredShard, "head"> {
  return { term: readTerm(columns, readLane(columns["lane"])), mac: blob(columns["mac"], 32) }
}

const readRows = (rows: Columns[], shard: string): StoredRow[] => {
  const lane = laneOf(shard)
  return rows.map((row) => readRow(row, lane))
}

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

export function readUint64(value: unknown): bigint {
  return Buffer.from(blob(value, 8)).readBigUInt64BE()
}

import { createSecretKey, type KeyObject } from "node:crypto"
import { readFileSync } from "node:fs"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { refuse } from "../../../core/refusal.ts"
import type { LedgerRow, OrganizationHead } from "../ledger.ts"
import { add, isSame, proveFields, uint256 } from "../mac.ts"
import { damaged } from "../refusals.ts"
import { blob, count, text } from "../sqlite/fault.ts"
import { EARLIER_FORMAT, earlierTable } from "../sqlite/schema.ts"
import { readUint64 } from "../sqlite/statements.ts"
import { readKind } from "../store.ts"
import { uint64 } from "../uint64.ts"

// Format 2, which 0.1.0 wrote: one lane for everything, and MACs without a term. It is read once, to be carried over.

/** A shard with all its rows, verified. */
export type EarlierShard = { shard: string; head: OrganizationHead; rows: LedgerRow[] }

export type EarlierTimes = { sequence: bigint; floorMs: number; quietUntilMs: number }

/** The tables of format 2, of which two were renamed (schema.ts). Every fault is LEDGER_DAMAGED. */
export class EarlierLedger {
  readonly identity: Uint8Array
  readonly #connection: DatabaseSync
  readonly #key: KeyObject
  #readRows: StatementSync | undefined

  /** @throws LEDGER_FOREIGN, LEDGER_DAMAGED */
  constructor(connection: DatabaseSync, key: Uint8Array, foreign: string) {
    const row = connection.prepare("SELECT identity, seal FROM ledger WHERE id = 1").get()
    if (row === undefined) throw damaged("the ledger has no identity")
    this.#connection = connection
    this.#key = createSecretKey(key)
    this.identity = blob(row["identity"], 32)
    const seal = this.#prove(["ledger/identity", uint64(BigInt(EARLIER_FORMAT))]).mac
    if (!isSame(seal, blob(row["seal"], 32))) throw refuse("LEDGER_FOREIGN", foreign)
  }

  /**
   * Reads every shard and verifies it, then that these are all shards and rows. Returns the deployment's numbers, which the
   * caller must not use before. @throws LEDGER_DAMAGED
   */
  *shards(): Generator<EarlierShard, EarlierTimes> {
    let [sum, shards, rows] = [0n, 0, 0]
    let previous: Buffer | undefined
    const sql = `SELECT id, version, digest, mac FROM ${earlierTable("organization")} ORDER BY id`
    for (const row of this.#connection.prepare(sql).iterate()) {
      const shard = text(row["id"])
      previous = requireOrder(previous, shard)
      const head = { version: readUint64(row["version"]), digest: blob(row["digest"]) }
      const mac = blob(row["mac"], 32)
      const found = this.#rows(shard, head, mac)
      sum = add(sum, this.#prove(["ledger/member", shard, mac]).element)
      shards += 1
      rows += found.length
      yield { shard, head, rows: found }
    }
    const counted = this.#connection.prepare(`SELECT count(*) AS rows FROM ${earlierTable("entry")}`).get()
    if (counted?.["rows"] !== rows) throw damaged("the ledger has rows of no organization")
    return this.#times(shards, sum)
  }

  #rows(shard: string, head: OrganizationHead, mac: Uint8Array): LedgerRow[] {
    const sql = `SELECT kind, key, expires_ms, value, mac FROM ${earlierTable("entry")}
      WHERE organization_id = ? ORDER BY kind, key`
    this.#readRows ??= this.#connection.prepare(sql)
    let sum = 0n
    let previous: Buffer | undefined
    const rows = this.#readRows.all(shard).map((columns) => {
      const row = readEarlierRow(columns)
      previous = requireOrder(previous, `${row.kind}\0${row.key}`)
      const expires = row.expiresMs === undefined ? new Uint8Array() : uint64(BigInt(row.expiresMs))
      const proven = this.#prove(["ledger/row", shard, row.kind, row.key, expires], row.value)
      if (!isSame(proven.mac, blob(columns["mac"], 32))) throw damaged("a row of the ledger was altered")
      sum = add(sum, proven.element)
      return row
    })
    const numbers = [uint64(head.version), head.digest, uint64(BigInt(rows.length)), uint256(sum)]
    if (!isSame(this.#prove(["ledger/organization", shard, ...numbers]).mac, mac))
      throw damaged("the rows of an organization are not those that were written")
    return rows
  }

  #times(shards: number, sum: bigint): EarlierTimes {
    const row = this.#connection.prepare("SELECT * FROM deployment WHERE id = 1").get()
    if (row === undefined) throw damaged("the ledger has no deployment row")
    const sequence = readUint64(row["sequence"])
    const [floorMs, quietUntilMs] = [count(row["floor_ms"]), count(row["quiet_until_ms"])]
    const numbers = [sequence, BigInt(floorMs), BigInt(quietUntilMs), BigInt(shards)].map(uint64)
    const { mac } = this.#prove(["ledger/deployment", ...numbers, uint256(sum)])
    if (isSame(mac, blob(row["mac"], 32))) return { sequence, floorMs, quietUntilMs }
    throw damaged("the ledger's organizations are not those that were written")
  }

  /** The witness of format 2: sequence(8) || mac(32). @throws LEDGER_DAMAGED */
  requireWitness(file: string, sequence: bigint): void {
    const bytes = readEarlierWitness(file)
    const isOurs = bytes.length === 40 && isSame(this.#witnessMac(bytes.subarray(0, 8)), bytes.subarray(8))
    if (!isOurs) throw damaged("the ledger's witness is forged")
    if (bytes.readBigUInt64BE(0) > sequence) throw damaged("the ledger is older than its witness")
  }

  #witnessMac(sequence: Uint8Array): Buffer {
    return this.#prove(["ledger/witness", sequence]).mac
  }

  #prove([tag = "", ...rest]: (string | Uint8Array)[], last?: Uint8Array) {
    return proveFields(this.#key, [tag, this.identity, ...rest], last)
  }
}

function readEarlierRow(columns: Record<string, unknown>): LedgerRow {
  const names = { kind: readKind(columns["kind"]), key: text(columns["key"]) }
  const expiry = columns["expires_ms"] === null ? {} : { expiresMs: count(columns["expires_ms"]) }
  return { ...names, ...expiry, value: blob(columns["value"]) }
}

function requireOrder(previous: Buffer | undefined, name: string): Buffer {
  const next = Buffer.from(name)
  if (previous !== undefined && Buffer.compare(previous, next) >= 0)
    throw damaged("the ledger's index is out of order")
  return next
}

function readEarlierWitness(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw damaged("the ledger's witness cannot be read", error)
  }
}

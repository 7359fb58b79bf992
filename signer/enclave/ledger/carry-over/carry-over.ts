import { existsSync, renameSync, statfsSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import { refuse } from "../../../core/refusal.ts"
import { FOREIGN } from "../deployment.ts"
import { type LedgerFiles, nextWitness, sizeOf, syncDirectory } from "../files.ts"
import { EarlierLedger, type EarlierShard, type EarlierTimes } from "./format-2.ts"
import { emptyState, laneIn, laneOf, type LedgerLanes } from "../lanes.ts"
import { type LedgerRow, type OrganizationHead, OUTCOMES } from "../ledger.ts"
import { add, LedgerMac } from "../mac.ts"
import { replaceEarlierTables, requireEarlierSchema } from "../sqlite/schema.ts"
import { guardRead, isDiskFull } from "../sqlite/fault.ts"
import { Statements } from "../sqlite/statements.ts"
import { FORMAT } from "../store.ts"
import { Witness } from "../witness.ts"
import { NO_DOCUMENT } from "../write-transaction.ts"

export type CarryOverOptions = {
  key: Uint8Array
  /** Called before, which may take minutes, and after. */
  onCarryOver?: (event: CarryOverEvent) => void
  /** Free bytes of the directory's disk, for tests. */
  freeBytes?: (directory: string) => number
}

export type CarryOverEvent = { is: "begun"; bytes: number } | { is: "done"; shards: number; rows: number }

/**
 * Carries a ledger of format 2 over to this format: verifies all of it and writes it anew, in one transaction. Before its commit
 * the ledger is of format 2, and the release before can use it; after it, of this format. The new witness is durable
 * before the commit, under a name that only a ledger of this format looks at. @throws LEDGER_FOREIGN, LEDGER_DAMAGED, LEDGER_FULL
 */
export function carryOver(connection: DatabaseSync, files: LedgerFiles, options: CarryOverOptions): void {
  const { key, onCarryOver = () => {}, freeBytes = freeBytesOf } = options
  const bytes = sizeOf(files.directory)
  requireRoom(bytes, freeBytes(files.directory))
  guardRead(() => requireEarlierSchema(connection))
  onCarryOver({ is: "begun", bytes })
  connection.exec("PRAGMA cache_spill = ON")
  try {
    connection.exec("BEGIN IMMEDIATE")
    const copied = copyAll(connection, files, key)
    connection.exec("COMMIT")
    installWitness(files)
    onCarryOver({ is: "done", ...copied })
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK")
    if (isDiskFull(error)) throw full(error)
    // Statements and schema are fixed: any other fault of SQLite means damage.
    return guardRead(() => {
      throw error
    })
  } finally {
    connection.exec("PRAGMA cache_spill = OFF")
  }
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)")
}

/** Ends a carrying over that was interrupted after its commit. */
export function installWitness(files: LedgerFiles): void {
  if (!existsSync(nextWitness(files))) return
  renameSync(nextWitness(files), files.witness)
  syncDirectory(files.directory)
}

function copyAll(connection: DatabaseSync, files: LedgerFiles, key: Uint8Array): Copied {
  const copied: Copied = { shards: 0, rows: 0 }
  replaceEarlierTables(connection, () => {
    const earlier = new EarlierLedger(connection, key, FOREIGN)
    const authenticator = new LedgerMac(key, earlier.identity)
    const copy = new Copy(new Statements(connection), authenticator)
    const { sequence, ...times } = copyShards(earlier, copy, copied)
    earlier.requireWitness(files.witness, sequence)
    copy.finish({ sequence: sequence + 1n, ...times })
    const seal = authenticator.sealIdentity(FORMAT)
    connection.prepare("UPDATE ledger SET seal = ? WHERE id = 1").run(seal)
    storeWitness(files, copy.state, authenticator)
  })
  return copied
}

function copyShards(earlier: EarlierLedger, copy: Copy, copied: Copied): EarlierTimes {
  const shards = earlier.shards()
  for (;;) {
    const next = shards.next()
    if (next.done === true) return next.value
    copy.add(next.value)
    copied.shards += 1
    copied.rows += next.value.rows.length
  }
}

function storeWitness(files: LedgerFiles, { lanes }: LedgerLanes, authenticator: LedgerMac): void {
  const witness = new Witness(nextWitness(files), "w", authenticator)
  witness.write(lanes)
  witness.close()
  syncDirectory(files.directory)
}

type Copied = { shards: number; rows: number }

/** Writes shards in the present format. */
class Copy {
  readonly state: LedgerLanes = emptyState()
  readonly #statements: Statements
  readonly #authenticator: LedgerMac

  constructor(statements: Statements, authenticator: LedgerMac) {
    this.#statements = statements
    this.#authenticator = authenticator
  }

  /** Format 2 had outcomes among the deployment's rows; they are of the organizations' lane. */
  add({ shard, head, rows }: EarlierShard): void {
    const { outcomes = [], others = [] } = Object.groupBy(rows, ({ kind }) =>
      shard === "" && kind === "outcome" ? "outcomes" : "others",
    )
    this.#write(shard, head, others)
    if (outcomes.length > 0) this.#write(OUTCOMES, NO_DOCUMENT, outcomes)
  }

  finish(numbers: { sequence: bigint; floorMs: number; quietUntilMs: number }): void {
    for (const lane of this.state.lanes) {
      Object.assign(lane, numbers)
      const { shards: _, sum: __, ...stored } = lane
      this.#statements.putLane({ ...stored, mac: this.#authenticator.laneMac(lane) })
    }
  }

  #write(shard: string, head: OrganizationHead, rows: readonly LedgerRow[]): void {
    const laneState = laneIn(this.state, laneOf(shard))
    const { lane, fence, epoch } = laneState
    const term = { lane, fence, epoch }
    let sum = 0n
    for (const row of rows) {
      const { mac, element } = this.#authenticator.row(term, shard, row)
      sum = add(sum, element)
      this.#statements.putEntry(shard, { row, term, mac })
    }
    const mac = this.#authenticator.shardMac(term, shard, { head, rowCount: rows.length, sum })
    this.#statements.putShard(shard, { head, term, mac })
    laneState.shards += 1
    laneState.sum = add(laneState.sum, this.#authenticator.shardElement(term, shard, mac))
  }
}

/** The log has every new page and every page that is overwritten; afterwards the database has room for both. */
const ROOM_FACTOR = 4
const LEAST_ROOM = 16 * 1024 * 1024

function requireRoom(bytes: number, free: number): void {
  const needed = ROOM_FACTOR * bytes + LEAST_ROOM
  if (free >= needed) return
  const sentence =
    `the ledger has format 2; carrying it over to format ${FORMAT} takes ${needed} free bytes, and its disk has ${free}. ` +
    "Nothing was changed: make room and start again"
  throw refuse("LEDGER_FULL", sentence)
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

const full = (cause: unknown) =>
  refuse(
    "LEDGER_FULL",
    `the disk was full while the ledger was carried over to format ${FORMAT}. Nothing was changed: make room and start again`,
    {
      cause,
    },
  )

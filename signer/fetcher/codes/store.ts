import type { KeyObject } from "node:crypto"
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { Refusal, refuse } from "../../core/refusal.ts"
import { damagedStore, openDatabase } from "./database.ts"
import {
  add,
  isSame,
  proveRow,
  readSum,
  type CodeRow,
  type CodeRowKind,
  stateMac,
  type StoreState,
  subtract,
  writeSum,
} from "./row-mac.ts"

/** Changes that become durable together; of two changes of one row the later one counts. */
export type StoreChange = { put?: readonly CodeRow[]; remove?: readonly Pick<CodeRow, "kind" | "key">[] }

/** Rows that one purge removes in one transaction. */
const PURGED_AT_ONCE = 500

/** Changes of one transaction (group commit). `failure`: the fault that undid them all. */
type Group = { readonly committed: Promise<void>; failure: unknown }

/**
 * The fetcher's durable state: a table of authenticated rows. Each row has a MAC, and a sum over all rows is authenticated with
 * the number of changes. A row that was altered, removed or put back is noticed at the next start or read. A whole older copy
 * is noticed by its lower sequence, which the signer remembers.
 *
 * Group commit: changes that are made in one turn of the event loop share one transaction, and one sync. Later reads see
 * each of them at once; it is durable when `whenDurable` resolves. Callers let no answer and no message leave earlier, and
 * await nothing else between a read, the change that rests on it, and that wait.
 */
export class CodeStore {
  readonly #database: DatabaseSync
  readonly #key: KeyObject
  readonly #statements: ReturnType<typeof statementsOf>
  #state: StoreState
  #durable: StoreState
  #group: Group | undefined
  #isBroken = false

  private constructor(database: DatabaseSync, key: KeyObject, state: StoreState) {
    this.#database = database
    this.#key = key
    this.#statements = statementsOf(database)
    this.#state = state
    this.#durable = state
  }

  /** Opens the store and verifies every row. @throws {StartError} */
  static open(file: string, key: KeyObject): CodeStore {
    const database = openDatabase(file)
    try {
      const state = readState(database, key, file)
      if (state === undefined) return CodeStore.#begin(database, key)
      let sum = 0n
      for (const row of statementsOf(database).all.iterate()) {
        const { mac, element } = proveRow(key, readRow(row))
        if (!isSame(mac, row["mac"] as Uint8Array)) throw damagedStore(file, "a row was altered")
        sum = add(sum, element)
      }
      if (sum !== state.sum) throw damagedStore(file, "a row is missing, or is older than the others")
      return new CodeStore(database, key, state)
    } catch (error) {
      database.close()
      throw error
    }
  }

  static #begin(database: DatabaseSync, key: KeyObject): CodeStore {
    const store = new CodeStore(database, key, { sequence: 0n, sum: 0n })
    store.write({})
    store.#commit()
    return store
  }

  /** Number of changes so far: it never goes down, unless an older copy is restored. */
  get sequence(): bigint {
    return this.#state.sequence
  }

  /** Number of durable changes. */
  get durableSequence(): bigint {
    return this.#durable.sequence
  }

  /** The value of a row, which may have expired. @throws OTP_STORE_UNAVAILABLE for one that was altered */
  get(kind: CodeRowKind, key: Uint8Array): Uint8Array | undefined {
    return this.#guarded(() => this.#find({ kind, key })?.value)
  }

  /**
   * Makes a change, durable once `whenDurable` resolves. `sequence`: lower bound of the number of changes before it.
   * @throws OTP_STORE_UNAVAILABLE; this change and all others of the transaction were undone
   */
  write({ put = [], remove = [] }: StoreChange, sequence = 0n): void {
    this.#guarded(() => {
      const { sequence: current } = this.#state
      let { sum } = this.#state
      const take = (name: Pick<CodeRow, "kind" | "key">) => {
        const old = this.#find(name)
        if (old !== undefined) sum = subtract(sum, proveRow(this.#key, old).element)
        return old
      }
      this.#openGroup()
      for (const name of remove) if (take(name)) this.#statements.remove.run(name.kind, name.key)
      for (const row of put) {
        take(row)
        const { mac, element } = proveRow(this.#key, row)
        sum = add(sum, element)
        this.#statements.put.run(row.kind, row.key, row.expiresMs, row.value, mac)
      }
      const next = { sequence: (current > sequence ? current : sequence) + 1n, sum }
      this.#statements.setState.run(next.sequence, writeSum(sum), stateMac(this.#key, next))
      this.#state = next
    })
  }

  /** Waits until every change so far is durable. @throws OTP_STORE_UNAVAILABLE if changes of this turn were undone */
  async whenDurable(): Promise<void> {
    if (this.#group !== undefined) return this.#group.committed
    this.#guarded(() => undefined)
  }

  /** Removes rows that expired by now, and gives their pages back. Returns their number. */
  purge(nowMs: number): number {
    const expired = this.#guarded(() => this.#statements.expired.all(nowMs, PURGED_AT_ONCE))
    if (expired.length === 0) return 0
    this.write({
      remove: expired.map((row) => ({ kind: row["kind"] as CodeRowKind, key: row["key"] as Uint8Array })),
    })
    this.#guarded(() => this.#database.exec("PRAGMA incremental_vacuum"))
    return expired.length + (expired.length < PURGED_AT_ONCE ? 0 : this.purge(nowMs))
  }

  /** Removes all rows of a kind. */
  removeAll(kind: CodeRowKind, sequence: bigint): void {
    const rows = this.#guarded(() => this.#statements.ofKind.all(kind))
    this.write({ remove: rows.map((row) => ({ kind, key: row["key"] as Uint8Array })) }, sequence)
  }

  close(): void {
    if (this.#database.isTransaction && !this.#isBroken) this.#commit()
    this.#database.close()
  }

  /** Begins a transaction, unless one is open: it is committed at the end of the event loop's turn. */
  #openGroup(): void {
    if (this.#group?.failure !== undefined) throw this.#group.failure
    if (this.#database.isTransaction) return
    this.#database.exec("BEGIN IMMEDIATE")
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    // Some changes have no waiter, such as a purge's: their failure must not be an unhandled rejection.
    promise.catch(() => undefined)
    const group: Group = { committed: promise, failure: undefined }
    this.#group = group
    setImmediate(() => {
      try {
        if (group.failure !== undefined) throw group.failure
        if (this.#group === group) this.#commit()
        resolve()
      } catch (error) {
        reject(error)
      } finally {
        if (this.#group === group) this.#group = undefined
      }
    })
  }

  #commit(): void {
    this.#guarded(() => this.#database.exec("COMMIT"))
    this.#durable = this.#state
    this.#group = undefined
  }

  #find({ kind, key }: Pick<CodeRow, "kind" | "key">): CodeRow | undefined {
    const found = this.#statements.find.get(kind, key)
    if (found === undefined) return undefined
    const row = readRow(found)
    if (isSame(proveRow(this.#key, row).mac, found["mac"] as Uint8Array)) return row
    throw new Error("a row of the store of one-time codes was altered")
  }

  /** After any fault except a full disk the store's state is unknown: only a restarted process uses it again. */
  #guarded<T>(use: () => T): T {
    try {
      if (this.#isBroken) throw new Error("the store of one-time codes failed before")
      return use()
    } catch (cause) {
      if (cause instanceof Refusal) throw cause
      this.#isBroken = (cause as { errcode?: number }).errcode !== SQLITE_FULL || !this.#rollBack()
      const sentence = "the service cannot store one-time codes now; send the same body again"
      const failure = refuse("OTP_STORE_UNAVAILABLE", sentence, { cause })
      if (this.#group !== undefined) this.#group.failure = failure
      this.#state = this.#durable
      throw failure
    }
  }

  #rollBack(): boolean {
    try {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK")
      return true
    } catch {
      return false
    }
  }
}

const SQLITE_FULL = 13

function statementsOf(database: DatabaseSync) {
  const prepare = (sql: string): StatementSync => database.prepare(sql)
  return {
    find: prepare("SELECT kind, key, expires_ms, value, mac FROM entry WHERE kind = ? AND key = ?"),
    all: prepare("SELECT kind, key, expires_ms, value, mac FROM entry"),
    ofKind: prepare("SELECT key FROM entry WHERE kind = ?"),
    expired: prepare("SELECT kind, key FROM entry WHERE expires_ms <= ? LIMIT ?"),
    put: prepare("INSERT OR REPLACE INTO entry (kind, key, expires_ms, value, mac) VALUES (?, ?, ?, ?, ?)"),
    remove: prepare("DELETE FROM entry WHERE kind = ? AND key = ?"),
    setState: prepare("INSERT OR REPLACE INTO state (id, sequence, sum, mac) VALUES (1, ?, ?, ?)"),
  }
}

type SqlRow = Record<string, unknown>

function readRow(row: SqlRow): CodeRow {
  const { kind, key, expires_ms: expiresMs, value } = row
  return {
    kind: kind as CodeRowKind,
    key: key as Uint8Array,
    expiresMs: Number(expiresMs),
    value: value as Uint8Array,
  }
}

/** Undefined: the store is new. @throws {StartError} */
function readState(database: DatabaseSync, key: KeyObject, file: string): StoreState | undefined {
  const statement = database.prepare("SELECT sequence, sum, mac FROM state")
  statement.setReadBigInts(true)
  const row = statement.get() as { sequence: bigint; sum: Uint8Array; mac: Uint8Array } | undefined
  if (row === undefined) {
    if (database.prepare("SELECT 1 FROM entry LIMIT 1").get() === undefined) return undefined
    throw damagedStore(file, "its state is missing")
  }
  const state = { sequence: row.sequence, sum: readSum(row.sum) }
  if (isSame(stateMac(key, state), row.mac)) return state
  throw damagedStore(file, "its state was altered, or belongs to another seed")
}

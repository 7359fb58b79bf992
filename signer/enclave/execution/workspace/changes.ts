import { type Record, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { fingerprintExpiry, MAX_AHEAD_MS } from "../../../core/freshness.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import type {
  AccountName,
  AddressTarget,
  ChangeSet,
  NamedKind,
  NewRecord,
  Prepared,
  SpentToken,
} from "../../activities/change-set.ts"
import {
  allRows,
  type IndexChange,
  type LedgerRow,
  REMOVED,
  type RowKind,
  type RowName,
} from "../../ledger/ledger.ts"
import {
  changeRecord,
  endRecord,
  makeRecord,
  makeTombstone,
  writeRecord,
  writeRecordState,
} from "../../records/record.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import {
  accountOfKey,
  addressKey,
  nameKey,
  readWalletAccount,
  tokenUseKey,
  walletAccountKey,
  writeWalletAccount,
} from "../state/ledger-keys.ts"
import { indexShard } from "../state/identity-register.ts"
import { archiveKey, recordName, requireAlive } from "../state/archived-records.ts"
import { AddressRows } from "./address-rows.ts"
import { Counters } from "./counters.ts"
import { MAX_REMOVED_ACCOUNTS, MAX_REMOVED_ROWS, tooManyAccounts, tooManyRows } from "./removal-limits.ts"
import { SecretClaims } from "./secret-claims.ts"
import { cacheName } from "./cache-names.ts"

type Deps = Pick<ExecutionDeps, "keyring" | "ledger" | "random" | "rollback">

/** Kinds of rows removed with their organization. Fingerprints stay until they expire: no request may run twice. */
const RECORD_ROWS: readonly RowKind[] = ["archive-record", "record", "address", "wallet-account", "name"]
const HOLDINGS: readonly RowKind[] = [
  ...RECORD_ROWS,
  "pending",
  "waited",
  "session",
  "import-target",
  "velocity",
]

/** Changes of one activity: records for the database, rows for the ledger. Dropped when the activity is refused. */
export class Changes implements ChangeSet {
  readonly records: Uint8Array[] = []
  /** The records that are new. */
  readonly added: Record[] = []
  readonly put: LedgerRow[] = []
  readonly remove: RowName[] = []
  readonly mustBeAbsent: RowName[] = []
  readonly counters: Counters
  readonly secrets: SecretClaims
  /** Changes of index shards. */
  readonly index: IndexChange[] = []
  /** Names of cached keys that must no longer sign. */
  readonly staleKeys: string[] = []
  /** True if all cached keys of the organization are removed. */
  areAllKeysStale = false
  readonly #organizationId: string
  readonly #deps: Deps
  /** Names of rows in `put` and in `remove`: a request may name thousands. */
  readonly #putNames = new Set<string>()
  readonly #removedNames = new Set<string>()
  readonly #addresses: AddressRows

  constructor(organizationId: string, deps: Deps) {
    this.#organizationId = organizationId
    this.#deps = deps
    this.counters = new Counters(organizationId, deps.ledger, (row) => this.#remove(row))
    this.secrets = new SecretClaims(organizationId, deps)
    this.#addresses = new AddressRows((key) => this.#row("address", key), this)
  }

  addRecord({ expiresMs, ...fields }: NewRecord): Record {
    const draft = { ...fields, organizationId: this.#organizationId, version: 1n }
    const record = this.#keep(makeRecord(draft, this.#deps.keyring.records, this.#deps.random), expiresMs)
    this.added.push(record)
    return record
  }

  changeRecord(record: Record, payload: Uint8Array): Record {
    const { keyring, random, rollback } = this.#deps
    const next = { latest: rollback.latest(record.version), payload }
    const changed = changeRecord(record, next, keyring.records, random)
    this.#putState(changed)
    return this.#keep(changed)
  }

  deleteRecord(kind: RecordKind, idAsGiven: string, field?: string): void {
    const organizationId = this.#organizationId
    const name = recordName(kind, idAsGiven, field)
    const { id } = name
    const version = this.#deps.rollback.latest(requireAlive(this.#deps.ledger, organizationId, name).version)
    const tombstone = makeTombstone({ kind, organizationId, id, version }, this.#deps.keyring.records)
    this.#putState(tombstone)
    this.#keep(tombstone)
    this.staleKeys.push(cacheName(organizationId, id))
  }

  *removeAccounts(walletIds: ReadonlySet<string>, field: string): Steps<void> {
    for (const { accountId, key } of yield* this.#accountsOf(walletIds, field)) {
      yield* this.#deps.ledger.prepare(this.#organizationId, [{ kind: "address", key }])
      this.#release(key, accountId)
      // A living account is always at version 1, so it has no row of kind `record`.
      this.#remove(archiveRow({ kind: RecordKind.WALLET_ACCOUNT, id: accountId }))
      yield
    }
    this.areAllKeysStale = true
  }

  *removeEverything(nowMs: number, isReadNext: boolean): Steps<void> {
    const { ledger } = this.#deps
    const isLarge = yield* ledger.overflowExceeds(this.#organizationId, MAX_REMOVED_ROWS)
    if (isLarge && isReadNext) throw tooManyRows()
    this.areAllKeysStale = true
    this.#expirePending(nowMs)
    // A large organization's other rows are removed by purges: the row says so.
    if (isLarge) this.#put({ ...REMOVED, value: new Uint8Array(0) })
    for (const kind of HOLDINGS) {
      const rows = isLarge
        ? ledger.ownRows(this.#organizationId, kind)
        : yield* allRows(ledger, this.#organizationId, kind)
      for (const { key } of rows) this.remove.push({ kind, key })
    }
  }

  prepare({ names = [], addresses = [], accounts = [] }: Prepared): Steps<void> {
    const { keyring, ledger } = this.#deps
    return ledger.prepare(this.#organizationId, [
      ...names.map(({ kind, name }) => ({ kind: "name", key: nameKey(keyring, kind, name) }) as const),
      ...addresses.map((address) => ({ kind: "address", key: addressKey(keyring, address) }) as const),
      ...accounts.map((account) => ({ kind: "wallet-account", key: walletAccountKey(account) }) as const),
    ])
  }

  takeName(kind: NamedKind, name: string, field: string): void {
    const row = { kind: "name", key: nameKey(this.#deps.keyring, kind, name) } as const
    if (this.#take(row, new Uint8Array(0))) return
    throw refuse("NAME_TAKEN", `${kind} name must be unique: ${name} is taken`, { field })
  }

  spendToken({ organizationId, use, id, expiresMs }: SpentToken, refusal: () => Refusal): void {
    const row = { kind: "token-use", key: tokenUseKey(this.#deps.keyring, use, id) } as const
    const shard = indexShard(organizationId, row.key)
    if (this.#deps.ledger.row(shard, row.kind, row.key) !== undefined) throw refusal()
    const put = [{ ...row, value: new Uint8Array(0), expiresMs }]
    this.index.push({ shard, put, mustBeAbsent: [row] })
  }

  releaseName(kind: NamedKind, name: string): void {
    this.#remove({ kind: "name", key: nameKey(this.#deps.keyring, kind, name) })
  }

  takeAddress(address: string, target: AddressTarget, field: string): void {
    const key = addressKey(this.#deps.keyring, address)
    if (!this.#addresses.take(key, target)) {
      const sentence = `path already exists: the organization has an account or key with address ${address}`
      throw refuse("ACCOUNT_TAKEN", sentence, { field })
    }
    if (!("privateKeyId" in target)) this.#putAccount(target, { key, isExported: false })
  }

  markExported(account: AccountName): void {
    const { key, isExported } = this.#walletAccount(account)
    if (!isExported) this.#putAccount(account, { key, isExported: true })
  }

  wasExported(account: AccountName): boolean {
    return this.#walletAccount(account).isExported
  }

  releaseAddress(address: string, holderId: string): void {
    const released = this.#release(addressKey(this.#deps.keyring, address), holderId)
    this.staleKeys.push(cacheName(this.#organizationId, address))
    // The account's key is also one along the last path of its wallet.
    if (released !== undefined && "walletId" in released)
      this.staleKeys.push(cacheName(this.#organizationId, released.walletId))
  }

  /** Ends a record before its expiry and removes it from the ledger. */
  endRecord(record: Record): void {
    this.records.push(writeRecord(endRecord(record, this.#deps.keyring.records)))
    this.#remove(archiveRow(record))
  }

  /** Puts a row; one that does not exist now must still not exist when this is written. */
  putRow(row: LedgerRow): void {
    this.#put(row)
    if (this.#row(row.kind, row.key) === undefined) this.mustBeAbsent.push(row)
  }

  /** Accounts of wallets with the keys of their address rows, from the ledger: omitting a record cannot hide an account. */
  *#accountsOf(walletIds: ReadonlySet<string>, field: string): Steps<{ accountId: string; key: string }[]> {
    const all: LedgerRow[] = []
    for (const walletId of walletIds) {
      const room = MAX_REMOVED_ACCOUNTS - all.length
      const rows = yield* this.#deps.ledger.group(this.#organizationId, "wallet-account", walletId, room + 1)
      if (rows.length > room) throw tooManyAccounts(field)
      all.push(...rows)
    }
    return all.map(({ key, value }) => ({ accountId: accountOfKey(key), key: readWalletAccount(value).key }))
  }

  /** Fingerprints of pending activities do not expire. Their activities end now, so they get an expiry. */
  #expirePending(nowMs: number): void {
    const expiresMs = fingerprintExpiry(nowMs + MAX_AHEAD_MS)
    for (const { key } of this.#deps.ledger.rows(this.#organizationId, "pending")) {
      const value = this.#row("fingerprint", key)
      if (value !== undefined) this.#put({ kind: "fingerprint", key, value, expiresMs })
    }
  }

  #walletAccount(account: AccountName): { key: string; isExported: boolean } {
    const row = this.#row("wallet-account", walletAccountKey(account))
    if (row === undefined) throw new Error("a living account has its row")
    return readWalletAccount(row)
  }

  #putAccount(account: AccountName, state: { key: string; isExported: boolean }): void {
    this.#put({ kind: "wallet-account", key: walletAccountKey(account), value: writeWalletAccount(state) })
  }

  #release(key: string, holderId: string): AddressTarget | undefined {
    const released = this.#addresses.release(key, holderId)
    if (released !== undefined && !("privateKeyId" in released))
      this.#remove({ kind: "wallet-account", key: walletAccountKey(released) })
    return released
  }

  #keep(record: Record, expiresMs?: number): Record {
    const bytes = writeRecord(record)
    this.records.push(bytes)
    const row = { ...archiveRow(record), value: bytes }
    this.#put(expiresMs === undefined ? row : { ...row, expiresMs })
    return record
  }

  #putState({ id, version, deleted }: Record): void {
    const row = { kind: "record", key: id } as const
    // A second change would get the same version number again.
    if (this.#putNames.has(nameOf(row))) throw new Error("an activity changes a record once")
    this.#put({ ...row, value: writeRecordState({ version, deleted }) })
  }

  #take(row: RowName, value: Uint8Array): boolean {
    if (this.#putNames.has(nameOf(row))) return false
    const isReleased = this.#removedNames.has(nameOf(row))
    if (!isReleased && this.#row(row.kind, row.key) !== undefined) return false
    this.#put({ ...row, value })
    if (!isReleased) this.mustBeAbsent.push(row)
    return true
  }

  #row(kind: RowKind, key: string): Uint8Array | undefined {
    return this.#deps.ledger.row(this.#organizationId, kind, key)
  }

  #put(row: LedgerRow): void {
    this.put.push(row)
    this.#putNames.add(nameOf(row))
  }

  #remove(row: RowName): void {
    this.remove.push(row)
    this.#removedNames.add(nameOf(row))
  }
}

function nameOf({ kind, key }: RowName): string {
  return `${kind} ${key}`
}

function archiveRow({ kind, id }: Pick<Record, "kind" | "id">): RowName {
  return { kind: "archive-record", key: archiveKey(kind, id) }
}

import { type Record, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type {
  AccountName,
  AddressTarget,
  ChangeSet,
  NamedKind,
  NewRecord,
} from "../../activities/activity.ts"
import { unopenedSecret } from "../../../core/fetch-orders/client-secret.ts"
import { DEPLOYMENT, type Ledger, type LedgerRow, type RowKind, type RowName } from "../../ledger/ledger.ts"
import type { Keyring } from "../../provision/keyring.ts"
import { changeRecord, endRecord, makeRecord, makeTombstone, writeRecord } from "../../records/record.ts"
import { writeRecordState } from "../../records/state.ts"
import { refuse } from "../../../core/refusal.ts"
import { AddressRows } from "./address-rows.ts"
import {
  accountOfKey,
  addressKey,
  clientSecretKey,
  nameKey,
  readWalletAccount,
  walletAccountKey,
  writeWalletAccount,
} from "../state/ledger-keys.ts"
import { forgettableAt, MAX_AHEAD_MS } from "../../../core/liveness.ts"
import { archiveKey, recordName, requireAlive } from "../state/record-names.ts"
import { cacheName } from "./sign-with.ts"

/** Kinds of rows that end with their organization. Fingerprints stay until they expire: nothing that ran may run again. */
const HOLDINGS: readonly RowKind[] = [
  "archive-record",
  "record",
  "address",
  "wallet-account",
  "name",
  "pending",
  "waited",
  "session",
  "import-target",
]

/** Accounts that may end with their wallets at once: everybody else waits meanwhile. */
const MAX_ENDED_ACCOUNTS = 2_000

/** Rows beyond those of its own book that an organization may have at its end, for the same reason. */
const MAX_ENDED_ROWS = 20_000

/** What one activity changes: records for the database, rows for the ledger. Thrown away when it is refused. */
export class Changes implements ChangeSet {
  readonly records: Uint8Array[] = []
  /** Those of them that are new. */
  readonly added: Record[] = []
  readonly put: LedgerRow[] = []
  readonly remove: RowName[] = []
  readonly mustBeAbsent: RowName[] = []
  /** Rows of the deployment that must be new. */
  readonly claims: LedgerRow[] = []
  /** Names in the cache of derived keys of what signs no more. */
  readonly forgotten: string[] = []
  /** Whether so much ended that all keys in the cache have to go. */
  forgetsAll = false
  readonly #organizationId: string
  readonly #keyring: Keyring
  readonly #ledger: Ledger
  readonly #random: (length: number) => Uint8Array
  /** Rows that are put and rows that are removed, by kind and key: a request may name thousands. */
  readonly #putNames = new Set<string>()
  readonly #removedNames = new Set<string>()
  readonly #addresses: AddressRows

  constructor(
    organizationId: string,
    keyring: Keyring,
    ledger: Ledger,
    random: (length: number) => Uint8Array,
  ) {
    this.#organizationId = organizationId
    this.#keyring = keyring
    this.#ledger = ledger
    this.#random = random
    this.#addresses = new AddressRows((key) => ledger.row(organizationId, "address", key), this)
  }

  addRecord({ expiresMs, ...born }: NewRecord): Record {
    const draft = { ...born, organizationId: this.#organizationId, version: 1n }
    const record = this.#keep(makeRecord(draft, this.#keyring.records, this.#random), expiresMs)
    this.added.push(record)
    return record
  }

  changeRecord(record: Record, payload: Uint8Array): Record {
    const changed = changeRecord(record, payload, this.#keyring.records, this.#random)
    this.#putState(changed)
    return this.#keep(changed)
  }

  deleteRecord(kind: RecordKind, idAsGiven: string, field?: string): void {
    const organizationId = this.#organizationId
    const name = recordName(kind, idAsGiven, field)
    const { id } = name
    const { version } = requireAlive(this.#ledger, organizationId, name)
    const tombstone = makeTombstone({ kind, organizationId, id, version }, this.#keyring.records)
    this.#putState(tombstone)
    this.#keep(tombstone)
    this.forgotten.push(cacheName(organizationId, id))
  }

  removeAccounts(walletIds: ReadonlySet<string>, field: string): void {
    for (const { accountId, key } of this.#accountsOf(walletIds, field)) {
      this.#release(key, accountId)
      // As long as it lives an account is at version 1, so that there is no row of kind `record`.
      this.#remove(archiveRow({ kind: RecordKind.WALLET_ACCOUNT, id: accountId }))
    }
    this.forgetsAll = true
  }

  removeEverything(nowMs: number): void {
    if (this.#ledger.overflowExceeds(this.#organizationId, MAX_ENDED_ROWS)) throw tooMuchHeld()
    this.forgetsAll = true
    this.#forgetWaiting(nowMs)
    for (const kind of HOLDINGS) {
      for (const { key } of this.#ledger.rows(this.#organizationId, kind)) this.remove.push({ kind, key })
    }
  }

  takeName(kind: NamedKind, name: string, field: string): void {
    const row = { kind: "name", key: nameKey(this.#keyring, kind, name) } as const
    if (this.#take(row, new Uint8Array(0))) return
    throw refuse("NAME_TAKEN", `${kind} name must be unique: ${name} is taken`, { field })
  }

  claimClientSecret(sealedSecret: Uint8Array): void {
    const claim = { kind: "identity", key: clientSecretKey(this.#keyring, sealedSecret) } as const
    const owner = this.#ledger.row(DEPLOYMENT, claim.kind, claim.key)
    const value = Buffer.from(this.#organizationId)
    if (owner === undefined) this.claims.push({ ...claim, value })
    else if (!value.equals(owner)) throw unopenedSecret()
  }

  releaseName(kind: NamedKind, name: string): void {
    this.#remove({ kind: "name", key: nameKey(this.#keyring, kind, name) })
  }

  takeAddress(address: string, target: AddressTarget, field: string): void {
    const key = addressKey(this.#keyring, address)
    if (!this.#addresses.take(key, target)) {
      const sentence = `path already exists: the organization has an account or key with address ${address}`
      throw refuse("ACCOUNT_TAKEN", sentence, { field })
    }
    if ("privateKeyId" in target) return
    const value = writeWalletAccount({ key, isExported: false })
    this.#put({ kind: "wallet-account", key: walletAccountKey(target), value })
  }

  markExported(account: AccountName): void {
    const { key, isExported } = this.#walletAccount(account)
    if (isExported) return
    const value = writeWalletAccount({ key, isExported: true })
    this.#put({ kind: "wallet-account", key: walletAccountKey(account), value })
  }

  wasExported(account: AccountName): boolean {
    return this.#walletAccount(account).isExported
  }

  releaseAddress(address: string, holderId: string): void {
    this.#release(addressKey(this.#keyring, address), holderId)
    this.forgotten.push(cacheName(this.#organizationId, address))
  }

  /** Ends a record that would have expired by itself: the ledger forgets it now. */
  endRecord(record: Record): void {
    this.records.push(writeRecord(endRecord(record, this.#keyring.records)))
    this.#remove(archiveRow(record))
  }

  /** Where there is no such row now, there must be none when this is written. */
  putRow(row: LedgerRow): void {
    this.#put(row)
    if (this.#ledger.row(this.#organizationId, row.kind, row.key) === undefined) this.mustBeAbsent.push(row)
  }

  /**
   * Accounts of wallets and the keys of their address rows. It is the ledger's own list: that somebody keeps an
   * account's record to himself saves no account.
   */
  #accountsOf(walletIds: ReadonlySet<string>, field: string): { accountId: string; key: string }[] {
    const all: LedgerRow[] = []
    for (const walletId of walletIds) {
      const room = MAX_ENDED_ACCOUNTS - all.length
      const rows = this.#ledger.group(this.#organizationId, "wallet-account", walletId, room + 1)
      if (rows.length > room) throw tooManyAccounts(field)
      all.push(...rows)
    }
    return all.map(({ key, value }) => ({
      accountId: accountOfKey(key),
      key: readWalletAccount(value).key,
    }))
  }

  /** What waits has a fingerprint that does not expire: nobody votes on it any more, so that it is settled now. */
  #forgetWaiting(nowMs: number): void {
    const expiresMs = forgettableAt(nowMs + MAX_AHEAD_MS)
    for (const { key } of this.#ledger.rows(this.#organizationId, "pending")) {
      const row = { kind: "fingerprint", key } as const
      const value = this.#ledger.row(this.#organizationId, row.kind, row.key)
      if (value !== undefined) this.#put({ ...row, value, expiresMs })
    }
  }

  #walletAccount(account: AccountName): { key: string; isExported: boolean } {
    const row = this.#ledger.row(this.#organizationId, "wallet-account", walletAccountKey(account))
    if (row === undefined) throw new Error("an account that lives has its row")
    return readWalletAccount(row)
  }

  #release(key: string, holderId: string): void {
    const released = this.#addresses.release(key, holderId)
    if (released === undefined || "privateKeyId" in released) return
    this.#remove({ kind: "wallet-account", key: walletAccountKey(released) })
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
    // The next version of the one that the ledger has would be this very version again.
    if (this.#putNames.has(nameOf(row))) throw new Error("an activity changes a record once")
    this.#put({ ...row, value: writeRecordState({ version, deleted }) })
  }

  #take(row: RowName, value: Uint8Array): boolean {
    if (this.#putNames.has(nameOf(row))) return false
    const isReleased = this.#removedNames.has(nameOf(row))
    const isFree = isReleased || this.#ledger.row(this.#organizationId, row.kind, row.key) === undefined
    if (!isFree) return false
    this.#put({ ...row, value })
    if (!isReleased) this.mustBeAbsent.push(row)
    return true
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

function tooManyAccounts(field: string) {
  const sentence =
    `the wallets have more than ${MAX_ENDED_ACCOUNTS} accounts together; delete fewer wallets at once, ` +
    "or accounts of a large one first, with delete_wallet_accounts"
  return refuse("LIMIT_EXCEEDED", sentence, { field })
}

function tooMuchHeld() {
  const sentence = "the organization has too many wallet accounts to end at once; delete its wallets first"
  return refuse("LIMIT_EXCEEDED", sentence)
}

function archiveRow({ kind, id }: Pick<Record, "kind" | "id">): RowName {
  return { kind: "archive-record", key: archiveKey(kind, id) }
}

import type { Record } from "../../proto/gen/countersign/state/v1/record_pb.ts"
import type { ChangeSet, NewRecord } from "../activities/activity.ts"
import { canonicalAddress } from "../keys/address/index.ts"
import { macRecord } from "../keys/record-mac.ts"
import type { Ledger, LedgerRow, RowKind } from "../ledger/ledger.ts"
import type { Keyring } from "../provision/keyring.ts"
import { makeRecord, writeRecord } from "../record/record.ts"
import { refuse } from "../refusal.ts"
import { archiveKey } from "./records.ts"

type RowName = { kind: RowKind; key: string }

/** What one activity adds: records for the database, rows for the ledger. Thrown away when it is refused. */
export class Changes implements ChangeSet {
  readonly records: Uint8Array[] = []
  readonly put: LedgerRow[] = []
  readonly mustBeAbsent: RowName[] = []
  readonly #organizationId: string
  readonly #keyring: Keyring
  readonly #ledger: Ledger
  readonly #random: (length: number) => Uint8Array

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
  }

  addRecord(born: NewRecord): Record {
    const draft = { ...born, organizationId: this.#organizationId, version: 1n }
    const record = makeRecord(draft, this.#keyring.records, this.#random)
    const bytes = writeRecord(record)
    this.records.push(bytes)
    this.put.push({ kind: "archive-record", key: archiveKey(record.kind, record.id), value: bytes })
    return record
  }

  takeName(kind: "wallet", name: string, field: string): void {
    const row = { kind: "name", key: nameKey(this.#keyring, kind, name) } as const
    if (!this.#take(row, new Uint8Array(0))) {
      throw refuse("NAME_TAKEN", `${kind} name must be unique: ${name} is taken`, { field })
    }
  }

  takeAddress(address: string, accountId: string, walletId: string, field: string): void {
    const row = { kind: "address", key: addressKey(this.#keyring, address) } as const
    if (!this.#take(row, writeAddressTarget({ accountId, walletId }))) {
      throw refuse(
        "ACCOUNT_TAKEN",
        `path already exists: the organization has an account with address ${address}`,
        {
          field,
        },
      )
    }
  }

  #take(row: RowName, value: Uint8Array): boolean {
    const taken =
      this.#ledger.row(this.#organizationId, row.kind, row.key) !== undefined ||
      this.put.some((other) => other.kind === row.kind && other.key === row.key)
    if (taken) return false
    this.put.push({ ...row, value })
    this.mustBeAbsent.push(row)
    return true
  }
}

/** The account behind an address, and its wallet, without which it is not used. */
export type AddressTarget = { accountId: string; walletId: string }

export function addressKey(keyring: Keyring, address: string): string {
  return digestKey(keyring, "address", canonicalAddress(address))
}

export function readAddressTarget(row: Uint8Array): AddressTarget {
  const [accountId = "", walletId = ""] = Buffer.from(row).toString().split(" ")
  return { accountId, walletId }
}

function writeAddressTarget({ accountId, walletId }: AddressTarget): Uint8Array {
  return Buffer.from(`${accountId} ${walletId}`)
}

function nameKey(keyring: Keyring, kind: string, name: string): string {
  return digestKey(keyring, `name:${kind}`, name)
}

/** Ledger keys are keyed digests: the ledger's file tells nothing about names and addresses. */
function digestKey(keyring: Keyring, domain: string, text: string): string {
  return Buffer.from(macRecord(keyring.identity, `countersign/v1/${domain}`, Buffer.from(text))).toString(
    "hex",
  )
}

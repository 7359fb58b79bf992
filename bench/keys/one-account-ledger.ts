import { AddressFormat } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { addressKey, writeAddressTargets } from "../../signer/enclave/execution/state/ledger-keys.ts"
import type { Ledger, RowKind } from "../../signer/enclave/ledger/ledger.ts"
import type { Keyring } from "../../signer/enclave/provision/keyring.ts"

/**
 * Stand-in for a ledger of any number of accounts that knows one at a time: a vault reads nothing else. A
 * million real rows would only be slower to make.
 */
export class OneAccountLedger {
  readonly #keyring: Keyring
  #key = ""
  #target: Uint8Array = new Uint8Array(0)
  #archive: ReadonlyMap<string, Uint8Array> = new Map()

  constructor(keyring: Keyring) {
    this.#keyring = keyring
  }

  /** `archive`: the records of the account and its wallet, by archiveKey. */
  know(address: string, accountId: string, walletId: string, archive: ReadonlyMap<string, Uint8Array>): void {
    this.#archive = archive
    this.#key = addressKey(this.#keyring, address)
    this.#target = writeAddressTargets([{ accountId, walletId, addressFormat: AddressFormat.COMPRESSED }])
  }

  row(_organizationId: string, kind: RowKind, key: string): Uint8Array | undefined {
    if (kind === "archive-record") return this.#archive.get(key)
    return kind === "address" && key === this.#key ? this.#target : undefined
  }

  asLedger(): Ledger {
    return this as unknown as Ledger
  }
}

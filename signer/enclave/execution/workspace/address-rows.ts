import type { AddressTarget } from "../../activities/change-set.ts"
import type { LedgerRow, RowName } from "../../ledger/ledger.ts"
import { readAddressTargets, writeAddressTargets } from "../state/ledger-keys.ts"

/** Row changes of one activity. */
type RowChanges = { put: LedgerRow[]; remove: RowName[]; mustBeAbsent: RowName[] }

/** Present holders of an address, and the row that this activity puts for it. */
type Entry = { targets: readonly AddressTarget[]; isStored: boolean; row: LedgerRow | undefined }

/** Holders of addresses during one activity. The address rows are put or removed as holders change. */
export class AddressRows {
  readonly #read: (key: string) => Uint8Array | undefined
  readonly #changes: RowChanges
  readonly #entries = new Map<string, Entry>()

  /** @param read returns the ledger's row of a key */
  constructor(read: (key: string) => Uint8Array | undefined, changes: RowChanges) {
    this.#read = read
    this.#changes = changes
  }

  /** False when another holder has the address and may not share it. */
  take(key: string, target: AddressTarget): boolean {
    const entry = this.#entryOf(key)
    if (!entry.targets.every((held) => mayShare(held, target))) return false
    const isHeld = entry.targets.some((held) => holderOf(held) === holderOf(target))
    if (!isHeld) this.#write(key, entry, [...entry.targets, target])
    return true
  }

  /** The released target; undefined when the holder did not have the address. */
  release(key: string, holderId: string): AddressTarget | undefined {
    const entry = this.#entryOf(key)
    const released = entry.targets.find((held) => holderOf(held) === holderId)
    if (released !== undefined) {
      const others = entry.targets.filter((held) => held !== released)
      this.#write(key, entry, others)
    }
    return released
  }

  #entryOf(key: string): Entry {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const stored = this.#read(key)
    const targets = stored === undefined ? [] : readAddressTargets(stored)
    const entry = { targets, isStored: stored !== undefined, row: undefined }
    this.#entries.set(key, entry)
    return entry
  }

  #write(key: string, entry: Entry, targets: readonly AddressTarget[]): void {
    const { put, remove, mustBeAbsent } = this.#changes
    const name = { kind: "address", key } as const
    entry.targets = targets
    if (targets.length === 0) {
      if (entry.row !== undefined) put.splice(put.indexOf(entry.row), 1)
      entry.row = undefined
      if (entry.isStored) remove.push(name)
      return
    }
    const value = writeAddressTargets(targets)
    if (entry.row !== undefined) {
      entry.row.value = value
      return
    }
    entry.row = { ...name, value }
    put.push(entry.row)
    if (!entry.isStored) mustBeAbsent.push(name)
  }
}

/**
 * True if two holders may share an address. Its text names one key on every network. Formats of one private key may
 * share it; so may accounts of one wallet in different formats, which then have the same path.
 */
function mayShare(held: AddressTarget, target: AddressTarget): boolean {
  if ("privateKeyId" in held || "privateKeyId" in target) return holderOf(held) === holderOf(target)
  return held.walletId === target.walletId && held.addressFormat !== target.addressFormat
}

function holderOf(target: AddressTarget): string {
  return "privateKeyId" in target ? target.privateKeyId : target.accountId
}

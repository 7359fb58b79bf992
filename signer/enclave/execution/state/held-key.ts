import type { SigningKey } from "../../keys/signing-key.ts"
import type { Ledger, RowName } from "../../ledger/ledger.ts"

/** A row as it was read; undefined: there was none. */
type ReadRow = RowName & { value: Uint8Array | undefined }

/** A key in clear in the cache, with the rows of the ledger by which it was opened. */
export class HeldKey {
  readonly key: SigningKey
  readonly #rows: readonly ReadRow[]

  constructor(key: SigningKey, rows: readonly ReadRow[]) {
    this.key = key
    this.#rows = rows
  }

  /** True if the ledger still has every row as it was. A key that is not is opened again, or refused. */
  isCurrent(ledger: Pick<Ledger, "row">, organizationId: string): boolean {
    return this.#rows.every(({ kind, key, value }) => isSame(ledger.row(organizationId, kind, key), value))
  }

  wipe(): void {
    this.key.wipe()
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}

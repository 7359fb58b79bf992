import type { SigningKey } from "../../keys/signing-key.ts"
import type { Ledger, RowName } from "../../ledger/ledger.ts"

/** A row as it was read; undefined: there was none. */
type ReadRow = RowName & { value: Uint8Array | undefined }

/** A key in clear in the cache, with the rows of the ledger by which it was opened. */
export class HeldKey {
  readonly key: SigningKey
  readonly #rows: readonly ReadRow[]
  /** Sequence of the ledger at which every row was as it was read. */
  #currentAt: bigint | undefined

  constructor(key: SigningKey, rows: readonly ReadRow[]) {
    this.key = key
    this.#rows = rows
  }

  /**
   * True if the ledger still has every row as it was. A key that is not is opened again, or refused. The rows are read after
   * each transaction only: in a large organization, finding three costs as much as a signature.
   */
  isCurrent(ledger: Pick<Ledger, "row" | "sequence">, organizationId: string): boolean {
    const sequence = ledger.sequence()
    if (sequence === this.#currentAt) return true
    const isCurrent = this.#rows.every(({ kind, key, value }) =>
      isSame(ledger.row(organizationId, kind, key), value),
    )
    if (isCurrent) this.#currentAt = sequence
    return isCurrent
  }

  wipe(): void {
    this.key.wipe()
  }
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return Buffer.compare(one, other) === 0
}

import type { Steps } from "../../../core/turns/steps.ts"
import type { CounterChanges } from "../../activities/change-set.ts"
import type { Ledger, RowName } from "../../ledger/ledger.ts"
import { counterRow } from "../state/velocity-counters.ts"

/** Counters of one control that may be removed at once, while every other request waits. */
const MAX_REMOVED_COUNTERS = 20_000

/** Removals of the counters of velocity controls, among the changes of one activity. */
export class Counters implements CounterChanges {
  readonly #organizationId: string
  readonly #ledger: Pick<Ledger, "row" | "group">
  readonly #removeRow: (row: RowName) => void

  constructor(
    organizationId: string,
    ledger: Pick<Ledger, "row" | "group">,
    removeRow: (row: RowName) => void,
  ) {
    this.#organizationId = organizationId
    this.#ledger = ledger
    this.#removeRow = removeRow
  }

  *removeAll(velocityControlId: string): Steps<void> {
    const organizationId = this.#organizationId
    const rows = yield* this.#ledger.group(
      organizationId,
      "velocity",
      velocityControlId,
      MAX_REMOVED_COUNTERS,
    )
    for (const { kind, key } of rows) this.#removeRow({ kind, key })
  }

  remove(velocityControlId: string, bucketId: string): void {
    const name = counterRow(velocityControlId, bucketId)
    if (this.#ledger.row(this.#organizationId, name.kind, name.key) !== undefined) this.#removeRow(name)
  }
}

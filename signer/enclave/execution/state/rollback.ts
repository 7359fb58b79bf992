import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import {
  type LedgerRollback,
  LedgerRollbackSchema,
  type NewerState,
  NewerStateSchema,
} from "../../../../proto/gen/countersign/state/v1/rollback_pb.ts"
import { type Refusal, refuse } from "../../../core/refusal.ts"
import { DEPLOYMENT, deploymentChange, type Ledger } from "../../ledger/ledger.ts"

/**
 * Detects that the ledger was rolled back or copied. Documents and records leave the signer only after the ledger has
 * them durably (commit.ts). An authentic one that is newer was therefore issued by another state of this ledger. From
 * then on nothing is decided. The ledger keeps the finding, so that a restart does not end it.
 */
export class RollbackDetector {
  readonly #ledger: Ledger
  readonly #onFound: (state: NewerState) => void
  #state: LedgerRollback

  constructor(ledger: Ledger, onFound: (state: NewerState) => void) {
    this.#ledger = ledger
    this.#onFound = onFound
    const row = ledger.row(DEPLOYMENT, ROW.kind, ROW.key)
    this.#state = row === undefined ? create(LedgerRollbackSchema) : fromBinary(LedgerRollbackSchema, row)
  }

  /** The state that showed a rollback; undefined: none is unanswered. */
  get found(): NewerState | undefined {
    return this.#state.newerState
  }

  /** @throws LEDGER_OLDER */
  requireNone(): void {
    if (this.found !== undefined) throw ledgerOlder()
  }

  /**
   * Takes authentic state that the ledger does not know. Halts the signer at once and returns the refusal. Undefined:
   * an operator gave up the history of that state, which is no longer evidence.
   */
  report(newer: MessageInitShape<typeof NewerStateSchema>): Refusal | undefined {
    const newerState = create(NewerStateSchema, newer)
    if (newerState.version <= this.#state.givenUpVersion) return undefined
    if (this.found === undefined) {
      this.#state.newerState = newerState
      this.#onFound(newerState)
      // If the disk is full, the halt lasts until the restart, and the same state shows the rollback again.
      this.#store(this.#state).catch(() => {})
    }
    return ledgerOlder()
  }

  /** The version that the next one of a document or record follows: no version that was given up is issued again. */
  latest(version: bigint): bigint {
    const { givenUpVersion } = this.#state
    return version > givenUpVersion ? version : givenUpVersion
  }

  /** Highest version that an operator gave up; 0: none. */
  get givenUpVersion(): bigint {
    return this.#state.givenUpVersion
  }

  /**
   * Gives up all state that is newer than the ledger, shown or not, on an operator's order, at a Unix time in milliseconds.
   * Resolves to the ledger's epoch after the sync.
   */
  async accept(nowMs: number): Promise<number> {
    const era = this.latest(this.found?.version ?? 0n) / VERSIONS_PER_ERA
    const accepted = create(LedgerRollbackSchema, { givenUpVersion: (era + 1n) * VERSIONS_PER_ERA })
    await Promise.all([this.#ledger.beginEpoch(Math.floor(nowMs / 1000)), this.#store(accepted)])
    this.#state = accepted
    return this.#ledger.term(DEPLOYMENT).epoch
  }

  #store(state: LedgerRollback): Promise<void> {
    const put = [{ ...ROW, value: toBinary(LedgerRollbackSchema, state) }]
    return this.#ledger.commit([deploymentChange(this.#ledger, { put })])
  }
}

const ROW = { kind: "rollback", key: "" } as const

/** More versions than any document or record can have had since the last time state was given up. */
const VERSIONS_PER_ERA = 2n ** 32n

/** For callers of every organization, so it names none. */
export function ledgerOlder(): Refusal {
  const sentence =
    "the signer's ledger is older than state that this deployment signed: it was restored from an older copy, or a " +
    "second copy of it is in use; an operator must restore the newest ledger, or accept this one"
  return refuse("LEDGER_OLDER", sentence)
}

/** For the operator. */
export function describeNewer({ organizationId, recordId, version, ledgerVersion }: NewerState): string {
  const what = recordId === "" ? "the document" : `record ${recordId}`
  return `${what} of organization ${organizationId} was shown at version ${version}, the ledger has ${ledgerVersion}`
}

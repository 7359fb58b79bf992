import type { ReadMetricsResponse } from "../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import type { TurnQueue } from "../../core/turns/turn-queue.ts"
import type { ExecutionDeps } from "../execution/state/deps.ts"
import type { Histogram } from "../../process/figures.ts"
import type { ActGate } from "../../core/holder-acts/act-gate.ts"
import type { SealedSeedLock } from "../../process/unlock-calls.ts"
import type { AuditStream } from "../audit/audit-stream.ts"
import type { LedgerCopies } from "../backup/copies.ts"
import type { Executor } from "../execution/execute.ts"
import type { Phase } from "../phase.ts"
import type { OrderFigures } from "./order-figures.ts"

/** State and keys that handlers use while the signer serves. */
export type ServingState = ExecutionDeps & {
  executor: Executor
  copies: LedgerCopies
  /** Undefined: this process writes no audit stream. */
  audit: AuditStream | undefined
}

export type StorageFigures = Pick<
  ReadMetricsResponse,
  | "ledgerChanges"
  | "ledgerBytes"
  | "cachedKeys"
  | "cachedDocuments"
  | "indexVerified"
  | "sealEpoch"
  | "unwitnessedSeconds"
> & { ledgerSyncSeconds: ReturnType<Histogram["read"]> }

/** Opens and locks a sealed root seed. */
export type SeedLock = SealedSeedLock & {
  /** Finishes the orders under way and forgets all keys and shares. */
  lock(): Promise<void>
}

/** The argument of every handler. */
export type SignerContext = {
  phase(): Phase
  /** The queue of orders. */
  turns: TurnQueue
  /** Counts of orders, and those that run. */
  orders: OrderFigures
  /** Figures of ledger, keys and caches, as in ReadMetricsResponse. */
  storage(): StorageFigures
  /** Aborts when the signer was asked to end. */
  stopping: AbortSignal
  /** Undefined: the root seed lies in a plain file, or there is none. */
  seedLock: SeedLock | undefined
  /** Requires approvals of holders. */
  acts: ActGate
  /** @throws Error when the signer is halted */
  state(): ServingState
  /** Ends the process: its state can no longer be trusted. */
  terminate(error: unknown): never
  /** Called when the operator accepts the host's clock. */
  acceptClock(): Promise<void>
  /** Called when the operator accepts a ledger that is older than state of this deployment. */
  acceptLedger(): Promise<void>
}

import type { VerifiedIndex } from "./ledger/ledger.ts"
import type { StatedHead } from "./audit/audit-stream.ts"
import type { SignerContext } from "./rpc/context.ts"

/** A signer without its servers, serving or halted. */
export type BootedSigner = SignerContext & {
  purge(): Promise<void>
  /** Binds the audit stream's latest record, makes the log's new leaves durable and signs their checkpoint. */
  signLog(): Promise<void>
  /** The log's latest signed head; undefined: there is no log, or nothing was signed. */
  signedHead(): StatedHead | undefined
  /** Verifies the ledger's index, then the log's leaves, in the background; undefined: the signer has halted or was stopped meanwhile. */
  verifyIndex(): Promise<VerifiedIndex | undefined>
  /** Begins no order any more, and ends each stream once its orders are answered. */
  stop(): void
  /** Stops, waits for the orders that run and closes the ledger. */
  close(): Promise<void>
  /** As `close`, without waiting: changes that running orders have not written yet are lost. */
  closeNow(): Promise<void>
}

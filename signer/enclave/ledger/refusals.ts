import { Refusal, refuse } from "../../core/refusal.ts"

export function damaged(sentence: string, cause?: unknown): Refusal {
  return refuse("LEDGER_DAMAGED", sentence, { cause })
}

export const isDamaged = (error: unknown): boolean =>
  error instanceof Refusal && error.code === "LEDGER_DAMAGED"

export function ledgerFull(cause: unknown): Refusal {
  return refuse("LEDGER_FULL", "the disk of the signer's ledger is full; nothing was written", { cause })
}

/** The refusal after the ledger was closed by a stopping signer: the request was not written. */
export function ledgerClosed(): Refusal {
  return refuse(
    "SIGNER_STOPPING",
    "the signer is stopping, and nothing was written; send the same body again",
  )
}

import type { MessageInitShape } from "@bufbuild/protobuf"
import type { GetSendTransactionStatusResponseSchema } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import type { SameNonceRow, SendStatusRow } from "../store/sends.ts"
import { type RevertEntry, revertEntry } from "./reverts.ts"

/** Why a transaction failed, as the worker stores it. */
type StoredFailure = {
  message: string
  /** Follows the message, also where the revert's data make a better one. */
  reason?: string
  sameNonceId?: string
  revert?: { address: string; data: string }
  solana?: {
    source: string
    rpcCode?: number
    rpcMessage?: string
    transactionErrorJson?: string
    logs?: string[]
    unitsConsumed?: string
  }
}

/** Address of the contract that reverted; undefined: none is known. */
export function revertedContract({ failure }: SendStatusRow): string | undefined {
  return readFailure(failure)?.revert?.address
}

/** Id of the transaction with the same nonce that the state is about; undefined: it is about none. */
export function sameNonceId({ failure }: SendStatusRow): string | undefined {
  return readFailure(failure)?.sameNonceId
}

/** @param abis JSON ABIs of the contract that reverted */
export function sendStatusResource(
  row: SendStatusRow,
  abis: readonly string[],
  sameNonce?: SameNonceRow,
): MessageInitShape<typeof GetSendTransactionStatusResponseSchema> {
  const { chain, status, hash } = row
  const failure = readFailure(row.failure)
  const isSolana = chain.startsWith("solana:")
  // The interface promises no hash of a transaction that no node took, or that failed.
  const isKnown = status === "BROADCASTING" || status === "INCLUDED"
  return {
    txStatus: status,
    ...(isKnown && (isSolana ? { solana: { signature: hash } } : { eth: { txHash: hash } })),
    ...(failure && errorOf(failure, abis, isSolana)),
    ...(sameNonce && { sameNonce }),
  }
}

function readFailure(failure: string | null): StoredFailure | undefined {
  return failure === null ? undefined : (JSON.parse(failure) as StoredFailure)
}

function errorOf(
  { message, reason, revert, solana }: StoredFailure,
  abis: readonly string[],
  isSolana: boolean,
) {
  const revertChain: RevertEntry[] = revert ? [revertEntry(revert.address, revert.data, abis)] : []
  const [outermost] = revertChain
  const what = outermost ? `the transaction was mined and ${outermost.displayMessage}` : message
  const sentence = reason === undefined ? what : `${what}; ${reason}`
  const parts = isSolana ? { ...(solana && { solana }) } : { revertChain, eth: { revertChain } }
  return { txError: sentence, error: { message: sentence, ...parts } }
}

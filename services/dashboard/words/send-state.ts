// The state of a sent transaction in words. Its activity is completed as soon as the transaction is signed.
import type { Tone } from "./activity.ts"

/** Reply of `get_send_transaction_status`. */
export type SendStatus = {
  txStatus: string
  eth?: { txHash?: string }
  solana?: { signature?: string }
  txError?: string
  /** Another transaction with the same nonce, which waits too or was included in place of this one. */
  sameNonce?: SameNonceSend
}

export type SameNonceSend = { activityId: string; activityType: string; txHash: string; txStatus: string }

export type SendState = readonly [words: string, tone: Tone]

/** State of a send that is not known: its status has not been read. */
export const SIGNED: SendState = ["Signed", ""]

const STATES: { readonly [status: string]: SendState } = {
  INITIALIZED: ["Signed, not broadcast yet", "warn"],
  BROADCASTING: ["Signed, waits for a block", "warn"],
  INCLUDED: ["Included", "good"],
  FAILED: ["Failed", "bad"],
}

/** The id by which the transaction of a completed send is followed; undefined for other activities. */
export function sendIdOf({ status, result }: { status: string; result: object }): string | undefined {
  if (status !== "ACTIVITY_STATUS_COMPLETED") return undefined
  const [members] = Object.values(result) as ({ sendTransactionStatusId?: unknown } | undefined)[]
  const id = members?.sendTransactionStatusId
  return typeof id === "string" ? id : undefined
}

/** True while the worker still follows a transaction. */
export const isFollowed = (txStatus: string | undefined): boolean =>
  txStatus === "INITIALIZED" || txStatus === "BROADCASTING"

/** The words of a status without regard to another transaction with the same nonce. */
export const wordsOfStatus = (txStatus: string): SendState => STATES[txStatus] ?? [txStatus, ""]

/**
 * The state of the transaction of activity `ownId`. One whose nonce another one has used did not fail: its owner replaced it, or
 * it came too late.
 */
export function sendStateOf({ txStatus, txError, sameNonce }: SendStatus, ownId: string): SendState {
  if (txStatus === "INCLUDED" && txError) return ["Included, and reverted", "bad"]
  if (txStatus === "FAILED" && sameNonce !== undefined) {
    if (!isLater(sameNonce, ownId)) return ["Not included", ""]
    return [isCancellation(sameNonce) ? "Cancelled" : "Replaced", ""]
  }
  return wordsOfStatus(txStatus)
}

export const isCancellation = ({ activityType }: SameNonceSend): boolean =>
  activityType === "ACTIVITY_TYPE_ETH_CANCEL_TRANSACTION"

/** Ids of activities begin with their time (UUID version 7). */
export const isLater = ({ activityId }: SameNonceSend, ownId: string): boolean => activityId > ownId

import { readingTransaction } from "../../../core/fault-refusals.ts"
import { readRawTransaction } from "../../../core/send/raw-transaction.ts"
import type { Activity } from "../../activities/activity.ts"

const needs = ["broadcast"] as const

export const ethSendRawTransaction: Activity<"ethSendRawTransaction", typeof needs> = {
  needs,
  check({ signedTransaction, caip2 }) {
    readingTransaction(() => readRawTransaction(signedTransaction, caip2), "parameters.signedTransaction")
  },
  run({ caip2 }, { broadcast, newId }) {
    const { raw, from, transaction, hash } = broadcast.raw()
    broadcast.add({
      sendTransactionStatusId: newId(),
      caip2,
      raw,
      transactionHash: hash,
      account: from.toLowerCase(),
      nonce: transaction.nonce,
      validUntilMs: 0n,
      lastValidBlockHeight: 0n,
    })
    return { transactionHash: hash }
  },
}

import { readRawTransaction } from "../../core/send/raw-transaction.ts"
import { readingTransaction } from "../../core/transaction/refusal.ts"
import type { Activity } from "./activity.ts"

const needs = ["send"] as const

export const ethSendRawTransaction: Activity<"ethSendRawTransaction", typeof needs> = {
  needs,
  check({ signedTransaction, caip2 }) {
    readingTransaction(() => readRawTransaction(signedTransaction, caip2), "parameters.signedTransaction")
  },
  run(parameters, { send: sends, newId }) {
    const { raw, from, transaction, hash } = sends.raw(parameters)
    sends.add({
      sendTransactionStatusId: newId(),
      caip2: parameters.caip2,
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

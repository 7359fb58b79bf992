import type { Activity } from "./activity.ts"

export const ethSendRawTransaction: Activity<"ethSendRawTransaction"> = {
  run(parameters, { sends, newId }) {
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

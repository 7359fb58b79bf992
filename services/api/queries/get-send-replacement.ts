import {
  type GetSendReplacementRequest,
  GetSendReplacementResponseSchema,
} from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import { readOwnBatch } from "../../../signer/core/send/own-batch.ts"
import { readRawTransaction } from "../../../signer/core/send/raw-transaction.ts"
import { type ReplacementFees, leastFees } from "../../../signer/core/send/replacement.ts"
import type { EthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { invalid, notFound } from "../errors.ts"
import { jsonText } from "../resources/json-text.ts"
import { estimateGas } from "../sending/estimate.ts"
import { askNode } from "../sending/nodes.ts"
import { getSentTransaction, openWithNonce, type SentTransaction } from "../store/sends.ts"
import type { Query, QueryContext } from "./shared/query.ts"

/** The least fees with which a waiting transaction can be replaced, or the chain's present ones where they are higher. */
export const getSendReplacement: Query<GetSendReplacementRequest> = async (
  { sendTransactionStatusId: id },
  context,
) => {
  const { sql, organization, nodes } = context
  const sent = await getSentTransaction(sql, organization.id, id)
  if (sent === undefined)
    throw notFound(`unable to find send transaction status ${id} in organization ${organization.id}`)
  const { caip2, status, hash } = sent
  const signedTransaction = hexOf(sent)
  const { from, transaction } = readWaiting(sent, signedTransaction)
  const least = await leastFeesOf(sent, transaction, context)
  const node = nodes.ethereum(caip2)
  const byDelegate = readOwnBatch(transaction, from.toLowerCase()) !== undefined
  const nothing = [{ to: from, value: "0", data: new Uint8Array(0) }]
  const [cancelGasLimit, fees] = await askNode(caip2, () =>
    Promise.all([estimateGas(node, { from, calls: nothing, byDelegate }), nodes.fees(caip2)]),
  )
  return jsonText(GetSendReplacementResponseSchema, {
    txStatus: status,
    txHash: hash,
    from,
    caip2,
    nonce: String(transaction.nonce),
    signedTransaction,
    gasLimit: String(transaction.gas),
    cancelGasLimit: String(cancelGasLimit),
    leastMaxFeePerGas: String(least.maxFeePerGas),
    leastMaxPriorityFeePerGas: String(least.maxPriorityFeePerGas),
    maxFeePerGas: String(highest(least.maxFeePerGas, fees.maxFeePerGas)),
    maxPriorityFeePerGas: String(highest(least.maxPriorityFeePerGas, fees.maxPriorityFeePerGas)),
  })
}

/** Nodes keep the dearest transaction of a nonce: a second replacement has to outbid the first one, which may wait too. */
async function leastFeesOf(
  { caip2, chain, account }: SentTransaction,
  transaction: EthereumTransaction,
  { sql, organization }: QueryContext,
): Promise<ReplacementFees> {
  const { nonce } = transaction
  const waiting = await openWithNonce(sql, organization.id, { chain, account, nonce })
  const fees = waiting.map((raw) => leastFees(readRawTransaction(hexOf({ raw }), caip2).transaction))
  return fees.reduce(
    (least, one) => ({
      maxFeePerGas: highest(least.maxFeePerGas, one.maxFeePerGas),
      maxPriorityFeePerGas: highest(least.maxPriorityFeePerGas, one.maxPriorityFeePerGas),
    }),
    leastFees(transaction),
  )
}

function hexOf({ raw }: Pick<SentTransaction, "raw">): string {
  return `0x${Buffer.from(raw).toString("hex")}`
}

function readWaiting({ caip2, isSponsored }: SentTransaction, signedTransaction: string) {
  const field = "sendTransactionStatusId"
  if (isSponsored)
    throw invalid(
      "a sponsored transaction is the paymaster's and cannot be replaced or cancelled; it ends with its deadline",
      field,
    )
  if (caip2.startsWith("eip155:")) return readRawTransaction(signedTransaction, caip2)
  throw invalid(
    "a transaction of Solana has no nonce that another one could take; it expires with its block hash",
    field,
  )
}

function highest(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

import { readingTransaction } from "../fault-refusals.ts"
import { refuse } from "../refusal.ts"
import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { type EthereumSend, readEthereumSend } from "./ethereum-send.ts"
import type { Call } from "./gas-station.ts"
import { type OwnBatch, readOwnBatch } from "./own-batch.ts"
import { type RawTransaction, readRawTransaction } from "./raw-transaction.ts"

/** Parameters of a replacement or a cancellation, as their reader returned them. Numbers are decimal; fees are in wei. */
export type ReplacementParameters = {
  readonly from: string
  readonly caip2: string
  readonly nonce: string
  /** The waiting transaction as nodes take it, 0x and hexadecimal. */
  readonly signedTransaction: string
  readonly gasLimit: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
}

/** A transaction with the nonce of another one, so that a chain includes at most one of the two. */
export type Replacement = {
  readonly send: EthereumSend
  readonly replaced: RawTransaction
  /** The waiting batch whose calls a cancellation ends; undefined: the waiting transaction is none. */
  readonly batch?: OwnBatch
}

export type ReplacementFees = Pick<EthereumTransaction, "maxFeePerGas" | "maxPriorityFeePerGas">

/** Nodes take a replacement whose fee and tip are each higher by this (go-ethereum, legacypool `PriceBump`), percent. */
const BUMP = 10n

/**
 * The waiting transaction with other fees: recipient, amount and data come from its signed bytes alone.
 * @throws TRANSACTION_INVALID, SEND_ADDRESS_INVALID, SEND_CHAIN_MISMATCH, SEND_REPLACED_MISMATCH, SEND_NOT_REPLACEABLE,
 *   SEND_FEE_TOO_LOW
 */
export function readReplacement(parameters: ReplacementParameters): Replacement {
  return readInPlace(parameters, ({ transaction }, from) => {
    requireRepeatable(transaction, from)
    const { to, value, data } = transaction
    return { to, value, data }
  })
}

/**
 * Nothing to the sender themselves in place of the waiting transaction. In place of a batch, it is a batch with the same nonce of the
 * delegate: only one of the two can run.
 * @throws as readReplacement
 */
export function readCancellation(parameters: ReplacementParameters): Replacement {
  const read = readInPlace(parameters, (_, from) => ({ to: from, value: 0n, data: "0x" }))
  const { send, replaced } = read
  const { transaction } = replaced
  const batch = readOwnBatch(transaction, send.from)
  const [authorization, ...others] = transaction.authorizationList
  const isOwn = authorization === undefined || authorization.nonce === transaction.nonce + 1n
  if (batch === undefined || !isOwn || others.length > 0) return read
  const given = { ...send.given, gasStationNonce: batch.nonce }
  const endsBatch = { delegate: authorization?.address }
  return { replaced, batch, send: { ...send, kind: "batch", given, endsBatch } }
}

/** The least fees with which nodes take another transaction of the same nonce. */
export function leastFees(replaced: EthereumTransaction): ReplacementFees {
  const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(replaced)
  return { maxFeePerGas: raised(maxFeePerGas), maxPriorityFeePerGas: raised(maxPriorityFeePerGas) }
}

function readInPlace(
  parameters: ReplacementParameters,
  callOf: (replaced: RawTransaction, from: string) => Call,
): Replacement {
  const { caip2, signedTransaction, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = parameters
  const replaced = readingTransaction(
    () => readRawTransaction(signedTransaction, caip2),
    "parameters.signedTransaction",
  )
  const fees = { gasLimit, maxFeePerGas, maxPriorityFeePerGas }
  requireFeesInWei(replaced.transaction)
  // Sender and numbers are read as those of every send; the call comes from the signed bytes.
  const read = readEthereumSend({ from: parameters.from, caip2, to: parameters.from, nonce, ...fees })
  requireOwn(replaced, read)
  requireBump(replaced.transaction, read)
  return { replaced, send: { ...read, calls: [callOf(replaced, read.from)] } }
}

/** @throws SEND_REPLACED_MISMATCH */
function requireOwn({ from: signer, transaction }: RawTransaction, { from, given }: EthereumSend): void {
  if (signer.toLowerCase() !== from) {
    const sentence = `signedTransaction was signed by ${signer}, not by ${from}; a sponsored transaction is the paymaster's and cannot be replaced`
    throw refuse("SEND_REPLACED_MISMATCH", sentence, { field: "parameters.signedTransaction" })
  }
  if (transaction.nonce === given.nonce) return
  const sentence = `nonce ${given.nonce} is not that of signedTransaction, ${transaction.nonce}: with another nonce both could be included; use ${transaction.nonce}`
  throw refuse("SEND_REPLACED_MISMATCH", sentence, { field: "parameters.nonce" })
}

/**
 * A batch is a call of the account to itself, whose calls policies would not see here; a change of delegation would be lost.
 * @throws SEND_NOT_REPLACEABLE
 */
function requireRepeatable({ to, data, authorizationList }: EthereumTransaction, from: string): void {
  const why =
    to === ""
      ? "creates a contract"
      : authorizationList.length > 0
        ? "changes a delegation (EIP-7702)"
        : to === from && data !== "0x"
          ? "is a batch of calls"
          : undefined
  if (why === undefined) return
  const sentence = `the transaction ${why}, and is not signed again with other fees; cancel it with eth_cancel_transaction, and then send a new transaction`
  throw refuse("SEND_NOT_REPLACEABLE", sentence, { field: "parameters.signedTransaction" })
}

/**
 * The new fees are stated in wei, and nodes compare them by a rate that the signer does not know.
 * @throws SEND_NOT_REPLACEABLE
 */
function requireFeesInWei({ feeCurrency }: EthereumTransaction): void {
  if (feeCurrency === "") return
  const sentence = `the transaction pays its fees in ${feeCurrency}, not in the chain's own currency; sign one of the same nonce with sign_transaction`
  throw refuse("SEND_NOT_REPLACEABLE", sentence, { field: "parameters.signedTransaction" })
}

/** @throws SEND_FEE_TOO_LOW */
function requireBump(replaced: EthereumTransaction, { given }: EthereumSend): void {
  const least = leastFees(replaced)
  for (const name of ["maxFeePerGas", "maxPriorityFeePerGas"] as const) {
    if ((given[name] ?? 0n) >= least[name]) continue
    const sentence = `${name} ${given[name]} is too low to replace the transaction: nodes take ${least[name]} wei or more`
    throw refuse("SEND_FEE_TOO_LOW", sentence, { field: `parameters.${name}` })
  }
}

/** Transactions from before EIP-1559 pay their gas price as fee and as tip. */
function feesOf({ type, gasPrice, ...fees }: EthereumTransaction): ReplacementFees {
  const isOld = type === "LEGACY" || type === "TYPE_1"
  return isOld ? { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice } : fees
}

/** The fee raised by the bump, rounded up, and by 1 wei at least: nodes refuse an equal one. */
function raised(fee: bigint): bigint {
  const bumped = (fee * (100n + BUMP) + 99n) / 100n
  return bumped > fee ? bumped : fee + 1n
}

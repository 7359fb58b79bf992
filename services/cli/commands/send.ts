import { setTimeout as pause } from "node:timers/promises"
import { commandText, shownId } from "../../../signer/core/command-text.ts"
import { ethereumAddressBytes } from "../../../signer/core/address/ethereum.ts"
import { isFollowed, type SendStatus, sendStateOf, wordsOfStatus } from "../../dashboard/words/send-state.ts"
import { readChainName } from "../../chains/chains.ts"
import { type Querying, query } from "../../terminal-client/api-client.ts"
import { confirm } from "../../terminal-client/ask.ts"
import { showRequest } from "../../terminal-client/activities/show-request.ts"
import { inLine } from "../../terminal-client/activities/state.ts"
import {
  submitChange,
  type ChangeOptions,
  resultOf,
  type SubmittedChange,
} from "../../terminal-client/changes/change.ts"
import type { Stamping } from "../../terminal-client/changes/stamping.ts"
import { CliError, ExitCode, usage } from "../../terminal-client/exit.ts"
import { onInterrupt } from "../output/interrupt.ts"
import { printResult } from "../../terminal-client/terminal.ts"

export type SendOptions = {
  chain: string
  from: string
  to: string
  value?: string
  data?: string
  nonce?: string
  gasLimit?: string
  maxFeePerGas?: string
  maxPriorityFeePerGas?: string
  wait?: boolean
  /** Sends without a question. */
  yes?: boolean
  json?: boolean
}

/** A send whose options are well formed: the parameters of the activity that the options give. */
export type SendOrder = { from: string; caip2: string; to: string } & { [name: string]: string }

const POLL_MS = 500
const PATIENCE_MS = 120_000

/** Options that are whole numbers, by the parameters of their names. */
const NUMBERS = {
  value: "--value",
  nonce: "--nonce",
  gasLimit: "--gas-limit",
  maxFeePerGas: "--max-fee-per-gas",
  maxPriorityFeePerGas: "--max-priority-fee-per-gas",
} as const

/** @throws {CliError} usage: an option that no send can have */
export function readSend(options: SendOptions): SendOrder {
  const { from, to, data } = options
  const caip2 = requireEvmChain(options.chain)
  for (const [flag, address] of Object.entries({ "--from": from, "--to": to }))
    if (ethereumAddressBytes(address) === undefined)
      throw usage(
        `${flag} ${address}: not an Ethereum address; write 0x and 40 hexadecimal digits, with the checksum if letters differ in case`,
      )
  const numbers: { [name: string]: string } = {}
  for (const [name, flag] of Object.entries(NUMBERS)) {
    const text = options[name as keyof typeof NUMBERS]
    if (text !== undefined) numbers[name] = requireNumber(flag, text)
  }
  if (data !== undefined && !/^0x(?:[0-9a-fA-F]{2})*$/.test(data))
    throw usage(`--data ${data}: not bytes; write 0x and two hexadecimal digits for each byte`)
  return { from, caip2, to, ...numbers, ...(data !== undefined && { data }) }
}

/**
 * Has a transaction signed, broadcast and followed. The stamped body names gas and fees, so the fee that is shown is the
 * highest one that can be paid.
 *
 * @throws {CliError} refused, or unreachable if it does not end; usage: there is no terminal to ask at
 */
export async function send(
  order: SendOrder,
  options: Pick<SendOptions, "wait" | "yes"> & ChangeOptions,
  stamping: Stamping,
): Promise<void> {
  const type = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"
  const parameters = { ...order, ...(await missingFees(order, stamping)) }
  const review = (body: string) => reviewPayment(body, options, stamping)
  // Fees are others at each call: they do not make a repeated command another one.
  const submitted = await submitChange({ type, parameters, identity: order, review }, options, stamping)
  if (submitted !== undefined) await follow(submitted, options, stamping)
}

/**
 * Prints the state of a transaction that was sent, by default at its end.
 *
 * @throws {CliError} refused, or unreachable if it does not end
 */
export async function follow(
  { activity }: Pick<SubmittedChange, "activity">,
  options: Pick<SendOptions, "wait" | "json">,
  stamping: Stamping,
): Promise<void> {
  const { terminal } = stamping
  const { sendTransactionStatusId } = resultOf(activity)
  const id = String(sendTransactionStatusId)
  const stopListening = onInterrupt(() => terminal.log(laterLine(id)))
  const status = await (options.wait === false ? statusOf : ended)(stamping, id).finally(stopListening)
  printResult(terminal, { sendTransactionStatusId: id, ...status }, options)
  if (options.json !== true) terminal.log(inLine(sendStateOf(status, activity.id)[0]))
  if (options.json !== true && isFollowed(status.txStatus)) terminal.log(laterLine(id))
  const { txStatus, txError } = status
  const isReverted = txStatus === "INCLUDED" && txError !== undefined
  if (txStatus === "FAILED" || isReverted)
    throw new CliError(ExitCode.refused, txError ?? "the transaction failed")
}

/** Shows the payment of the body that will be sent, and asks. @throws {CliError} refused: the answer is no; usage: JSON shows none */
export async function reviewPayment(
  body: string,
  { yes = false, json = false }: Pick<SendOptions, "yes" | "json">,
  stamping: Stamping,
  question = "send?",
): Promise<void> {
  // The question would be about a payment, with values of the API, that the person cannot see.
  if (json && !yes) throw usage("--json asks nothing: add --yes to send")
  if (!json) await showRequest(body, stamping)
  if (yes || (await confirm(question))) return
  throw new CliError(ExitCode.refused, "nothing was sent")
}

type Fees = { [name in "gasLimit" | "maxFeePerGas" | "maxPriorityFeePerGas"]?: string }

/** Gas and fees that the order does not name, as the API reads them from the chain. */
async function missingFees(order: SendOrder & Fees, stamping: Stamping): Promise<Fees> {
  if (order.gasLimit !== undefined && order.maxFeePerGas !== undefined) return {}
  const { from, caip2, to, value, data } = order
  const request = { from, caip2, to, value, data }
  const read = await query<{ [name: string]: unknown }>(stamping, "get_send_estimate", request)
  const { gasLimit = numberIn(read, "gasLimit"), maxFeePerGas = numberIn(read, "maxFeePerGas") } = order
  const tip = order.maxPriorityFeePerGas ?? numberIn(read, "maxPriorityFeePerGas")
  const isAbove = order.maxPriorityFeePerGas === undefined && BigInt(tip) > BigInt(maxFeePerGas)
  return { gasLimit, maxFeePerGas, maxPriorityFeePerGas: isAbove ? maxFeePerGas : tip }
}

/** @throws {CliError} fault */
export function numberIn(estimate: { [name: string]: unknown }, name: string): string {
  const value = estimate[name]
  if (typeof value === "string" && /^(?:0|[1-9][0-9]{0,77})$/.test(value)) return value
  throw new CliError(
    ExitCode.fault,
    `the API's estimate has no ${name}: give --gas-limit and --max-fee-per-gas`,
  )
}

function requireEvmChain(text: string): string {
  const caip2 = readChainName(text)
  if (caip2?.startsWith("eip155:")) return caip2
  if (caip2 === undefined)
    throw usage(`--chain ${text}: not a chain; write its CAIP-2 name, such as eip155:1, or base or polygon`)
  const advice = "sign a Solana transaction with: npx countersign request sol_send_transaction"
  throw usage(`--chain ${text}: send pays on EVM chains; ${advice} --submit sol_send_transaction_v2`)
}

export function requireNumber(flag: string, text: string): string {
  if (/^(?:0|[1-9][0-9]*)$/.test(text)) return text
  const unit = flag === "--value" || flag.includes("fee") ? " of wei; 1 ETH is 1000000000000000000 wei" : ""
  throw usage(`${flag} ${text}: not a whole number${unit}`)
}

async function ended(querying: Querying, id: string): Promise<SendStatus> {
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    const status = await statusOf(querying, id)
    if (!isFollowed(status.txStatus)) return status
    if (performance.now() > giveUp)
      throw new CliError(ExitCode.unreachable, [
        `${inLine(wordsOfStatus(status.txStatus)[0])}${status.txError ? `: ${status.txError}` : ""}`,
        laterLine(id),
      ])
    await pause(POLL_MS)
  }
}

/** The command that shows the state of a send that goes on. */
function laterLine(id: string): string {
  const body = JSON.stringify({ sendTransactionStatusId: shownId(id, "ID") })
  return commandText`it goes on; ask again: npx countersign request get_send_transaction_status ${body}`
}

function statusOf(querying: Querying, id: string): Promise<SendStatus> {
  return query<SendStatus>(querying, "get_send_transaction_status", { sendTransactionStatusId: id })
}

import { setTimeout as pause } from "node:timers/promises"
import { type ApiClient, activityBody, post, submit } from "../api-client.ts"
import { CliError, ExitCode } from "../exit.ts"
import { printResult, type Terminal } from "../terminal.ts"

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
  json?: boolean
}

type Status = { txStatus: string; eth?: { txHash?: string }; txError?: string }

const POLL_MS = 500
const PATIENCE_MS = 120_000

/** Has a transaction signed, broadcast and followed. @throws {CliError} refused, or unreachable if it does not end */
export async function send(
  options: SendOptions,
  client: ApiClient,
  organizationId: string,
  terminal: Terminal,
): Promise<void> {
  const { chain, from, to, value, data, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = options
  const given = { value, data, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas }
  const named = Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined))
  if (!options.json) terminal.log(sentence(options))
  const body = activityBody("ACTIVITY_TYPE_ETH_SEND_TRANSACTION", organizationId, {
    from,
    caip2: chain,
    to,
    ...named,
  })
  const { sendTransactionStatusId } = await submit(client, "eth_send_transaction", body)
  const id = String(sendTransactionStatusId)
  const status =
    options.wait === false
      ? await statusOf(client, organizationId, id)
      : await ended(client, organizationId, id)
  printResult(terminal, { sendTransactionStatusId: id, ...status }, options)
  if (status.txStatus === "FAILED" || status.txError !== undefined)
    throw new CliError(ExitCode.refused, status.txError ?? "the transaction failed")
}

/** A sentence with amount, recipient, account and greatest fee. */
function sentence({ chain, from, to, value = "0", data, gasLimit, maxFeePerGas }: SendOptions): string {
  const fee =
    gasLimit !== undefined && maxFeePerGas !== undefined
      ? `${ether(BigInt(gasLimit) * BigInt(maxFeePerGas))} at most`
      : "within the operator's caps"
  const call = data === undefined ? "" : `, with ${(data.length - 2) / 2} bytes of call data`
  return `pays ${ether(BigInt(value))} from ${from} to ${to} on ${chain}${call}; fee ${fee}`
}

/** Wei in units of 10^18, without trailing zeros. */
function ether(wei: bigint): string {
  const digits = String(wei).padStart(19, "0")
  const part = digits.slice(-18).replace(/0+$/, "")
  return `${digits.slice(0, -18)}${part === "" ? "" : `.${part}`} ETH`
}

async function ended(client: ApiClient, organizationId: string, id: string): Promise<Status> {
  const giveUp = performance.now() + PATIENCE_MS
  for (;;) {
    const status = await statusOf(client, organizationId, id)
    if (status.txStatus === "INCLUDED" || status.txStatus === "FAILED") return status
    if (performance.now() > giveUp)
      throw new CliError(ExitCode.unreachable, [
        `the transaction is ${status.txStatus}${status.txError ? `: ${status.txError}` : ""}`,
        `it goes on; ask again: npx countersign request get_send_transaction_status '{"sendTransactionStatusId":"${id}"}'`,
      ])
    await pause(POLL_MS)
  }
}

async function statusOf(client: ApiClient, organizationId: string, id: string): Promise<Status> {
  const body = JSON.stringify({ organizationId, sendTransactionStatusId: id })
  return (await post(client, "/public/v1/query/get_send_transaction_status", body)) as Status
}

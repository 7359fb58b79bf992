import { setTimeout as pause } from "node:timers/promises"
import type { StampingClient } from "../suborgs/caller.ts"
import type { Anvil } from "./anvil.ts"

/** Sends, all queued at once, of accounts in turn. */
export type SendPlan = { sends: number; accounts: number }

export type SendsRun = SendPlan & {
  /** Until the last reply, and until the last transaction is mined. */
  acceptedSeconds: number
  minedSeconds: number
  /** Accepted sends without a mined transaction. */
  lost: number
  /** Accepted sends with several mined transactions. */
  doubled: number
  /** Nonces that an account's transactions left out. */
  gaps: number
  /** Accepted sends whose status is another than INCLUDED. */
  notIncluded: number
}

/** Requests under way at a time. */
const LANES = 100
const POLL_MS = 100
/** Without any progress. */
const PATIENCE_MS = 60_000
const TO = "0x00000000000000000000000000000000000000aa"

/** Sends of 1, 2, 3 … wei, so that each mined transaction names its send. */
export async function measureSends(
  caller: StampingClient,
  organizationId: string,
  chain: Anvil,
  { sends, accounts }: SendPlan,
): Promise<SendsRun> {
  const addresses = await makeAccounts(caller, organizationId, accounts)
  for (const address of addresses)
    await chain.call("anvil_setBalance", address, `0x${(10n ** 20n).toString(16)}`)
  const ids: string[] = []
  const start = performance.now()
  await inLanes(sends, async (index) => {
    const parameters = {
      from: addresses[index % accounts],
      caip2: chain.caip2,
      to: TO,
      value: String(index + 1),
    }
    ids[index] = await accept(caller, organizationId, parameters)
  })
  const acceptedSeconds = (performance.now() - start) / 1000
  await untilMined(chain, addresses, sends)
  const minedSeconds = (performance.now() - start) / 1000
  const statuses = await finalStatuses(caller, organizationId, ids)
  const notIncluded = statuses.filter((status) => status !== "INCLUDED").length
  return {
    sends,
    accounts,
    acceptedSeconds,
    minedSeconds,
    notIncluded,
    ...(await readChain(chain, addresses, sends)),
  }
}

async function makeAccounts(
  caller: StampingClient,
  organizationId: string,
  count: number,
): Promise<string[]> {
  const accounts = Array.from({ length: count }, (_, index) => ({
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }))
  const wallet = { walletName: `Sending ${Date.now()}`, accounts }
  const { text } = await caller.submit("create_wallet", "CREATE_WALLET", organizationId, wallet)
  const result = resultIn(text)["createWalletResult"] as { addresses: string[] } | undefined
  if (result?.addresses.length !== count) throw new Error(`no wallet: ${text}`)
  return result.addresses
}

/** Sends the same body until it is answered: 429 and 503 say that nothing came of it. */
async function accept(caller: StampingClient, organizationId: string, parameters: object): Promise<string> {
  const type = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"
  const body = { type, timestampMs: String(Date.now()), organizationId, parameters }
  for (;;) {
    const { status, text } = await caller.call("submit/eth_send_transaction", body)
    if (status === 429 || status === 503) {
      await pause(POLL_MS)
      continue
    }
    const result = resultIn(text)["ethSendTransactionResult"] as
      | { sendTransactionStatusId: string }
      | undefined
    if (status !== 200 || result === undefined) throw new Error(`not sent: ${status} ${text}`)
    return result.sendTransactionStatusId
  }
}

function resultIn(text: string): { [name: string]: unknown } {
  const { activity } = JSON.parse(text) as { activity?: { result?: { [name: string]: unknown } } }
  return activity?.result ?? {}
}

/** Waits while mined transactions become more. */
async function untilMined(chain: Anvil, addresses: readonly string[], sends: number): Promise<void> {
  let [mined, progressAt] = [0, performance.now()]
  while (mined < sends && performance.now() - progressAt < PATIENCE_MS) {
    await pause(POLL_MS)
    const counts = await Promise.all(
      addresses.map((address) => chain.call<string>("eth_getTransactionCount", address, "latest")),
    )
    const now = counts.reduce((sum, count) => sum + Number(count), 0)
    if (now > mined) progressAt = performance.now()
    mined = now
  }
}

async function finalStatuses(
  caller: StampingClient,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const statuses: string[] = []
  const giveUp = performance.now() + PATIENCE_MS
  await inLanes(ids.length, async (index) => {
    for (;;) {
      const asked = { organizationId, sendTransactionStatusId: ids[index] }
      const { text } = await caller.call("query/get_send_transaction_status", asked)
      const status = String((JSON.parse(text) as { txStatus?: unknown }).txStatus)
      statuses[index] = status
      if (status === "INCLUDED" || status === "FAILED" || performance.now() > giveUp) return
      await pause(POLL_MS)
    }
  })
  return statuses
}

type Mined = { from: string; nonce: string; value: string }

async function readChain(chain: Anvil, addresses: readonly string[], sends: number) {
  const newest = Number(await chain.call<string>("eth_blockNumber"))
  const own = new Set(addresses.map((address) => address.toLowerCase()))
  const all: Mined[] = []
  for (let number = 0; number <= newest; number++) {
    const block = await chain.call<{ transactions: Mined[] }>(
      "eth_getBlockByNumber",
      `0x${number.toString(16)}`,
      true,
    )
    all.push(...block.transactions.filter(({ from }) => own.has(from.toLowerCase())))
  }
  return judgeMined(all, sends)
}

/** `mined`: all transactions of the accounts; the send with index n moved n + 1 wei. */
export function judgeMined(
  mined: readonly Mined[],
  sends: number,
): Pick<SendsRun, "lost" | "doubled" | "gaps"> {
  const times = new Map<number, number>()
  const nonces = new Map<string, number[]>()
  for (const { from, nonce, value } of mined) {
    times.set(Number(value), (times.get(Number(value)) ?? 0) + 1)
    nonces.set(from, [...(nonces.get(from) ?? []), Number(nonce)])
  }
  const counts = Array.from({ length: sends }, (_, index) => times.get(index + 1) ?? 0)
  const gaps = Array.from(nonces.values(), (used) => Math.max(...used) + 1 - new Set(used).size)
  return {
    lost: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length,
    gaps: gaps.reduce((sum, count) => sum + count, 0),
  }
}

async function inLanes(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    for (let index = next++; index < count; index = next++) await work(index)
  }
  await Promise.all(Array.from({ length: Math.min(LANES, count) }, lane))
}

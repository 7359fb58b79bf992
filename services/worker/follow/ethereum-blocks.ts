// Ended transactions of an EVM chain, until the blocks that they rest on are final.
import type { EthereumNode, TransactionReceipt } from "../../chains/ethereum.ts"
import type { Database } from "../../database/database.ts"
import type { SendChange } from "../store/sends.ts"
import { moveSend, settleSends, type UnsettledSend } from "../store/unsettled-sends.ts"

type Deps = {
  node: EthereumNode
  sql: Database
  /** Blocks after which the chain counts as final, the block itself counted. */
  confirmations: bigint
  /** The state of a transaction that a block includes. */
  mined: (send: UnsettledSend, receipt: TransactionReceipt) => Promise<SendChange>
}

/**
 * Asks for each block once, however many transactions it includes.
 *
 * @returns transactions that no block includes any more
 */
export async function settleEthereum(sends: readonly UnsettledSend[], deps: Deps): Promise<UnsettledSend[]> {
  const newest = await deps.node.blockNumber()
  const gone: UnsettledSend[] = []
  for (const group of Map.groupBy(
    sends,
    ({ status, block }) => `${status} ${block.number} ${block.hash}`,
  ).values())
    gone.push(...(await settleGroup(group, newest, deps)))
  return gone
}

/** @param group transactions with one status and block */
async function settleGroup(
  group: readonly UnsettledSend[],
  newest: bigint,
  deps: Deps,
): Promise<UnsettledSend[]> {
  const { node, sql, confirmations } = deps
  const block = group[0]?.block
  if (block === undefined) return []
  const isDeep = newest - block.number + 1n >= confirmations
  if (block.hash === undefined) {
    for (const send of group) await settleFailed(send, isDeep, deps)
    return []
  }
  const hash = await node.blockHash(block.number)
  // The node is behind the one that showed the block.
  if (hash === undefined) return []
  if (hash !== block.hash) return movedOrGone(group, deps)
  if (isDeep) await settleSends(sql, group)
  return []
}

/** Transactions whose block was replaced. The new block, or a later one, may include them as well. */
async function movedOrGone(
  group: readonly UnsettledSend[],
  { node, sql, mined }: Deps,
): Promise<UnsettledSend[]> {
  const gone: UnsettledSend[] = []
  for (const send of group) {
    const receipt = await node.receipt(send.hash)
    const change = receipt && (await mined(send, receipt))
    if (change?.status === "INCLUDED") await moveSend(sql, send, change)
    else gone.push(send)
  }
  return gone
}

/**
 * A failure because another transaction used the nonce. Callers may have paid again since, so the bytes are not broadcast
 * again. If a block includes them nevertheless, the status says so.
 */
async function settleFailed(send: UnsettledSend, isDeep: boolean, { node, sql, mined }: Deps): Promise<void> {
  const receipt = await node.receipt(send.hash)
  const change = receipt && (await mined(send, receipt))
  if (change?.status === "INCLUDED") await moveSend(sql, send, change)
  else if (isDeep && (await node.nonce(send.account, "latest")) > send.nonce) await settleSends(sql, [send])
}

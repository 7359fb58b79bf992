import { BALANCE_CONFIRMED } from "../../../signer/core/webhook/statement.ts"
import type { ChainAsset } from "../../chains/assets.ts"
import { NodeRefusal } from "../../chains/json-rpc.ts"
import type { Amounts, BlockRef, Pending, Polled, Watch } from "../store/balance-watches.ts"
import type { ChainState } from "./chains.ts"

type PollContext = {
  state: ChainState
  /** Assets whose balances are followed. */
  assets: readonly ChainAsset[]
  /** Waits until a node may be called. */
  pace: () => Promise<void>
}

/**
 * Polls one address: its new state, and a notification for each asset whose balance changed. The first balances that are read are
 * those from which changes count. Between two polls changes of one asset are one change.
 *
 * @throws NodeUnavailable, NodeRefusal
 */
export async function pollWatch(watch: Watch, context: PollContext): Promise<Polled> {
  const { state, pace } = context
  const { eventType, balances, pending } = watch
  if (pending !== null) {
    await pace()
    const settlement = await state.settlement(eventType, pending.block)
    if (settlement === "waits") return { balances, pending, bodies: [] }
    if (settlement === "settled") return settled(watch, pending, context.assets)
  }
  const amounts = await readAmounts(watch, context)
  const isSame = Object.entries(amounts).every(([token, amount]) => balances?.[token] === amount)
  if (balances !== null && isSame) return { balances, pending: null, bodies: [] }
  const read = { amounts, block: state.block(eventType) }
  await pace()
  const isSettled = (await state.settlement(eventType, read.block)) === "settled"
  return isSettled ? settled(watch, read, context.assets) : { balances, pending: read, bodies: [] }
}

/** Amounts by token. A token whose contract fails is left out, and keeps the balance that was reported last. */
async function readAmounts(
  { eventType, address }: Watch,
  { state, assets, pace }: PollContext,
): Promise<Amounts> {
  const amounts: { [token: string]: string } = {}
  for (const { token } of assets) {
    await pace()
    try {
      const amount = await state.amount(eventType, address, token)
      if (amount !== undefined) amounts[token] = String(amount)
    } catch (error) {
      if (token === "" || !(error instanceof NodeRefusal)) throw error
    }
  }
  return amounts
}

function settled(watch: Watch, { amounts, block }: Pending, assets: readonly ChainAsset[]): Polled {
  const balances: { [token: string]: string } = {}
  const bodies: string[] = []
  for (const asset of assets) {
    const before = watch.balances?.[asset.token]
    const after = amounts[asset.token] ?? before
    if (after === undefined) continue
    balances[asset.token] = after
    if (before !== undefined && before !== after)
      bodies.push(bodyOf(watch, asset, { before: BigInt(before), after: BigInt(after), block }))
  }
  return { balances, pending: null, bodies }
}

type Change = { before: bigint; after: bigint; block: BlockRef }

/** The published body, without `txHash`: a balance says nothing of the transactions that changed it. */
function bodyOf(
  { organizationId, eventType, caip2, address }: Watch,
  { caip19, decimals, symbol }: ChainAsset,
  { before, after, block }: Change,
): string {
  const type = eventType === BALANCE_CONFIRMED ? "balances:confirmed" : "balances:finalized"
  const isDeposit = after > before
  const amount = String(isDeposit ? after - before : before - after)
  // A reorganization can make another block of the same number, whose balance is another change.
  const place = [block.number, ...(block.hash === undefined ? [] : [block.hash])].join(":")
  const msg = {
    operation: isDeposit ? "deposit" : "withdraw",
    caip2,
    address,
    idempotencyKey: `${type}:${caip2}:${address}:${caip19}:${place}`,
    asset: { ...(symbol !== "" && { symbol }), decimals, caip19, amount },
    balance: String(after),
    block: { ...block, number: Number(block.number) },
  }
  return JSON.stringify({ type, organizationId, parentOrganizationId: "", msg })
}

import { counted } from "../../../signer/core/counted.ts"
import { BALANCE_CONFIRMED } from "../../../signer/core/webhook/statement.ts"
import type { Chain } from "../../chains/chains.ts"
import { EthereumNode } from "../../chains/ethereum.ts"
import type { Finality } from "../../chains/finality.ts"
import { NodeUnavailable } from "../../chains/json-rpc.ts"
import { type SolanaCommitment, SolanaNode } from "../../chains/solana.ts"
import type { BlockRef } from "../store/balance-watches.ts"

/** `waits`: too few blocks follow it. `gone`: a reorganization removed it. */
type Settlement = "settled" | "waits" | "gone"

/** One chain as its nodes show it at one moment. */
export type ChainState = {
  block(eventType: string): BlockRef
  /** In the asset's smallest unit; undefined: a contract that states no balance. `token`: empty for the chain's own currency. */
  amount(eventType: string, address: string, token: string): Promise<bigint | undefined>
  settlement(eventType: string, block: BlockRef): Promise<Settlement>
}

/** Reads balances of one chain. */
export type BalanceChain = {
  /** @throws NodeUnavailable */
  open(): Promise<ChainState>
}

/** A chain that stays behind for longer has begun again. */
const LONGEST_BEHIND_MS = 60_000

/**
 * The newest block or slot that was read. Behind one URL there may be nodes of which some are behind: their balances are older ones, and a
 * deposit would be told as withdrawn and deposited again.
 */
class Newest {
  #number = 0n
  #seenMs = 0

  /** @throws NodeUnavailable if the number is lower than one before */
  require(number: bigint): void {
    const nowMs = performance.now()
    if (number < this.#number && nowMs - this.#seenMs < LONGEST_BEHIND_MS)
      throw new NodeUnavailable(`the node is ${counted(this.#number - number, "block")} behind`)
    this.#number = number
    this.#seenMs = nowMs
  }
}

type Depth = { confirmations: number; finality: Finality }

export function balanceChain(chain: Chain, depth: Depth): BalanceChain {
  return chain.namespace === "solana" ? solanaChain(chain) : ethereumChain(chain, depth)
}

/**
 * Balances are read at the newest block, and count once enough blocks follow it: most nodes have the state of the last 128 blocks
 * alone, and some chains are final after more.
 */
function ethereumChain(chain: Chain, { confirmations, finality }: Depth): BalanceChain {
  const node = new EthereumNode(chain)
  const newest = new Newest()
  const depthOf = (eventType: string) =>
    eventType === BALANCE_CONFIRMED ? BigInt(confirmations) : finality.confirmations(chain.caip2)
  return {
    async open() {
      const { number, hash, timestamp } = await node.latestBlock()
      newest.require(number)
      return {
        block: () => ({ number: String(number), hash, timestamp: Number(timestamp) }),
        amount: (_eventType, address, token) =>
          token === "" ? node.balance(address, number) : node.tokenBalance(address, token, number),
        async settlement(eventType, block) {
          const at = BigInt(block.number)
          if (number < at + depthOf(eventType) - 1n) return "waits"
          return (await node.blockHash(at)) === block.hash ? "settled" : "gone"
        },
      }
    },
  }
}

const commitmentOf = (eventType: string): SolanaCommitment =>
  eventType === BALANCE_CONFIRMED ? "confirmed" : "finalized"

/** Solana's nodes show the state of each commitment, of the slots that were asked for or later ones. */
function solanaChain(chain: Chain): BalanceChain {
  const node = new SolanaNode(chain)
  const newest = { confirmed: new Newest(), finalized: new Newest() }
  return {
    async open() {
      const slots = { confirmed: await node.slot("confirmed"), finalized: await node.slot("finalized") }
      newest.confirmed.require(slots.confirmed)
      newest.finalized.require(slots.finalized)
      const from = (eventType: string) => {
        const commitment = commitmentOf(eventType)
        return { commitment, minContextSlot: Number(slots[commitment]) }
      }
      return {
        block: (eventType) => ({ number: String(slots[commitmentOf(eventType)]) }),
        amount: (eventType, address, token) =>
          token === ""
            ? node.balance(address, from(eventType))
            : node.tokenBalance(address, token, from(eventType)),
        settlement: () => Promise.resolve("settled"),
      }
    },
  }
}

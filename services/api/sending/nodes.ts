import type { ChainAsset, ListedTokens } from "../../chains/assets.ts"
import { canonicalChain, type Chains } from "../../chains/chains.ts"
import { EthereumNode, type Fees } from "../../chains/ethereum.ts"
import { NodeRefusal, NodeUnavailable, type RpcLimits } from "../../chains/json-rpc.ts"
import { SolanaNode } from "../../chains/solana.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { invalid } from "../errors.ts"

/** A node may take half of the time of a request. */
const LIMITS: RpcLimits = { timeoutMs: 5_000, maxBytes: 1024 * 1024 }

/** Fees of a chain are asked once in this time: less than a block of most chains. */
const FEES_REUSED_MS = 2_000

type Node = { ethereum?: EthereumNode; solana?: SolanaNode }

/** Nodes of the configured chains, for requests, and the tokens that the operator lists. */
export class Nodes {
  readonly #nodes = new Map<string, Node>()
  readonly #fees = new Map<string, { atMs: number; fees: Promise<Fees> }>()

  readonly #tokens: ListedTokens

  constructor(chains: Chains, tokens: ListedTokens = new Map()) {
    this.#tokens = tokens
    for (const [caip2, chain] of chains)
      this.#nodes.set(
        caip2,
        chain.namespace === "solana"
          ? { solana: new SolanaNode(chain, LIMITS) }
          : { ethereum: new EthereumNode(chain, LIMITS) },
      )
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED */
  require(caip2: string, field = "parameters.caip2"): void {
    if (!this.#nodes.has(canonicalChain(caip2))) throw notConfigured(caip2, field)
  }

  /** The one spelling of a chain's name, whether it is configured or not. */
  canonical(caip2: string): string {
    return canonicalChain(caip2)
  }

  /** Tokens of a chain that the operator lists. `caip2`: its canonical name. */
  tokens(caip2: string): readonly ChainAsset[] {
    return this.#tokens.get(caip2) ?? []
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED */
  ethereum(caip2: string): EthereumNode {
    const node = this.#nodes.get(canonicalChain(caip2))?.ethereum
    if (node === undefined) throw notConfigured(caip2)
    return node
  }

  /** @throws ApiError CHAIN_NOT_CONFIGURED */
  solana(caip2: string): SolanaNode {
    const node = this.#nodes.get(canonicalChain(caip2))?.solana
    if (node === undefined) throw notConfigured(caip2)
    return node
  }

  /** Fees of an EVM chain at this moment. */
  fees(caip2: string): Promise<Fees> {
    const known = this.#fees.get(caip2)
    if (known !== undefined && performance.now() - known.atMs < FEES_REUSED_MS) return known.fees
    const fees = this.ethereum(caip2).fees()
    this.#fees.set(caip2, { atMs: performance.now(), fees })
    fees.catch(() => this.#fees.delete(caip2))
    return fees
  }
}

function notConfigured(caip2: string, field = "parameters.caip2"): ApiError {
  const sentence = `this service reaches no node of ${caip2}: its operator lists chains in COUNTERSIGN_CHAINS`
  return invalid(sentence, field, "CHAIN_NOT_CONFIGURED")
}

/** Asks nodes. A node that does not serve becomes an error of its own, after which the same body may be sent again. */
export async function askNode<T>(caip2: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof NodeUnavailable || error instanceof NodeRefusal)) throw error
    const fault = error instanceof NodeUnavailable ? error.fault : `the node says: ${error.message}`
    throw new ApiError(GrpcCode.unavailable, `no node of ${caip2} serves this now: ${fault}; try again`, {
      publicCode: "RPC_CALL_ERROR",
      reason: "CHAIN_UNAVAILABLE",
      cause: error,
    })
  }
}

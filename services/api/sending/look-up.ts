import { type EthereumSendParameters, readEthereumSend } from "../../../signer/core/send/ethereum-send.ts"
import type { ChainValues } from "../../../signer/core/send/fill.ts"
import { canonicalChain } from "../../chains/chains.ts"
import type { Database } from "../../database/database.ts"
import { noncesInUse } from "../store/sends.ts"
import { isDelegated } from "../../chains/delegation.ts"
import { estimateGas } from "./estimate.ts"
import { firstFree } from "./free-nonce.ts"
import { askNode, type Nodes } from "./nodes.ts"

type LookUpDeps = { nodes: Nodes; sql: Database }

/** Values that policies do not see. */
const UNSEEN = { gasStationNonce: "0", paymasterNonce: 0n, recentBlockhash: "", lastValidBlockHeight: 0n }

/**
 * The values that a send would get from its chain now, for advice: nothing is locked, so the next send may get them too.
 * The operator's delegate is not known here. An account that delegates counts as delegated to it.
 *
 * @param parameters of a send whose body lacks values
 * @throws ApiError CHAIN_NOT_CONFIGURED, CHAIN_UNAVAILABLE, TRANSACTION_REVERTS
 */
export function lookUpValues(parameters: { readonly caip2: string }, deps: LookUpDeps): Promise<ChainValues> {
  const { caip2 } = parameters
  return askNode(caip2, () =>
    caip2.startsWith("solana:")
      ? lookUpSolana(caip2, deps)
      : lookUpEthereum(parameters as EthereumSendParameters, deps),
  )
}

async function lookUpSolana(caip2: string, { nodes }: LookUpDeps): Promise<ChainValues> {
  const { blockhash: recentBlockhash, lastValidBlockHeight } = await nodes.solana(caip2).recentBlockhash()
  return { ...UNSEEN, caip2, recentBlockhash, lastValidBlockHeight }
}

async function lookUpEthereum(
  parameters: EthereumSendParameters,
  { nodes, sql }: LookUpDeps,
): Promise<ChainValues> {
  const { caip2, from, kind, calls, given } = readEthereumSend(parameters)
  const node = nodes.ethereum(caip2)
  const byDelegate = kind === "sponsored" || kind === "batch"
  const sent = calls.map(({ to, value, data }) => {
    return { to, value: String(value), data: Buffer.from(data.slice(2), "hex") }
  })
  const account = { chain: canonicalChain(caip2), account: from }
  const used = kind === "sponsored" ? [] : await noncesInUse(sql, account)
  const [gasLimit, fees, delegates, pending] = await Promise.all([
    given.gasLimit ?? estimateGas(node, { from, calls: sent, byDelegate }),
    nodes.fees(caip2),
    byDelegate && isDelegated(node, from),
    node.nonce(from, "pending"),
  ])
  return { ...UNSEEN, caip2, nonce: firstFree(pending, used), gasLimit, ...fees, isDelegated: delegates }
}

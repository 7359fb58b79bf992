// Calls that an account signs for its delegate (EIP-7702). They have a nonce of the delegate contract, which runs each nonce once and in order.
import { gasStationNonce } from "../../chains/delegation.ts"
import type { EthereumNode } from "../../chains/ethereum.ts"
import { NodeRefusal, NodeUnavailable } from "../../chains/json-rpc.ts"
import type { Send } from "../store/sends.ts"

/** Says why signed calls reverted if it was for their nonce of the delegate; undefined: it was not, or the node does not say. */
export async function whyCallsFail(
  node: EthereumNode,
  { signedCalls }: Pick<Send, "signedCalls">,
  { blockNumber }: { blockNumber: bigint },
): Promise<string | undefined> {
  if (signedCalls === null) return undefined
  const [account = "", signed = ""] = signedCalls.split(" ")
  try {
    const next = await gasStationNonce(node, account, blockNumber)
    return nonceSentence(account, BigInt(signed), next)
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof NodeUnavailable) return undefined
    throw error
  }
}

function nonceSentence(account: string, signed: bigint, next: bigint): string | undefined {
  if (next === signed) return undefined
  if (next > signed) return `other calls of ${account} have used nonce ${signed} of its delegate contract`
  const missing =
    next + 1n === signed ? `calls with nonce ${next}` : `calls with the nonces ${next} to ${signed - 1n}`
  return `its calls have nonce ${signed} of the delegate contract of ${account}, which expects ${next}: earlier calls failed or were never included. After ${missing}, anyone who has the bytes can run these until their deadline; other calls with nonce ${signed} end them`
}

import type { EthereumNode } from "../../chains/ethereum.ts"
import { NodeRefusal } from "../../chains/json-rpc.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { revertEntry } from "../resources/reverts.ts"

/** One call of a send. `value`: wei, decimal. */
export type SendCall = { to: string; value: string; data: Uint8Array }

/** Gas limit in percent of the node's estimate: the state may change until the transaction is mined. */
const MARGIN = 120n

/** Gas of an authorization alone: 21,000 for the transaction, 25,000 for the authorization (EIP-7702), and a margin. */
const UNDELEGATION_GAS = 60_000n

/** The delegate's own work, and the authorization of a first use. */
const DELEGATE_GAS = 150_000n

/** A later call of a batch whose estimate fails: it may depend on the calls before it. */
const DEPENDENT_CALL_GAS = 300_000n

/**
 * Gas units for a send. Several calls are estimated one by one, with the work of the delegate around them.
 *
 * @throws ApiError TRANSACTION_REVERTS
 * @throws NodeUnavailable
 */
export async function estimateGas(
  node: EthereumNode,
  { from, calls, byDelegate }: { from: string; calls: readonly SendCall[]; byDelegate: boolean },
): Promise<bigint> {
  if (calls.length === 0) return UNDELEGATION_GAS
  const estimates = await Promise.all(
    calls.map((call, index) => estimateCall(node, from, call, index > 0 ? DEPENDENT_CALL_GAS : undefined)),
  )
  const sum = estimates.reduce((total, gas) => total + gas, 0n)
  return (sum * MARGIN) / 100n + (byDelegate ? DELEGATE_GAS : 0n)
}

async function estimateCall(
  node: EthereumNode,
  from: string,
  { to, value, data }: SendCall,
  otherwise: bigint | undefined,
): Promise<bigint> {
  try {
    return await node.estimateGas({
      from,
      to,
      value: BigInt(value),
      data: `0x${Buffer.from(data).toString("hex")}`,
    })
  } catch (error) {
    if (!(error instanceof NodeRefusal)) throw error
    if (otherwise !== undefined) return otherwise
    throw wouldFail(error, to)
  }
}

/** The call fails before anything is signed: it costs nothing, and the body may be sent again. */
function wouldFail(error: NodeRefusal, address: string): ApiError {
  const data = typeof error.data === "string" ? error.data : undefined
  const entry = data === undefined ? undefined : revertEntry(address, data, [])
  const reason = entry?.displayMessage ?? error.message
  return new ApiError(
    GrpcCode.failedPrecondition,
    `the transaction would fail, and was not signed: ${reason}`,
    {
      publicCode: "RPC_CALL_ERROR",
      reason: "TRANSACTION_REVERTS",
      ...(entry && {
        details: [{ "@type": "type.googleapis.com/countersign.api.v1.RevertChainEntry", ...entry }],
      }),
      cause: error,
    },
  )
}

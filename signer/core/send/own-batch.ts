import { isFault } from "../fault.ts"
import { readParameters } from "../contract-interface/abi-type.ts"
import { type Argument, decodeCall } from "../contract-interface/decode-call.ts"
import type { EthereumTransaction } from "../transaction/ethereum/transaction.ts"
import { type Call, OWN_BATCH, type SignedTerms, termsOfCalls } from "./gas-station.ts"

/** Calls that an account runs by a call of itself, as its signed bytes have them. */
export type OwnBatch = SignedTerms & { readonly calls: readonly Call[] }

/** executeBatch((address,uint256,bytes)[],bytes), the call that `ownBatchCall` makes. */
const INPUTS = readParameters(
  [
    {
      name: "calls",
      type: "tuple[]",
      components: ["address", "uint256", "bytes"].map((type) => ({ name: "", type })),
    },
    { name: "packed", type: "bytes" },
  ],
  "",
)
const SELECTOR = `0x${OWN_BATCH}`

/**
 * The batch of a transaction; undefined: it is none.
 * @param from the account that signed the transaction, lower-case hexadecimal with 0x
 */
export function readOwnBatch(
  { to, data }: Pick<EthereumTransaction, "to" | "data">,
  from: string,
): OwnBatch | undefined {
  const terms = to === from && data.startsWith(SELECTOR) ? termsOfCalls(data) : undefined
  if (terms === undefined) return undefined
  try {
    const [calls] = decodeCall({ inputs: INPUTS }, Buffer.from(data.slice(SELECTOR.length), "hex"))
    return { ...terms, calls: (calls as readonly Argument[]).map(readCall) }
  } catch (fault) {
    if (isFault(fault, "call")) return undefined
    throw fault
  }
}

function readCall(argument: Argument): Call {
  const [to, value, data] = argument as readonly [{ hex: string }, bigint, { hex: string }]
  return { to: to.hex, value, data: data.hex }
}

import t from "tap"
import { meaningOf } from "../../../services/worker/follow/ethereum-refusals.ts"

/** Sentences of nodes, as they stand in their sources. */
const SENTENCES = {
  known: ["already known", "Known transaction", "AlreadyKnown", "transaction already in mempool"],
  "nonce-used": ["nonce too low: next nonce 5, tx nonce 4", "OldNonce", "nonce too small"],
  final: [
    "insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000",
    "Upfront gas cost exceeds account balance",
    // go-ethereum: core/error.go and core/txpool/errors.go
    "intrinsic gas too low: gas 20000, minimum needed 21000",
    "insufficient gas for floor data gas cost: gas 45000, minimum needed 61000",
    "exceeds block gas limit",
    "transaction gas limit too high (cap: 16777216, tx: 30000000)",
    "transaction type not supported",
    "max initcode size exceeded: code size 50000, limit 49152",
    // revm, for Reth and anvil
    "call gas cost (37000) exceeds the gas limit (30000)",
    "gas floor (61000) exceeds the gas limit (45000)",
    "transaction gas limit (30000000) is greater than the cap (16777216)",
    "intrinsic gas too high -- tx.gas_limit > env.block.gas_limit",
    "invalid chain id for signer",
    "tx fee (1.20 ether) exceeds the configured cap (1.00 ether)",
  ],
  transient: [
    "txpool is full",
    "replacement transaction underpriced",
    "max fee per gas less than block base fee: address 0x0, maxFeePerGas: 1, baseFee: 7",
    "transaction underpriced: gas tip cap 0, minimum needed 1",
    "rate limit exceeded",
  ],
} as const

t.test("a node's refusal is final only where no node will ever take these bytes", async (t) => {
  for (const [meaning, sentences] of Object.entries(SENTENCES))
    for (const message of sentences) t.equal(meaningOf({ message }), meaning, message)
})

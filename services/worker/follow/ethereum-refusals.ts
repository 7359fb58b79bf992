import type { NodeRefusal } from "../../chains/json-rpc.ts"

/**
 * Meaning of a node's refusal of signed bytes:
 *
 * - `known`: the node has the transaction
 * - `nonce-used`: a transaction with this nonce is mined, maybe this one
 * - `final`: the node will not take these bytes
 * - `transient`: it may take them later
 */
export type Meaning = "known" | "nonce-used" | "final" | "transient"

/** Texts of go-ethereum (core/txpool/errors.go, core/error.go), Erigon, Nethermind, Besu, Reth and anvil. */
const MEANINGS: readonly (readonly [RegExp, Meaning])[] = [
  [
    /already known|already imported|known transaction|alreadyknown|already in (?:the )?(?:pool|mempool)/i,
    "known",
  ],
  [/nonce (?:is )?too low|oldnonce|nonce has already been used|nonce too small|invalid nonce/i, "nonce-used"],
  [/insufficient (?:funds|balance)|upfront gas cost|insufficient ?funds/i, "final"],
  [
    /intrinsic gas|floor data gas|gas limit is below|exceeds (?:the )?(?:block )?gas limit|gas limit (?:too high|exceed|reached)|out of gas/i,
    "final",
  ],
  // EIP-7825, in the words of revm.
  [/gas limit \(\d+\) is greater than the cap/i, "final"],
  [/invalid (?:sender|signature|chain)|chain ?id|type not supported|unsupported transaction type/i, "final"],
  [/oversized data|init ?code size|exceeds the configured cap|rlp:|failed to decode|decod/i, "final"],
  [/tip (?:higher|above)|priority fee.*(?:higher|greater)|max fee per gas less than/i, "transient"],
]

/** The meaning of a refusal; a text that is not known is taken for transient, so that no transaction is given up early. */
export function meaningOf({ message }: Pick<NodeRefusal, "message">): Meaning {
  return MEANINGS.find(([text]) => text.test(message))?.[1] ?? "transient"
}

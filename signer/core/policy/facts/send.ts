import type { Authorization } from "../../transaction/ethereum/authorization.ts"
import type { EthereumTransaction } from "../../transaction/ethereum/transaction.ts"
import type { SolanaTransaction } from "../../transaction/solana/transaction.ts"

/** A transaction that is sent: of each call of a batch, or for each of its signers. */
export type SendItem = {
  readonly ethereum?: EthereumTransaction
  /** Address that signed, where no key of the organization does. */
  readonly from?: string
  /** The end of a delegation, which is signed with the transaction. */
  readonly undelegation?: Authorization
  readonly solana?: SolanaTransaction
}

/** At least one item. `signer`: address of the key that signs, where one of several does. */
export type SendFacts = readonly (SendItem & { readonly signer?: string })[]

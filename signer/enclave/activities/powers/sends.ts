import type { MessageInitShape } from "@bufbuild/protobuf"
import type { SignedTransactionSchema } from "../../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { DigestSigners, EthereumPlan, SignedBytes } from "../../../core/send/ethereum-plan.ts"
import type { RawTransaction } from "../../../core/send/raw-transaction.ts"
import type { SolanaPlan } from "../../../core/send/solana-send.ts"

/** The plan of the activity's own send: the one that policies saw. */
export type SendPlans = {
  /**
   * The send with all its values. ContextNeeded asks for values that neither the body gives nor the order brings.
   * @throws the codes of planEthereumSend
   */
  ethereum(): EthereumPlan
  /** The same of a send on a Solana chain. @throws the codes of planSolanaSend, TRANSACTION_INVALID */
  solana(): SolanaPlan
  /**
   * The transaction of the Ethereum plan. A sponsored one is counted with the activity's changes and signed by the paymaster,
   * which signs nothing else. @throws SPONSORSHIP_DISABLED, SPONSORSHIP_UNPRICED, SPONSORSHIP_LIMIT_EXCEEDED
   */
  sign(sender: DigestSigners["sender"]): SignedBytes
}

/** Transactions to be broadcast. */
export type Broadcasts = {
  /** The activity's transaction, which was signed elsewhere. @throws TRANSACTION_INVALID, SEND_CHAIN_MISMATCH */
  raw(): RawTransaction
  /** Keeps a signed transaction with the outcome, to be broadcast. */
  add(transaction: MessageInitShape<typeof SignedTransactionSchema>): void
}

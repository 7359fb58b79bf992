// Solana transactions and messages.
import {
  readSolanaTransaction,
  type SolanaTransaction,
} from "../../../signer/core/transaction/solana/transaction.ts"
import type { Reader } from "../engine/reader.ts"
import { isFaultOf } from "./refusals.ts"

export const solanaTransaction: Reader<SolanaTransaction> = {
  maxLength: 1_300,
  read: (input) => readSolanaTransaction(input),
  isRefusal: isFaultOf("transaction"),
}

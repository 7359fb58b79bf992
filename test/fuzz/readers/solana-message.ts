// Messages of Solana transactions, without signatures.
import {
  readSolanaMessage,
  type SolanaTransaction,
} from "../../../signer/core/transaction/solana/transaction.ts"
import type { Reader } from "../engine/reader.ts"
import { isFaultOf } from "./refusals.ts"

export const solanaMessage: Reader<SolanaTransaction> = {
  maxLength: 1_300,
  read: (input) => readSolanaMessage(input),
  isRefusal: isFaultOf("transaction"),
}

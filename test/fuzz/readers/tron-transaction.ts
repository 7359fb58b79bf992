// Tron transactions.
import {
  readTronTransaction,
  type TronTransaction,
} from "../../../signer/core/transaction/tron/transaction.ts"
import type { Reader } from "../engine/reader.ts"
import { protobuf } from "../formats/protobuf.ts"
import { isFaultOf } from "./refusals.ts"

export const tronTransaction: Reader<TronTransaction> = {
  format: protobuf,
  read: (input) => readTronTransaction(input),
  isRefusal: isFaultOf("transaction"),
}

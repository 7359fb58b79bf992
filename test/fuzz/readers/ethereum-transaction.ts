// Unsigned Ethereum transactions of all types.
import {
  ethereumSigningHash,
  type EthereumTransaction,
  readEthereumTransaction,
} from "../../../signer/core/transaction/ethereum/transaction.ts"
import type { Reader } from "../engine/reader.ts"
import { rlp } from "../formats/rlp.ts"
import { isFaultOf } from "./refusals.ts"

export type ReadEthereum = { read: EthereumTransaction; hash: string }

export const ethereumTransaction: Reader<ReadEthereum> = {
  format: rlp,
  read: (input) => ({
    read: readEthereumTransaction(input),
    hash: `0x${Buffer.from(ethereumSigningHash(input)).toString("hex")}`,
  }),
  isRefusal: isFaultOf("transaction"),
}

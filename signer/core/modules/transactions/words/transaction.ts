// Transactions to be signed, by the type that the request names.
import {
  TransactionType,
  TransactionTypeSchema,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { readUnsigned } from "../../../transaction/unsigned.ts"
import type { Content, WordsContext } from "../../../words/words.ts"
import { unsignedBitcoin } from "./bitcoin.ts"
import { readContent } from "./content.ts"
import { unsignedEthereum } from "./ethereum.ts"
import { unsignedSolana } from "./solana.ts"
import { unsignedTron } from "./tron.ts"

/** @param signWith name of the key, by which Bitcoin's signatures differ */
export function transactionContent(
  { unsignedTransaction, type }: { readonly unsignedTransaction: string; readonly type: TransactionType },
  signWith: string,
  context: WordsContext,
): Content {
  const name = TransactionTypeSchema.value[type]?.name ?? String(type)
  return readContent("Transaction", () => {
    const bytes = readUnsigned(unsignedTransaction)
    switch (type) {
      case TransactionType.ETHEREUM:
        return unsignedEthereum(bytes, context)
      case TransactionType.SOLANA:
        return unsignedSolana(bytes, context)
      case TransactionType.TRON:
        return unsignedTron(bytes, context)
      case TransactionType.BITCOIN:
        return unsignedBitcoin(bytes, signWith, context)
      default:
        return undecoded(name)
    }
  })
}

function undecoded(type: string): Content {
  const warnings = [`Transactions of ${type} cannot be decoded here: nobody can see what it does.`]
  return {
    title: "Transaction",
    summary: `a transaction of ${type} that nobody can read`,
    facts: [],
    warnings,
  }
}

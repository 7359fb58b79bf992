// tronweb.
import fc from "fast-check"
import type { TronTransaction } from "../../../signer/core/transaction/tron/transaction.ts"
import {
  asRawJson,
  readByTronweb,
  textOf,
  transactions,
  writtenByTronweb,
} from "../../signer/core/transaction/tron-judge.ts"
import { type Judge, requireSame } from "../engine/reader.ts"

export const judge: Judge<TronTransaction> = {
  seeds: () => fc.sample(transactions, { numRuns: 60, seed: 1 }).map(writtenByTronweb),
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const theirs = readByTronweb(input, outcome.value.contract.type)
    requireSame(textOf(asRawJson(outcome.value)), textOf(theirs), "tronweb")
  },
}

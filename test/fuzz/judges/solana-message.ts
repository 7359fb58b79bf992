// @solana/kit, behind as many empty signatures as the message requires.
import fc from "fast-check"
import {
  readSolanaTransaction,
  type SolanaTransaction,
} from "../../../signer/core/transaction/solana/transaction.ts"
import { judged, seen, valid } from "../../signer/core/transaction/solana-judge.ts"
import { type Judge, requireSame } from "../engine/reader.ts"

export const judge: Judge<SolanaTransaction> = {
  seeds: () => fc.sample(valid, { numRuns: 60, seed: 2 }).map((one) => readSolanaTransaction(one).message),
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { required } = outcome.value
    // A length of more than one byte.
    if (required > 127) return
    const transaction = Buffer.concat([Buffer.of(required), Buffer.alloc(64 * required), input])
    requireSame(seen(outcome.value), judged(transaction), "@solana/kit")
  },
}

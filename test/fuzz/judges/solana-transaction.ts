// @solana/kit, and the same message without its signatures.
import { getTransactionDecoder } from "@solana/kit"
import fc from "fast-check"
import {
  readSolanaMessage,
  type SolanaTransaction,
} from "../../../signer/core/transaction/solana/transaction.ts"
import { judged, seen, valid } from "../../signer/core/transaction/solana-judge.ts"
import { type Judge, requireSame } from "../engine/reader.ts"

export const judge: Judge<SolanaTransaction> = {
  seeds: () => fc.sample(valid, { numRuns: 60, seed: 1 }),
  judge(input, outcome) {
    if ("refusal" in outcome) return
    requireSame(seen(outcome.value), judged(input), "@solana/kit")
    const { messageBytes } = getTransactionDecoder().decode(input)
    requireSame(outcome.value.message, messageBytes, "the signed bytes")
    requireSame(seen(readSolanaMessage(outcome.value.message)), seen(outcome.value), "the message alone")
  },
}

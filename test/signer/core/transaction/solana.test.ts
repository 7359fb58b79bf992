// Solana transactions: what is accepted means the same to @solana/kit, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { getTransactionDecoder } from "@solana/kit"
import { base58 } from "@scure/base"
import fc from "fast-check"
import t from "tap"
import {
  readSolanaTransaction,
  type SolanaTransaction,
  withSolanaSignature,
} from "../../../../signer/core/transaction/solana/transaction.ts"
import { runsOf } from "../../../harness/long.ts"
import { judged, seen, valid } from "./solana-judge.ts"

t.test("fields are those of @solana/kit", async () => {
  fc.assert(
    fc.property(valid, (transaction) => {
      const [ours, theirs] = [seen(readSolanaTransaction(transaction)), judged(transaction)]
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`)
    }),
    { numRuns: runsOf(500) },
  )
})

t.test("a changed byte is refused, or changes what is seen as @solana/kit sees it", async () => {
  fc.assert(
    fc.property(valid, fc.nat(), fc.integer({ min: 1, max: 255 }), (transaction, place, mask) => {
      const changed = Uint8Array.from(transaction)
      const at = place % changed.length
      changed[at] = (changed[at] ?? 0) ^ mask
      let read: SolanaTransaction
      try {
        read = readSolanaTransaction(changed)
      } catch (fault) {
        if (isFault(fault, "transaction")) return
        throw fault
      }
      if (seen(read) !== judged(changed)) throw new Error("read differently")
      const isSignature = changed.length - read.message.length > at
      const { messageBytes } = getTransactionDecoder().decode(changed)
      if (!Buffer.from(read.message).equals(Uint8Array.from(messageBytes)))
        throw new Error("another message is signed")
      if (isSignature && seen(read) !== seen(readSolanaTransaction(transaction)))
        throw new Error("a signature is seen")
      if (!isSignature && seen(read) === seen(readSolanaTransaction(transaction)))
        throw new Error("looks alike")
    }),
    { numRuns: runsOf(1000) },
  )
})

t.test("a signature goes to its signer's place, and others stay", async (t) => {
  const [payer, second] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const program = new Uint8Array(32).fill(3)
  const head = [2, ...new Uint8Array(64).fill(9), ...new Uint8Array(64)]
  const message = [2, 0, 1, 3, ...payer, ...second, ...program, ...new Uint8Array(32).fill(4), 0]
  const transaction = Uint8Array.from([...head, ...message])
  const signed = withSolanaSignature(transaction, base58.encode(second), new Uint8Array(64).fill(7))
  t.same([...signed.subarray(1, 65)], [...new Uint8Array(64).fill(9)])
  t.same([...signed.subarray(65, 129)], [...new Uint8Array(64).fill(7)])
  t.same([...signed.subarray(129)], message)
  t.throws(() => withSolanaSignature(transaction, base58.encode(program), new Uint8Array(64)), {
    message: /is none of the transaction's signers/,
  })
})

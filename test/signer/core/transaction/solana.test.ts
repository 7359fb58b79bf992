// Solana transactions: what is accepted means the same to @solana/kit, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit"
import { base58 } from "@scure/base"
import fc from "fast-check"
import t from "tap"
import {
  readSolanaTransaction,
  type SolanaTransaction,
  withSolanaSignature,
} from "../../../../signer/core/transaction/solana/transaction.ts"
import { runsOf } from "../../../harness/long.ts"

function shortLength(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...shortLength(value >> 7)]
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const bytes = fc.array(fc.nat(255), { maxLength: 200 })

/** Transactions that nodes would take, as bytes. */
const valid = fc
  .record({
    isLegacy: fc.boolean(),
    keys: fc.uniqueArray(key, {
      minLength: 2,
      maxLength: 12,
      selector: (one) => Buffer.from(one).toString("hex"),
    }),
    required: fc.integer({ min: 1, max: 3 }),
    readonlySigned: fc.nat(2),
    readonlyUnsigned: fc.nat(3),
    blockhash: key,
    instructions: fc.array(
      fc.record({ program: fc.nat(10), accounts: fc.array(fc.nat(300), { maxLength: 5 }), data: bytes }),
      { maxLength: 3 },
    ),
    lookups: fc.array(
      fc.record({
        table: key,
        writable: fc.array(fc.nat(255), { minLength: 1, maxLength: 3 }),
        readonly: fc.array(fc.nat(255), { maxLength: 3 }),
      }),
      { maxLength: 2 },
    ),
  })
  .map(({ isLegacy, keys, blockhash, instructions, ...given }) => {
    const required = Math.min(given.required, keys.length)
    const lookups = isLegacy ? [] : given.lookups
    const loaded = lookups.flatMap(({ writable, readonly }) => [...writable, ...readonly]).length
    return Uint8Array.from([
      ...shortLength(required),
      ...Array.from({ length: required * 64 }, () => 0),
      ...(isLegacy ? [] : [0x80]),
      required,
      Math.min(given.readonlySigned, required - 1),
      Math.min(given.readonlyUnsigned, keys.length - required),
      ...shortLength(keys.length),
      ...keys.flatMap((one) => [...one]),
      ...blockhash,
      ...shortLength(instructions.length),
      ...instructions.flatMap(({ program, accounts, data }) => [
        1 + (program % (keys.length - 1)),
        ...shortLength(accounts.length),
        ...accounts.map((account) => account % (keys.length + loaded)),
        ...shortLength(data.length),
        ...data,
      ]),
      ...(isLegacy ? [] : shortLength(lookups.length)),
      ...lookups.flatMap(({ table, writable, readonly }) => [
        ...table,
        ...shortLength(writable.length),
        ...writable,
        ...shortLength(readonly.length),
        ...readonly,
      ]),
    ])
  })
  .filter(({ length }) => length <= 1232)

/** The members that policies see, in one shape for both readers. */
function seen({
  version,
  accountKeys,
  recentBlockhash,
  instructions,
  lookups,
  ...header
}: SolanaTransaction) {
  const { required, readonlySigned, readonlyUnsigned } = header
  return JSON.stringify([
    version === "V0" ? 0 : "legacy",
    [required, readonlySigned, readonlyUnsigned],
    accountKeys,
    recentBlockhash,
    instructions.map(({ program, accounts, data }) => [program, accounts, Buffer.from(data).toString("hex")]),
    lookups.map(({ table, writable, readonly }) => [table, writable, readonly]),
  ])
}

function judged(transaction: Uint8Array): string {
  const { messageBytes } = getTransactionDecoder().decode(transaction)
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version !== "legacy" && message.version !== 0) throw new Error("another version")
  const { header, staticAccounts, lifetimeToken, instructions } = message
  const lookups = "addressTableLookups" in message ? (message.addressTableLookups ?? []) : []
  return JSON.stringify([
    message.version,
    [header.numSignerAccounts, header.numReadonlySignerAccounts, header.numReadonlyNonSignerAccounts],
    staticAccounts,
    lifetimeToken,
    instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => [
      programAddressIndex,
      accountIndices,
      Buffer.from(data).toString("hex"),
    ]),
    lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => [
      lookupTableAddress,
      writableIndexes,
      readonlyIndexes,
    ]),
  ])
}

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

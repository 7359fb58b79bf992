// Solana transactions as @solana/kit reads them.
import { getCompiledTransactionMessageDecoder, getTransactionDecoder } from "@solana/kit"
import fc from "fast-check"
import type { SolanaTransaction } from "../../../../signer/core/transaction/solana/transaction.ts"

function shortLength(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...shortLength(value >> 7)]
}

const key = fc.uint8Array({ minLength: 32, maxLength: 32 })
const bytes = fc.array(fc.nat(255), { maxLength: 200 })

/** Transactions that nodes would take, as bytes. */
export const valid: fc.Arbitrary<Uint8Array> = fc
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
export function seen({
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

export function judged(transaction: Uint8Array): string {
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

// Unsigned Ethereum transactions of all types, and how viem reads them.
import fc from "fast-check"
import { type Hex, IntegerOutOfRangeError, parseTransaction, type TransactionSerializable } from "viem"

const hash = fc.stringMatching(/^[0-9a-f]{64}$/).map((digits): Hex => `0x${digits}`)
const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Hex => `0x${digits}`)
const amount = fc.bigInt({ min: 0n, max: 2n ** 96n })
const common = {
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.integer({ min: 0, max: 2 ** 31 }),
  gas: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data: fc.uint8Array({ maxLength: 300 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`),
}
const accessList = fc.array(fc.record({ address, storageKeys: fc.array(hash, { maxLength: 3 }) }), {
  maxLength: 3,
})
const fees = fc
  .tuple(amount, amount)
  .map(([a, b]) =>
    a < b ? { maxPriorityFeePerGas: a, maxFeePerGas: b } : { maxPriorityFeePerGas: b, maxFeePerGas: a },
  )
const recipient = fc.option(address, { nil: undefined })
const authorizationList = fc.array(
  fc.record({
    chainId: fc.integer({ min: 0, max: 2 ** 31 }),
    address,
    nonce: fc.integer({ min: 0, max: 2 ** 31 }),
    yParity: fc.constantFrom(0, 1),
    r: hash,
    s: hash,
  }),
  { minLength: 1, maxLength: 2 },
)

const legacy = fc.record({ ...common, type: fc.constant("legacy"), gasPrice: amount, to: recipient })
const type1 = fc.record({
  ...common,
  type: fc.constant("eip2930"),
  gasPrice: amount,
  to: recipient,
  accessList,
})
const type2 = fc
  .tuple(fc.record({ ...common, type: fc.constant("eip1559"), to: recipient, accessList }), fees)
  .map(([one, fee]) => ({ ...one, ...fee }))
const type3 = fc
  .tuple(
    fc.record({
      ...common,
      type: fc.constant("eip4844"),
      to: address,
      accessList,
      maxFeePerBlobGas: amount,
      blobVersionedHashes: fc.array(
        hash.map((text): Hex => `0x01${text.slice(4)}`),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    fees,
  )
  .map(([one, fee]) => ({ ...one, ...fee }))
const type4 = fc
  .tuple(
    fc.record({ ...common, type: fc.constant("eip7702"), to: address, accessList, authorizationList }),
    fees,
  )
  .map(([one, fee]) => ({ ...one, ...fee }))

/** Transactions as viem takes them; ethers and viem read blobs alike. */
export const transactions = fc.oneof(
  legacy,
  type1,
  type2,
  type3,
  type4,
) as unknown as fc.Arbitrary<TransactionSerializable>
/** Transactions without blobs, because viem does not parse blobs. */
export const parsedTransactions = fc.oneof(
  legacy,
  type1,
  type2,
  type4,
) as unknown as fc.Arbitrary<TransactionSerializable>

/** Undefined: an integer is beyond those of JavaScript, such as a nonce of 64 bits. viem has no other type for it. */
export function readByViem(bytes: Buffer): ReturnType<typeof parseTransaction> | undefined {
  try {
    return parseTransaction(`0x${bytes.toString("hex")}`)
  } catch (error) {
    if (error instanceof IntegerOutOfRangeError) return undefined
    throw error
  }
}

/** All fields, in one shape for both readers; `hash` of what is signed. */
export function textOf(fields: { [name: string]: unknown }, hash: string): string {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, to, value = 0n, data = "0x" } = fields
  const { chainId = 0, nonce = 0, gas = 0n, accessList = [], authorizationList = [] } = fields
  const fees = [gasPrice ?? maxFeePerGas, maxFeePerGas, maxPriorityFeePerGas]
  const authorizations = (authorizationList as { [name: string]: unknown }[]).map((one) => {
    const { chainId: chain, address, nonce: count, yParity, r, s } = one
    return [chain ?? 0, address, count ?? 0, yParity, BigInt(String(r)), BigInt(String(s))].map(String)
  })
  const lists = [accessList, authorizations]
  const texts = [chainId, nonce, gas, ...fees, to ?? "", value, data].map(String)
  return JSON.stringify([texts, lists, hash])
}

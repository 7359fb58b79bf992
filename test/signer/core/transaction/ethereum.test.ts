// Unsigned Ethereum transactions: what is accepted means the same to ethers and viem, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { Transaction } from "ethers"
import t from "tap"
import {
  type Hex,
  IntegerOutOfRangeError,
  keccak256,
  parseTransaction,
  serializeTransaction,
  type TransactionSerializable,
} from "viem"
import fc from "fast-check"
import {
  ethereumSigningHash,
  readEthereumTransaction,
  withSignature,
} from "../../../../signer/core/transaction/ethereum/transaction.ts"
import { readUnsigned } from "../../../../signer/core/transaction/unsigned.ts"
import { runsOf } from "../../../harness/long.ts"

const TO = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const WORD = `0x${"11".repeat(32)}` as const

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

t.test("fields, hash and signed bytes are those of viem and ethers", async () => {
  fc.assert(
    fc.property(fc.oneof(legacy, type1, type2, type3, type4), (given) => {
      const transaction = given as unknown as TransactionSerializable
      const unsigned = serializeTransaction(transaction)
      const bytes = readUnsigned(unsigned)
      const read = readEthereumTransaction(bytes)
      const judge = Transaction.from(unsigned)
      const seen = {
        chainId: read.chainId,
        nonce: Number(read.nonce),
        gas: read.gas,
        to: read.to,
        value: read.value,
        data: read.data,
        maxFeePerGas: read.maxFeePerGas,
        hash: `0x${Buffer.from(ethereumSigningHash(bytes)).toString("hex")}`,
      }
      const judged = {
        chainId: judge.chainId,
        nonce: judge.nonce,
        gas: judge.gasLimit,
        to: judge.to?.toLowerCase() ?? "",
        value: judge.value,
        data: judge.data,
        maxFeePerGas: judge.maxFeePerGas ?? 0n,
        hash: judge.unsignedHash,
      }
      if (JSON.stringify(seen, bigint) !== JSON.stringify(judged, bigint))
        throw new Error(`${JSON.stringify(seen, bigint)} is not ${JSON.stringify(judged, bigint)}`)
      const signature = { r: 5n, s: 6n, parity: 1 } as const
      const signed = `0x${Buffer.from(withSignature(bytes, signature)).toString("hex")}`
      const expected = serializeTransaction(transaction, { r: "0x05", s: "0x06", v: 28n, yParity: 1 })
      if (signed !== expected) throw new Error(`${signed} is not ${expected}`)
      return true
    }),
    { numRuns: runsOf(300) },
  )
})

function bigint(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value
}

t.test("every accepted change of a byte changes what is seen and what is signed", async (t) => {
  const unsigned = serializeTransaction({
    chainId: 8453,
    nonce: 7,
    gas: 21_000n,
    to: TO,
    value: 10n ** 18n,
    data: "0xa9059cbb00ff",
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000n,
    accessList: [{ address: TO, storageKeys: [WORD] }],
    type: "eip1559",
  })
  const bytes = readUnsigned(unsigned)
  const original = JSON.stringify(readEthereumTransaction(bytes), bigint)
  let accepted = 0
  for (let at = 0; at < bytes.length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const changed = Uint8Array.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ mask
      const text = seenOf(changed)
      if (text === undefined) continue
      accepted += 1
      t.not(text, original, `byte ${at} ^ ${mask}`)
    }
  }
  t.ok(accepted > bytes.length, "most bytes are fields")
})

/** The transaction as policies would see it; undefined: refused. */
function seenOf(bytes: Uint8Array): string | undefined {
  try {
    return JSON.stringify(readEthereumTransaction(bytes), bigint)
  } catch (fault) {
    if (isFault(fault, "transaction")) return undefined
    throw fault
  }
}

/** Undefined: an integer is beyond those of JavaScript, such as a nonce of 64 bits. viem has no other type for it. */
function readByViem(bytes: Buffer): ReturnType<typeof parseTransaction> | undefined {
  try {
    return parseTransaction(`0x${bytes.toString("hex")}`)
  } catch (error) {
    if (error instanceof IntegerOutOfRangeError) return undefined
    throw error
  }
}

/** All fields, in one shape for both readers; `hash` of what is signed. */
function textOf(fields: { [name: string]: unknown }, hash: string): string {
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

t.test("bytes at random are refused or read alike by viem, and hashed as it writes them", async (t) => {
  let accepted = 0
  fc.assert(
    fc.property(fc.oneof(legacy, type1, type2, type4), fc.nat(), fc.nat(255), (given, place, byte) => {
      const changed = Buffer.from(
        readUnsigned(serializeTransaction(given as unknown as TransactionSerializable)),
      )
      changed[place % changed.length] = byte
      if (seenOf(changed) === undefined) return
      const judge = readByViem(changed)
      if (judge === undefined) return
      accepted += 1
      const hash = `0x${Buffer.from(ethereumSigningHash(changed)).toString("hex")}`
      const ours = textOf(readEthereumTransaction(changed), hash)
      const theirs = textOf(judge, keccak256(serializeTransaction(judge)))
      if (ours !== theirs) throw new Error(`${ours} is not ${theirs}: ${changed.toString("hex")}`)
    }),
    { numRuns: runsOf(1500) },
  )
  t.ok(accepted > runsOf(500), `${accepted} are other transactions`)
})

t.test("text that is not hexadecimal, or no transaction, is refused with the byte at fault", async (t) => {
  const valid = "02df010101028252089435353535353535353535353535353535353535358080c0"
  t.ok(readEthereumTransaction(readUnsigned(valid)))
  t.ok(readEthereumTransaction(readUnsigned(`0x${valid.toUpperCase()}`)))
  for (const [text, reason, offset] of [
    ["", /is empty/, 0],
    ["0x", /is empty/, 0],
    [`zz${valid}`, /not hexadecimal/, 0],
    [valid.slice(0, -1), /odd number/, 32],
    [`${valid}00`, /bytes follow/, 33],
    [valid.slice(0, -2), /an item is longer than its list/, 1],
    ["05df010101028252089435353535353535353535353535353535353535358080c0", /begins with 05/, 0],
    ["02c3810101", /below 80 stands for itself/, 2],
    [
      "02df010001028252089435353535353535353535353535353535353535358080c0",
      /nonce begins with a zero byte/,
      3,
    ],
    ["02df010103028252089435353535353535353535353535353535353535358080c0", /above maxFeePerGas/, 0],
    ["df01018252089435353535353535353535353535353535353535358080808080", /chainId must be at least 1/, 29],
  ] as const) {
    t.throws(() => readEthereumTransaction(readUnsigned(text)), { message: reason, place: offset }, text)
  }
})

t.test("lists as deep or as long as no transaction has are refused early", async (t) => {
  const nested = (depth: number): Buffer =>
    depth === 0 ? Buffer.from("c0", "hex") : Buffer.concat([Buffer.of(0xc0 + depth), nested(depth - 1)])
  t.throws(() => readEthereumTransaction(nested(20)), { message: /nested too deeply/ })
  const many = Buffer.alloc(100_000, 0x01)
  const list = Buffer.concat([Buffer.from("fa0186a0", "hex"), many])
  t.throws(() => readEthereumTransaction(list), { message: /more than 65536 items/ })
})

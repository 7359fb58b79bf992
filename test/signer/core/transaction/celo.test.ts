// Celo's transactions with a fee currency (CIP-64), judged by viem's module for Celo.
import fc from "fast-check"
import t from "tap"
import { type Hex, keccak256 } from "viem"
import { privateKeyToAccount, sign } from "viem/accounts"
import { parseTransaction, serializeTransaction } from "viem/celo"
import { isFault } from "../../../../signer/core/fault.ts"
import { readRawTransaction } from "../../../../signer/core/send/raw-transaction.ts"
import { rlpInteger, rlpList, rlpString } from "../../../../signer/core/transaction/ethereum/rlp.ts"
import {
  ethereumSigningHash,
  readEthereumTransaction,
  withSignature,
} from "../../../../signer/core/transaction/ethereum/transaction.ts"

const CUSD = "0x765de816845861e75a25fca122bb6898b8b1282a"
const TO = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const privateKey: Hex = `0x${"11".repeat(32)}`
const owner = privateKeyToAccount(privateKey)

const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Hex => `0x${digits}`)
const word = fc.stringMatching(/^[0-9a-f]{64}$/).map((digits): Hex => `0x${digits}`)
const amount = fc.bigInt({ min: 0n, max: 2n ** 96n })
const cip64 = fc
  .record({
    type: fc.constant("cip64" as const),
    chainId: fc.constantFrom(42220, 11_142_220, 44_787),
    nonce: fc.integer({ min: 0, max: 2 ** 31 }),
    gas: fc.bigInt({ min: 0n, max: 2n ** 40n }),
    fees: fc.tuple(amount, amount),
    to: fc.option(address, { nil: undefined }),
    value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`),
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 2 }) }), {
      maxLength: 2,
    }),
    feeCurrency: address,
  })
  .map(({ fees: [a, b], ...rest }) => ({
    ...rest,
    maxPriorityFeePerGas: a < b ? a : b,
    maxFeePerGas: a < b ? b : a,
  }))

const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), "hex")
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`

t.test("C-1818: fields, hash and signed bytes of CIP-64 are those of viem's module for Celo", async () => {
  await fc.assert(
    fc.asyncProperty(cip64, async (given) => {
      const unsigned = serializeTransaction(given)
      const bytes = bytesOf(unsigned)
      const read = readEthereumTransaction(bytes)
      const judge = parseTransaction(unsigned) as unknown as Partial<typeof given>
      const seen = [read.chainId, read.nonce, read.gas, read.to, read.value, read.data, read.feeCurrency]
      const { chainId, nonce = 0, gas = 0n, to = "", value = 0n, data = "0x", feeCurrency } = judge
      const judged = [chainId, nonce, gas, to, value, data, feeCurrency]
      if (seen.join() !== judged.join()) throw new Error(`${seen.join()} is not ${judged.join()}`)
      if (read.type !== "TYPE_123" || read.maxFeePerGas !== given.maxFeePerGas) throw new Error(read.type)
      if (hexOf(ethereumSigningHash(bytes)) !== keccak256(unsigned)) throw new Error("another hash")
      const { r, s, yParity } = await sign({ hash: keccak256(unsigned), privateKey, to: "object" })
      const parity = yParity === 1 ? 1 : 0
      const signed = hexOf(withSignature(bytes, { r: BigInt(r), s: BigInt(s), parity }))
      const theirs = await owner.signTransaction(given as never, {
        serializer: serializeTransaction as never,
      })
      if (signed !== theirs) throw new Error(`${signed} is not ${theirs}`)
      const raw = readRawTransaction(theirs, `eip155:${given.chainId}`)
      if (raw.from !== owner.address || raw.hash !== keccak256(theirs)) throw new Error("another signer")
    }),
    { numRuns: 100 },
  )
})

const transfer = {
  type: "cip64",
  chainId: 42220,
  nonce: 7,
  gas: 71_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  to: TO,
  value: 5n,
  feeCurrency: CUSD,
} as const

t.test("bytes of CIP-64 that are changed are refused or read alike by viem", async (t) => {
  const bytes = bytesOf(serializeTransaction(transfer))
  const original = textOf(readEthereumTransaction(bytes))
  let accepted = 0
  for (let at = 0; at < bytes.length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ mask
      const read = attempt(changed)
      if (read === undefined) continue
      accepted += 1
      t.not(textOf(read), original, `byte ${at} ^ ${mask}`)
      if (changed[0] !== 0x7b) continue
      const judge = parseTransaction(hexOf(changed)) as { feeCurrency?: string }
      t.equal(read.feeCurrency, judge.feeCurrency, `byte ${at} ^ ${mask}`)
    }
  }
  t.ok(accepted > bytes.length, "most bytes are fields")
})

function attempt(bytes: Uint8Array) {
  try {
    return readEthereumTransaction(bytes)
  } catch (fault) {
    if (isFault(fault, "transaction")) return undefined
    throw fault
  }
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_name, one: unknown) => (typeof one === "bigint" ? one.toString() : one))

t.test("C-1818: other transactions of Celo are refused by their names, with what to use", async (t) => {
  const fields = bytesOf(serializeTransaction(transfer)).subarray(1)
  const empty = rlpString(new Uint8Array(0))
  const number = rlpInteger(5n)
  const celo = [number, number, number, rlpString(bytesOf(CUSD)), empty, empty]
  const legacy = rlpList(...celo, rlpString(bytesOf(TO)), number, empty, rlpInteger(42220n), empty, empty)
  for (const [bytes, reason] of [
    [
      Buffer.concat([Uint8Array.of(0x7c), fields]),
      /by CIP-42, which Celo's nodes take no longer; use CIP-64/,
    ],
    [Buffer.concat([Uint8Array.of(0x7a), fields]), /by CIP-66, which states its fees in CELO .*; use CIP-64/],
    [legacy, /legacy transaction of Celo, which its nodes take no longer; use CIP-64/],
  ] as const)
    t.throws(() => readEthereumTransaction(bytes), { kind: "transaction", message: reason })
})

t.test("a fee currency that is no address is refused, as is none", async (t) => {
  const bytes = bytesOf(serializeTransaction(transfer))
  // 7b, and the list's header of two bytes.
  const others = bytes.subarray(3, bytes.indexOf(bytesOf(CUSD)) - 1)
  for (const feeCurrency of ["0x1234", "0x"] as const) {
    const list = rlpList(others, rlpString(bytesOf(feeCurrency)))
    t.throws(() => readEthereumTransaction(Buffer.concat([Uint8Array.of(0x7b), list])), {
      message: `feeCurrency has ${feeCurrency.length / 2 - 1} bytes and must have 20`,
    })
  }
  const sentence = /type 123 has 10 fields, this one 9/
  t.throws(() => readEthereumTransaction(Buffer.concat([Uint8Array.of(0x7b), rlpList(others)])), {
    message: sentence,
  })
})

// Unsigned Ethereum transactions: what is accepted means the same to ethers and viem, and everything else is refused.
import { isFault } from "../../../../signer/core/fault.ts"
import { Transaction } from "ethers"
import t from "tap"
import { keccak256, serializeTransaction } from "viem"
import fc from "fast-check"
import {
  ethereumSigningHash,
  readEthereumTransaction,
  withSignature,
} from "../../../../signer/core/transaction/ethereum/transaction.ts"
import { readUnsigned } from "../../../../signer/core/transaction/unsigned.ts"
import { runsOf } from "../../../harness/long.ts"
import { parsedTransactions, readByViem, textOf, transactions } from "./ethereum-judge.ts"

const TO = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
const WORD = `0x${"11".repeat(32)}` as const

t.test("fields, hash and signed bytes are those of viem and ethers", async () => {
  fc.assert(
    fc.property(transactions, (transaction) => {
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

t.test("bytes at random are refused or read alike by viem, and hashed as it writes them", async (t) => {
  let accepted = 0
  fc.assert(
    fc.property(parsedTransactions, fc.nat(), fc.nat(255), (given, place, byte) => {
      const changed = Buffer.from(readUnsigned(serializeTransaction(given)))
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

// ethers and viem; viem's module for Celo for its transactions.
import { Transaction } from "ethers"
import fc from "fast-check"
import { keccak256, serializeTransaction } from "viem"
import { parseTransaction as parseCelo, serializeTransaction as serializeCelo } from "viem/celo"
import type { EthereumTransaction } from "../../../signer/core/transaction/ethereum/transaction.ts"
import { readByViem, textOf, transactions } from "../../signer/core/transaction/ethereum-judge.ts"
import { type Judge, requireSame } from "../engine/reader.ts"
import type { ReadEthereum } from "../readers/ethereum-transaction.ts"

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER)
const CIP64 =
  "7bf83982a4ec80018477359400825208943535353535353535353535353535353535353535808080c094765de816845861e75a25fca122bb6898b8b1282a"

export const judge: Judge<ReadEthereum> = {
  seeds: () => [
    ...fc
      .sample(transactions, { numRuns: 60, seed: 1 })
      .map((one) => Buffer.from(serializeTransaction(one).slice(2), "hex")),
    Buffer.from(CIP64, "hex"),
  ],
  judge(input, outcome) {
    if ("refusal" in outcome) return
    const { read, hash } = outcome.value
    // All of them have nonces and chain ids as numbers.
    if (read.nonce > MAX_SAFE || read.chainId > MAX_SAFE) return
    if (read.type === "TYPE_123") {
      const theirs = parseCelo(`0x${input.toString("hex")}` as `0x7b${string}`)
      requireSame(textOf(read, hash), textOf(theirs, keccak256(serializeCelo(theirs))), "viem for Celo")
      return
    }
    requireSame(seenOf(read, hash), seenByEthers(input), "ethers")
    if (read.type === "TYPE_3") return
    const theirs = readByViem(input)
    if (theirs !== undefined)
      requireSame(textOf(read, hash), textOf(theirs, keccak256(serializeTransaction(theirs))), "viem")
  },
}

function seenOf(read: EthereumTransaction, hash: string): unknown[] {
  const { chainId, gas, to, value, data, maxFeePerGas, blobVersionedHashes } = read
  return [chainId, String(read.nonce), gas, to, value, data, maxFeePerGas, blobVersionedHashes, hash]
}

function seenByEthers(input: Buffer): unknown[] {
  const read = Transaction.from(`0x${input.toString("hex")}`)
  const { chainId, nonce, gasLimit, to, value, data, maxFeePerGas, blobVersionedHashes, unsignedHash } = read
  const hashes = blobVersionedHashes ?? []
  return [
    chainId,
    String(nonce),
    gasLimit,
    to?.toLowerCase() ?? "",
    value,
    data,
    maxFeePerGas ?? 0n,
    hashes,
    unsignedHash,
  ]
}

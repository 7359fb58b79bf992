import { readFileSync } from "node:fs"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { AbiCoder, Interface, TypedDataEncoder } from "ethers"
import fc from "fast-check"
import t from "tap"
import { encodeFunctionData, type Hex, hashTypedData, parseAbi, type TypedDataDefinition } from "viem"
import {
  executionDigest,
  ownBatchCall,
  packExecution,
  stationCall,
} from "../../../../signer/core/send/gas-station.ts"
import { EXECUTION_TYPES } from "../../../harness/gas-station.ts"

type Message = { nonce: string; deadline: number } & Partial<CallText> & { calls?: CallText[] }
type CallText = { to: string; value: string; data: string }
type Vector = {
  kind: string
  version: string
  chainId: number
  account: string
  privateKey: string
  message: Message
  digest: string
  packed: string
  stationCall: string
}

const path = `${import.meta.dirname}/../../../vectors/own/gas-station.json`
const { vectors } = JSON.parse(readFileSync(path, "utf8")) as { vectors: Vector[] }

const lower = ({ to, value, data }: CallText) => {
  return { to: to.toLowerCase(), value: BigInt(value), data: data.toLowerCase() }
}

t.test("digests, packed signatures and calls are those of the vectors", async (t) => {
  t.ok(vectors.length >= 4)
  for (const { kind, version, chainId, account, privateKey, message, ...expected } of vectors) {
    const isBatch = kind === "BatchExecution"
    const calls = (message.calls ?? [message as CallText]).map(lower)
    const { nonce, deadline } = message
    const execution = {
      account: account.toLowerCase(),
      chainId: BigInt(chainId),
      nonce: BigInt(nonce),
      deadline: BigInt(deadline),
      calls,
    }
    const station = { station: account, delegate: account, name: "TKGasDelegate", version }
    const digest = executionDigest(execution, station, isBatch)
    t.equal(Buffer.from(digest).toString("hex"), expected.digest, `${kind} ${version}`)
    const key = Buffer.from(privateKey, "hex")
    const signature = secp256k1.sign(digest, key, { prehash: false, format: "recovered" })
    const { r, s, recovery } = secp256k1.Signature.fromBytes(signature, "recovered")
    const packed = packExecution(execution, { r, s, parity: recovery === 1 ? 1 : 0 }, isBatch)
    t.equal(`0x${Buffer.from(packed).toString("hex")}`, expected.packed)
    t.equal(stationCall(execution, packed, isBatch), expected.stationCall)
  }
})

const ABI = [
  "function execute(address target, address to, uint256 ethAmount, bytes packed)",
  "function executeBatch(address target, (address to, uint256 value, bytes data)[] calls, bytes packed)",
  "function executeBatch((address to, uint256 value, bytes data)[] calls, bytes packed)",
] as const
const address = fc.stringMatching(/^[0-9a-f]{40}$/).map((digits): Hex => `0x${digits}`)
const call = fc.record({
  to: address,
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data: fc.uint8Array({ maxLength: 100 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`),
})
const execution = fc.record({
  account: address,
  chainId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  nonce: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
  deadline: fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
})

t.test("viem and ethers agree on digests and calls", async (t) => {
  const ethers = new Interface(ABI)
  const text = fc.string({ maxLength: 12 })
  fc.assert(
    fc.property(execution, text, text, fc.boolean(), (given, name, version, wantsBatch) => {
      const { account, chainId, nonce, deadline, calls } = given
      const isBatch = wantsBatch || calls.length > 1
      const [first] = calls
      const domain = {
        name,
        version,
        chainId: Number(chainId & 0xffff_ffffn) || 1,
        verifyingContract: account,
      }
      const station = { station: account, delegate: account, name, version }
      const own = executionDigest({ ...given, chainId: BigInt(domain.chainId) }, station, isBatch)
      const message = isBatch ? { nonce, deadline, calls } : { nonce, deadline, ...first }
      const primaryType = isBatch ? "BatchExecution" : "Execution"
      const { Call, Execution, BatchExecution } = EXECUTION_TYPES
      const types = isBatch ? { BatchExecution, Call } : { Execution }
      const typed: TypedDataDefinition = { domain, types: EXECUTION_TYPES, primaryType, message }
      const viem = hashTypedData(typed)
      t.equal(`0x${Buffer.from(own).toString("hex")}`, viem)
      t.equal(TypedDataEncoder.hash(domain, types as never, message), viem)
      const packed = packExecution(given, { r: nonce, s: deadline, parity: 1 }, isBatch)
      const packedHex: Hex = `0x${Buffer.from(packed).toString("hex")}`
      const abi = parseAbi([
        "struct Call { address to; uint256 value; bytes data; }",
        "function executeBatch(address target, Call[] calls, bytes packed)",
      ])
      const expected = isBatch
        ? encodeFunctionData({ abi, functionName: "executeBatch", args: [account, calls, packedHex] })
        : ethers.encodeFunctionData(ABI[0].replace("function ", ""), [
            account,
            first?.to,
            first?.value,
            packedHex,
          ])
      t.equal(stationCall(given, packed, isBatch), expected)
      const batch = packExecution(given, { r: 1n, s: 2n, parity: 0 }, true)
      t.equal(batch.length, 85)
      const own2 = AbiCoder.defaultAbiCoder().encode(
        ["tuple(address to,uint256 value,bytes data)[]", "bytes"],
        [calls, batch],
      )
      t.equal(ownBatchCall(given, batch), `0x5885bbcf${own2.slice(2)}`)
    }),
    { numRuns: 60 },
  )
})

import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire"
import { initEccLib, networks, payments, Psbt } from "bitcoinjs-lib"
import * as ecc from "tiny-secp256k1"
import { encodeFunctionData, type Hex, parseAbi, serializeTransaction } from "viem"
import { activityTypes } from "../../proto/catalog.ts"
import { SmartContractInterfaceType, TransactionType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { FactsInput } from "../../signer/core/policy/facts/index.ts"
import { interfacesOf } from "../../services/policy-advice/interfaces.ts"

/** A transaction to sign, with what policies read it by. */
export type TransactionSample = {
  chain: "Ethereum" | "Solana" | "Bitcoin" | "Tron"
  name: string
  bytes: number
  /** The root of its fields in policies. */
  root: "eth.tx" | "solana.tx" | "bitcoin.tx" | "tron.tx"
  input: FactsInput
}

/** Bytes of the largest calldata: nodes pass on no larger transaction. */
const CALLDATA_BYTES = 128 * 1024
const OUTPUTS = 1_000
const WORD_BYTES = 32

/** Public key of the private key of 32 times 11. */
const PUBLIC_KEY = ecc.pointFromScalar(new Uint8Array(32).fill(0x11), true) ?? new Uint8Array(0)
const CONTRACT = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"
const abi = parseAbi(["function pay(uint256[] amounts)", "function transfer(address to, uint256 amount)"])

/** A small and a large transaction of each chain. */
export function makeSamples(): TransactionSample[] {
  return [
    ethereum("transfer of a token", tokenTransfer()),
    ethereum("128 kB of calldata, a list of 4,093 amounts", largeCall()),
    solana("transfer", 1),
    solana("60 transfers", 60),
    bitcoin("1 input, 2 outputs", 2),
    bitcoin("1 input, 1,000 outputs", OUTPUTS),
    tron("transfer", transferContract()),
    tron("128 kB of calldata", triggerContract(Buffer.alloc(CALLDATA_BYTES, 0xa5))),
  ]
}

/** Interface and policy by which the calls of `largeCall` are read. */
export const largeCallReader = {
  smartContractAddress: CONTRACT,
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  smartContractInterface: JSON.stringify(abi),
  condition: "eth.tx.contract_call_args['amounts'].count() > 0",
} as const

/** Calldata of nearly 128 KiB: selector, offset and length of the list, amounts. */
export function largeCall(): Hex {
  const count = CALLDATA_BYTES / WORD_BYTES - 3
  const amounts = Array.from({ length: count }, (_, index) => BigInt(index))
  return encodeFunctionData({ abi, functionName: "pay", args: [amounts] })
}

export function unsignedCall(data: Hex, nonce: number): Hex {
  const fees = { gas: 10_000_000n, maxFeePerGas: 30n, maxPriorityFeePerGas: 2n }
  return serializeTransaction({ type: "eip1559", chainId: 1, nonce, ...fees, to: CONTRACT, data })
}

function tokenTransfer(): Hex {
  return encodeFunctionData({ abi, functionName: "transfer", args: [CONTRACT, 5n] })
}

function ethereum(name: string, data: Hex): TransactionSample {
  const bytes = Buffer.from(unsignedCall(data, 7).slice(2), "hex")
  return sample({ chain: "Ethereum", name, root: "eth.tx", type: TransactionType.ETHEREUM }, bytes)
}

function bitcoin(name: string, outputs: number): TransactionSample {
  initEccLib(ecc)
  const network = networks.bitcoin
  const { output: script = new Uint8Array(0), address = "" } = payments.p2wpkh({
    pubkey: PUBLIC_KEY,
    network,
  })
  const psbt = new Psbt({ network })
  psbt.addInput({ hash: "11".repeat(32), index: 0, witnessUtxo: { script, value: 10n ** 10n } })
  for (let index = 0; index < outputs; index++) psbt.addOutput({ script, value: BigInt(1_000 + index) })
  const kind = { chain: "Bitcoin", name, root: "bitcoin.tx", type: TransactionType.BITCOIN } as const
  return sample(kind, psbt.toBuffer(), address)
}

/** A legacy transaction whose payer sends lamports to another account in each instruction. */
function solana(name: string, transfers: number): TransactionSample {
  const data = Buffer.alloc(12)
  data.writeUInt32LE(2)
  data.writeBigUInt64LE(5n, 4)
  const [payer, program, recipient] = [
    new Uint8Array(32).fill(1),
    new Uint8Array(32),
    new Uint8Array(32).fill(2),
  ]
  const instruction = Uint8Array.of(2, 2, 0, 1, data.length, ...data)
  const message = [
    Uint8Array.of(1, 0, 1, 3),
    payer,
    recipient,
    program,
    new Uint8Array(32).fill(4),
    Uint8Array.of(transfers),
    ...Array.from({ length: transfers }, () => instruction),
  ]
  const kind = { chain: "Solana", name, root: "solana.tx", type: TransactionType.SOLANA } as const
  return sample(kind, Buffer.concat([Uint8Array.of(1), new Uint8Array(64), ...message]))
}

const OWNER = Uint8Array.of(0x41, ...new Uint8Array(20).fill(1))
const TRANSFER_CONTRACT = 1
const TRIGGER_SMART_CONTRACT = 31

function transferContract() {
  const value = new BinaryWriter()
  value.tag(1, WireType.LengthDelimited).bytes(OWNER)
  value.tag(2, WireType.LengthDelimited).bytes(OWNER)
  value.tag(3, WireType.Varint).int64(100)
  return { type: TRANSFER_CONTRACT, name: "TransferContract", value: value.finish() }
}

function triggerContract(data: Uint8Array) {
  const value = new BinaryWriter()
  value.tag(1, WireType.LengthDelimited).bytes(OWNER)
  value.tag(2, WireType.LengthDelimited).bytes(OWNER)
  value.tag(4, WireType.LengthDelimited).bytes(data)
  return { type: TRIGGER_SMART_CONTRACT, name: "TriggerSmartContract", value: value.finish() }
}

/** Fields of raw_data: reference block and its hash, expiration, contract, timestamp, fee limit. */
function tron(name: string, contract: ReturnType<typeof transferContract>): TransactionSample {
  const parameter = new BinaryWriter()
  parameter.tag(1, WireType.LengthDelimited).string(`type.googleapis.com/protocol.${contract.name}`)
  parameter.tag(2, WireType.LengthDelimited).bytes(contract.value)
  const inner = new BinaryWriter()
  inner.tag(1, WireType.Varint).int32(contract.type)
  inner.tag(2, WireType.LengthDelimited).bytes(parameter.finish())
  const raw = new BinaryWriter()
  raw.tag(1, WireType.LengthDelimited).bytes(new Uint8Array(2).fill(1))
  raw.tag(4, WireType.LengthDelimited).bytes(new Uint8Array(8).fill(1))
  raw.tag(8, WireType.Varint).int64(1_900_000_000_000)
  raw.tag(11, WireType.LengthDelimited).bytes(inner.finish())
  raw.tag(14, WireType.Varint).int64(1_800_000_000_000)
  raw.tag(18, WireType.Varint).int64(1_000_000)
  return sample({ chain: "Tron", name, root: "tron.tx", type: TransactionType.TRON }, raw.finish())
}

function sample(
  { type, ...kind }: Pick<TransactionSample, "chain" | "name" | "root"> & { type: TransactionType },
  bytes: Uint8Array,
  address = "",
): TransactionSample {
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")
  if (activity === undefined) throw new Error("the bench knows no such activity")
  const parameters = { signWith: address, unsignedTransaction: Buffer.from(bytes).toString("hex"), type }
  const { smartContractAddress, smartContractInterface: text } = largeCallReader
  const ethereumType = SmartContractInterfaceType.ETHEREUM
  const interfaces = interfacesOf([{ type: ethereumType, address: smartContractAddress, text }])
  const publicKey = Buffer.from(PUBLIC_KEY).toString("hex")
  const addresses = [{ format: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH", address }]
  const holdings = () => ({ key: { curve: "CURVE_SECP256K1", publicKey, addresses } })
  return { ...kind, bytes: bytes.length, input: { activity, parameters, holdings, interfaces } }
}

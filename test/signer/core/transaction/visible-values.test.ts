// Values that policies see come from the signed bytes: none of them changes without the digest.
import { networks, payments } from "bitcoinjs-lib"
import t, { type Test } from "tap"
import { encodeFunctionData, parseAbi, serializeTransaction, type TransactionSerializable } from "viem"
import { serializeTransaction as serializeForCelo } from "viem/celo"
import { activityTypes } from "../../../../proto/catalog.ts"
import {
  SmartContractInterfaceType,
  TransactionType,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../../../services/policy-advice/interfaces.ts"
import {
  Caseless,
  fieldNotUsed,
  isList,
  isMembers,
  type MemberValue,
  UnreadableValue,
} from "../../../../signer/core/policy/language/value.ts"
import { factsOf } from "../../../../signer/core/policy/facts/index.ts"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { readBitcoinSigning } from "../../../../signer/core/transaction/bitcoin/sign.ts"
import { ethereumSigningHash } from "../../../../signer/core/transaction/ethereum/transaction.ts"
import { readSolanaTransaction } from "../../../../signer/core/transaction/solana/transaction.ts"
import { tronSigningHash } from "../../../../signer/core/transaction/tron/transaction.ts"
import { type Given, keys, OWN, psbtOf } from "./bitcoin-judge.ts"
import { writtenByTronweb } from "./tron-judge.ts"

const TOKEN = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const [SEGWIT, TAPROOT] = [
  payments.p2wpkh({ pubkey: OWN, network: networks.regtest }).address ?? "",
  payments.p2tr({ internalPubkey: OWN.subarray(1), network: networks.regtest }).address ?? "",
]
const abi = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function pay(uint256[] amounts, bytes note)",
])

const interfaces = interfacesOf([
  { type: SmartContractInterfaceType.ETHEREUM, address: TOKEN, text: JSON.stringify(abi) },
])

type Visible = ReadonlyMap<string, string>
type Chain = {
  root: string
  type: TransactionType
  digests: (bytes: Uint8Array) => string[]
  /** Address of the key that signs. */
  signWith?: string
  /** Values by their path that no change of a byte can alter, as they have one value in all transactions. */
  constant?: readonly string[]
}

/** All values under a root, by their path; undefined: the transaction is refused. */
function visible({ root, type, signWith = "" }: Chain, bytes: Uint8Array): Visible | undefined {
  const addresses = [{ format: "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH", address: signWith }]
  const key = { curve: "CURVE_SECP256K1", publicKey: hexOf(OWN), addresses }
  const input = {
    activity: activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!,
    parameters: { type, unsignedTransaction: hexOf(bytes), signWith },
    holdings: () => ({ key }),
    interfaces,
  }
  try {
    const [facts] = factsOf(input, [root])
    return new Map(leaves(facts?.(root) ?? fieldNotUsed, root))
  } catch (fault) {
    if (fault instanceof Refusal && fault.code === "TRANSACTION_INVALID") return undefined
    throw fault
  }
}

function leaves(value: MemberValue, path: string): [path: string, text: string][] {
  if (value === fieldNotUsed) return []
  if (value instanceof UnreadableValue) throw value.refusal
  if (isMembers(value)) return Array.from(value).flatMap(([name, one]) => leaves(one, `${path}.${name}`))
  if (!isList(value)) return [[path, value instanceof Caseless ? value.text : String(value)]]
  const items = value.flatMap((one, index) => leaves(one, `${path}[${index}]`))
  return [[`${path}.count`, String(value.length)], ...items]
}

/** Changes each byte of each transaction, and compares the transactions with each other. */
function requireSigned(t: Test, chain: Chain, transactions: readonly Uint8Array[]): void {
  const altered = new Set<string>()
  const known = transactions.map((bytes) => {
    const seen = visible(chain, bytes)
    if (seen === undefined) throw new Error(`refused: ${hexOf(bytes)}`)
    return { seen, digests: chain.digests(bytes) }
  })
  const compare = ({ seen, digests }: (typeof known)[number], other: Uint8Array) => {
    const now = visible(chain, other)
    if (now === undefined) return
    const paths = [...new Set([...seen.keys(), ...now.keys()])].filter(
      (path) => seen.get(path) !== now.get(path),
    )
    for (const path of paths) altered.add(path)
    if (paths.length === 0) return
    const same = chain.digests(other).filter((digest) => digests.includes(digest))
    if (same.length > 0) throw new Error(`${paths.join()} changed, and the digest did not: ${hexOf(other)}`)
  }
  for (const [index, bytes] of transactions.entries()) {
    for (let at = 0; at < bytes.length; at++)
      for (const mask of [0x01, 0x02, 0x80]) {
        const changed = Uint8Array.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ mask
        compare(known[index]!, changed)
      }
    for (const other of transactions) compare(known[index]!, other)
  }
  const all = known.flatMap(({ seen }) => [...seen.keys()])
  const constant = new Set(all.filter((path) => !altered.has(path)))
  t.strictSame([...constant], chain.constant ?? [], "every other value was altered by a change of bytes")
}

t.test("Ethereum: a value that policies see is in the signed bytes", (t) => {
  const hash = (byte: string) => `0x${byte.repeat(32)}` as const
  const to = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
  const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [to, 7n] })
  const pay = encodeFunctionData({ abi, functionName: "pay", args: [[1n, 2n], "0xdead"] })
  const given = { chainId: 8453, nonce: 7, gas: 21_000n, to: TOKEN, value: 5n, data: transfer } as const
  const fees = { ...given, maxFeePerGas: 9n, maxPriorityFeePerGas: 3n } as const
  const accessList = [{ address: to, storageKeys: [hash("11")] }] as const
  const authorization = {
    chainId: 1,
    address: to,
    nonce: 3,
    yParity: 1,
    r: hash("22"),
    s: hash("33"),
  } as const
  const kinds: TransactionSerializable[] = [
    { ...given, type: "legacy", gasPrice: 9n },
    { ...given, type: "legacy", gasPrice: 9n, chainId: undefined },
    { ...given, type: "eip2930", gasPrice: 9n, accessList },
    { ...fees, type: "eip1559", accessList, data: pay },
    { ...fees, type: "eip4844", maxFeePerBlobGas: 4n, blobVersionedHashes: [`0x01${"44".repeat(31)}`] },
    { ...fees, type: "eip7702", authorizationList: [authorization] },
  ]
  const celo = serializeForCelo({ ...fees, type: "cip64", feeCurrency: to })
  const texts = [...kinds.map((one) => serializeTransaction(one)), celo]
  const transactions = texts.map((text) => Buffer.from(text.slice(2), "hex"))
  const digests = (bytes: Uint8Array) => [hexOf(ethereumSigningHash(bytes))]
  const chain = { root: "eth.tx", type: TransactionType.ETHEREUM, digests, constant: ["eth.tx.from"] }
  requireSigned(t, chain, transactions)
  t.end()
})

t.test("Solana: a value that policies see is in the signed message", (t) => {
  const key = (byte: number) => new Uint8Array(32).fill(byte)
  const token = Buffer.from("06ddf6e1d765a193d9cbe146ceeb79ac1cb485ed5f5b37913a8cf5857eff00a9", "hex")
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(77n)
  const lamports = [2, 0, 0, 0, ...amount]
  const checked = [12, ...amount, 6]
  const accounts = [key(1), key(2), key(5), key(6), new Uint8Array(32), token]
  const body = (header: number[], keys: Uint8Array[], ...instructions: number[][]) => [
    ...header,
    keys.length,
    ...keys.flatMap((one) => [...one]),
    ...key(8),
    instructions.length,
    ...instructions.flat(),
  ]
  const sent = [4, 2, 0, 2, lamports.length, ...lamports]
  const two = body([2, 1, 2], accounts, sent, [5, 5, 2, 3, 2, 1, 0, checked.length, ...checked])
  const one = body([2, 1, 4], [...accounts, key(7)], [4, 3, 0, 2, 6, lamports.length, ...lamports])
  const readonly = body([2, 1, 4], accounts, sent, [5, 5, 2, 3, 2, 1, 0, checked.length, ...checked])
  const signatures = [2, ...new Uint8Array(128)]
  const lookup = [1, ...key(9), 2, 7, 8, 1, 3]
  const transactions = [
    Uint8Array.from([...signatures, ...two]),
    Uint8Array.from([...signatures, ...one]),
    Uint8Array.from([...signatures, ...readonly]),
    Uint8Array.from([...signatures, 0x80, ...two, ...lookup]),
  ]
  const digests = (bytes: Uint8Array) => [hexOf(readSolanaTransaction(bytes).message)]
  requireSigned(t, { root: "solana.tx", type: TransactionType.SOLANA, digests }, transactions)
  t.end()
})

t.test("Bitcoin: a value that policies see is under every signature", (t) => {
  const schemes = [
    { scheme: "ecdsa", kind: "wpkh", signWith: SEGWIT, inputs: 1 },
    { scheme: "taproot", kind: "tr", signWith: TAPROOT, inputs: 2 },
  ] as const
  for (const { scheme, kind, signWith, inputs: count } of schemes) {
    const inputs = Array.from({ length: count }, (_, index) => {
      return { kind, isOwn: true, value: 100_000 + index, sequence: 5, isProven: false }
    })
    const outputs: Given["outputs"] = [
      { kind: "wpkh", value: 10_000 },
      { kind: "tr", value: 20_000 },
    ]
    const early = { scheme, inputs, outputs, version: 2, locktime: 100 }
    const more = [...inputs, ...inputs.slice(1)]
    const late = { ...early, inputs: more, outputs: outputs.slice(1), version: 1, locktime: 1_800_000_000 }
    const digests = (bytes: Uint8Array) =>
      readBitcoinSigning(bytes, keys[scheme]).inputs.map(({ digest }) => hexOf(digest()))
    const constant = count === 1 ? ["bitcoin.tx.inputs.count"] : []
    const chain = { root: "bitcoin.tx", type: TransactionType.BITCOIN, digests, signWith, constant }
    requireSigned(t, chain, [psbtOf(early).toBuffer(), psbtOf(late).toBuffer()])
  }
  t.end()
})

t.test("Tron: a value that policies see is in the signed bytes", (t) => {
  const [owner, payee] = [`41${"11".repeat(20)}`, `41${"22".repeat(20)}`]
  const call = encodeFunctionData({
    abi,
    functionName: "transfer",
    args: [`0x${"22".repeat(20)}`, 7n],
  }).slice(2)
  const values = {
    TransferContract: { to_address: payee, amount: 9 },
    TriggerSmartContract: {
      contract_address: payee,
      call_value: 2,
      data: call,
      call_token_value: 3,
      token_id: 1_000_001,
    },
    TransferAssetContract: {
      asset_name: Buffer.from("1002000").toString("hex"),
      to_address: payee,
      amount: 6,
    },
    VoteWitnessContract: { votes: [{ vote_address: payee, vote_count: 8 }] },
    UnfreezeBalanceContract: { resource: "ENERGY", receiver_address: payee },
    FreezeBalanceV2Contract: { frozen_balance: 5, resource: "ENERGY" },
    DelegateResourceContract: {
      resource: "ENERGY",
      balance: 5,
      receiver_address: payee,
      lock: true,
      lock_period: 4,
    },
  }
  const transactions = Object.entries(values).map(([type, value]) => {
    const type_url = `type.googleapis.com/protocol.${type}`
    const parameter = { type_url, value: { owner_address: owner, ...value } }
    return writtenByTronweb({
      contract: [{ type, Permission_id: 2, parameter }],
      ref_block_bytes: "c3e8",
      ref_block_hash: "e3b7e1a1c2d3f4e5",
      expiration: 1_893_456_060_000,
      timestamp: 1_893_456_000_000,
      fee_limit: 100_000_000,
      data: "6d656d6f",
    })
  })
  const digests = (bytes: Uint8Array) => [hexOf(tronSigningHash(bytes))]
  const chain = { root: "tron.tx", type: TransactionType.TRON, digests, constant: ["tron.tx.contract.count"] }
  requireSigned(t, chain, transactions)
  t.end()
})

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

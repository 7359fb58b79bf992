// Amounts that velocity controls count, of transactions that other libraries wrote.
import { base58 } from "@scure/base"
import t from "tap"
import { utils } from "tronweb"
import { encodeFunctionData, erc20Abi, type Hex, parseAbi, serializeTransaction } from "viem"
import { serializeTransaction as serializeForCelo } from "viem/celo"
import { readAsset } from "../../../../../../signer/core/modules/policies/velocity/assets.ts"
import { ANY_TOKEN } from "../../../../../../signer/core/modules/policies/velocity/transfer.ts"
import { type Given, psbtOf } from "../../../transaction/bitcoin-judge.ts"
import { writtenByTronweb } from "../../../transaction/tron-judge.ts"
import { BITCOIN_SIGNER, signing, transfersBy } from "./fixture.ts"

const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
const PAYEE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
function ethereum(change: object) {
  const given = { type: "eip1559", chainId: 10, nonce: 1, gas: 60_000n, maxFeePerGas: 3n, to: USDC } as const
  const unsigned = serializeTransaction({ ...given, ...change })
  return transfersBy(signing("ETHEREUM", unsigned.slice(2)))
}

t.test("Ethereum: the value, and the amounts of token functions, on the transaction's chain", async (t) => {
  const chain = { family: "eip155", reference: "10" }
  const token = USDC.toLowerCase()
  t.same(ethereum({ value: 5n }), [{ ...chain, token: "", amount: 5n }])
  const more = parseAbi(["function increaseAllowance(address spender, uint256 added)"])
  const calls: Hex[] = [
    encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [PAYEE, 7n] }),
    encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [PAYEE, USDC, 7n] }),
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [PAYEE, 7n] }),
    encodeFunctionData({ abi: more, functionName: "increaseAllowance", args: [PAYEE, 7n] }),
  ]
  for (const data of calls) t.same(ethereum({ data }), [{ ...chain, token, amount: 7n }])
  const transfer = calls[0]!
  t.same(ethereum({ data: transfer, value: 1n }).length, 2, "both move")
  t.same(ethereum({ data: `${transfer}ff` }), [{ ...chain, token, amount: 7n }], "bytes behind the call")
  const short = ethereum({ data: transfer.slice(0, -2) as Hex })
  t.same(short, [], "a contract that reads missing bytes as zeros would move 0")
  const high = ethereum({ data: `${transfer.slice(0, -64)}01` as Hex })
  t.same(high, [{ ...chain, token, amount: 1n << 248n }], "a contract reads the missing bytes as zeros")
  t.same(ethereum({ data: calls[2]!.replace(/7$/, "0") }), [], "a revoked allowance moves nothing")
  const by = "function 0x12345678"
  t.same(ethereum({ data: "0x12345678" }), [{ ...chain, token, amount: undefined, by }], "another function")
})

t.test("Ethereum: a transaction that is valid on every chain counts on every chain", async (t) => {
  const legacy = { type: "legacy", gasPrice: 1n, maxFeePerGas: undefined, chainId: undefined, value: 3n }
  t.match(ethereum(legacy), [{ reference: undefined, amount: 3n }])
})

t.test("Celo: its token contract moves the native currency, and is counted as such", async (t) => {
  const celo = { chainId: 42220, to: "0x471EcE3750Da237f93B8E339c536989b8978a438" } as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [PAYEE, 7n] })
  const native = { family: "eip155", reference: "42220", token: "" }
  t.same(ethereum({ ...celo, data }), [{ ...native, amount: 7n }])
  t.match(
    ethereum({ ...celo, chainId: 10, data }),
    [{ token: celo.to.toLowerCase(), amount: 7n }],
    "elsewhere",
  )
  t.same(readAsset(`eip155:42220/erc20:${celo.to}`), native)
  const given = { ...celo, type: "cip64", nonce: 1, gas: 60_000n, maxFeePerGas: 3n } as const
  const unsigned = serializeForCelo({ ...given, data, feeCurrency: USDC })
  t.same(
    transfersBy(signing("ETHEREUM", unsigned.slice(2))),
    [{ ...native, amount: 7n }],
    "a fee is no transfer",
  )
})

t.test("Tron: native transfers, call values and token functions", async (t) => {
  const [owner, payee, token] = ["11", "22", "33"].map((byte) => `41${byte.repeat(20)}`)
  const tron = (type: string, value: object) => {
    const type_url = `type.googleapis.com/protocol.${type}`
    const parameter = { type_url, value: { owner_address: owner, ...value } }
    const bytes = writtenByTronweb({
      contract: [{ type, parameter }],
      ref_block_bytes: "c3e8",
      ref_block_hash: "e3b7e1a1c2d3f4e5",
      expiration: 1_893_456_060_000,
      timestamp: 1_893_456_000_000,
      fee_limit: 100_000_000,
      data: "",
    })
    return transfersBy(signing("TRON", bytes.toString("hex")))
  }
  const chain = { family: "tron", reference: undefined }
  const paid = tron("TransferContract", { to_address: payee, amount: 9 })
  t.same(paid, [{ ...chain, token: "", amount: 9n }])
  const asset_name = Buffer.from("1002000").toString("hex")
  t.same(
    tron("TransferAssetContract", { asset_name, to_address: payee, amount: 9 }),
    [],
    "no control names it",
  )
  const votes = [{ vote_address: payee, vote_count: 1 }]
  t.same(tron("VoteWitnessContract", { votes }), [], "the sun stay the owner's")
  const to = `0x${"22".repeat(20)}` as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 7n] }).slice(2)
  t.same(tron("TriggerSmartContract", { contract_address: token, call_value: 2, data }), [
    { ...chain, token: "", amount: 2n },
    { ...chain, token: utils.address.fromHex(token!), amount: 7n },
  ])
})

t.test("Bitcoin: every output that does not return to the signing address", async (t) => {
  const given: Given = {
    scheme: "ecdsa",
    inputs: [{ kind: "wpkh", isOwn: true, value: 100_000, sequence: 5, isProven: true }],
    outputs: [
      { kind: "wpkh", value: 10_000 },
      { kind: "tr", value: 20_000 },
    ],
    version: 2,
    locktime: 0,
  }
  const psbt = psbtOf(given)
  psbt.addOutput({ address: BITCOIN_SIGNER, value: 60_000n })
  const found = transfersBy(signing("BITCOIN", psbt.toHex(), BITCOIN_SIGNER))
  t.same(
    found.map(({ amount }) => amount),
    [10_000n, 20_000n],
  )
})

t.test("Solana: lamports and tokens, by the mint where the instruction names it", async (t) => {
  const key = (byte: number) => base58.encode(new Uint8Array(32).fill(byte))
  const [payer, source, mint, payee] = [1, 2, 3, 4].map(key) as [string, string, string, string]
  const solana = (program: string, accounts: readonly number[], data: Uint8Array) => {
    const keys = [payer, source, mint, payee, program]
    const message = [
      1,
      0,
      1,
      keys.length,
      ...keys.flatMap((one) => [...base58.decode(one)]),
      ...new Uint8Array(32).fill(8),
      1,
      4,
      accounts.length,
      ...accounts,
      data.length,
      ...data,
    ]
    const bytes = Buffer.from([1, ...new Uint8Array(64), ...message])
    return transfersBy(signing("SOLANA", bytes.toString("hex")))
  }
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(77n)
  const system = (number: number, ...between: number[]) =>
    solana(
      "11111111111111111111111111111111",
      [0, 3, 2],
      Uint8Array.of(number, 0, 0, 0, ...between, ...amount),
    )
  const chain = { family: "solana", reference: undefined }
  const native = [{ ...chain, token: "", amount: 77n }]
  for (const number of [0, 2, 5, 11, 13]) t.same(system(number), native, `System instruction ${number}`)
  const seeded = [...new Uint8Array(32), 2, 0, 0, 0, 0, 0, 0, 0, 65, 66]
  t.same(system(3, ...seeded), native, "CreateAccountWithSeed")
  t.same(system(8), [], "Allocate moves nothing")
  const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
  const spl = (...begins: number[]) =>
    solana(token, [1, 2, 3, 0], Uint8Array.of(...begins, ...amount, 6, ...new Uint8Array(8)))
  for (const begins of [[3], [4]])
    t.match(
      spl(...begins),
      [{ ...chain, token: ANY_TOKEN, amount: 77n }],
      `${begins[0]}: the mint is not named`,
    )
  for (const begins of [[12], [13], [26, 1]]) t.same(spl(...begins), [{ ...chain, token: mint, amount: 77n }])
  t.same(spl(5), [], "Revoke")
  const checked = [12, ...amount, 6]
  const batch = Uint8Array.of(255, 3, 9, 4, ...amount, 4, checked.length, ...checked)
  const two = [ANY_TOKEN, mint].map((counted) => ({ ...chain, token: counted, amount: 77n }))
  t.same(solana(token, [1, 3, 0, 1, 2, 3, 0], batch), two, "a batch: Approve, TransferChecked")
  t.same(solana(key(9), [1, 2, 3, 0], Uint8Array.of(3, ...amount)), [], "another program")
})

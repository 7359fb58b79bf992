// Ethereum transactions as conditions read them.
import t from "tap"
import {
  encodeFunctionData,
  type Hex,
  parseAbi,
  serializeTransaction,
  toFunctionSelector,
  type TransactionSerializable,
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { serializeTransaction as serializeForCelo } from "viem/celo"
import { activityTypes } from "../../../../../proto/catalog.ts"
import {
  SmartContractInterfaceType,
  TransactionType,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../../../../services/policy-advice/interfaces.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { refusalOf } from "../../../enclave/keys/tools.ts"

const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const PAYEE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
const owner = privateKeyToAccount(`0x${"11".repeat(32)}`)
const key = { curve: "CURVE_SECP256K1", publicKey: owner.publicKey.slice(2) }
const source = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function pay((address to, uint256 amount, bytes note)[] payments, int64 change, bool now)",
  "function pay(address to)",
  "function name(string, bytes4)",
])
const interfaces = interfacesOf([
  {
    type: SmartContractInterfaceType.ETHEREUM,
    address: TOKEN.toLowerCase(),
    text: JSON.stringify(source),
  },
])

function facts(
  transaction: TransactionSerializable | Hex,
  text: string,
  holdings: object = { key },
  uploaded = interfaces,
) {
  const unsignedTransaction =
    typeof transaction === "string" ? transaction : serializeTransaction(transaction)
  const parameters = { type: TransactionType.ETHEREUM, unsignedTransaction }
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!
  const compiled = compile(text, "condition")
  const input = { activity, parameters, holdings: () => holdings, interfaces: uploaded }
  const [reader] = factsOf(input, compiled.roots)
  const answer = evaluate(compiled, reader!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

const fees = { maxFeePerGas: 20n, maxPriorityFeePerGas: 3n }
const call = { type: "eip1559", chainId: 8453, nonce: 7, gas: 50_000n, to: TOKEN, ...fees } as const
const legacy = {
  type: "legacy",
  chainId: 1,
  nonce: 7,
  gas: 21_000n,
  gasPrice: 9n,
  to: PAYEE,
  value: 5n,
} as const
const authorization = { chainId: 1, address: PAYEE, nonce: 0, yParity: 0, r: "0x01", s: "0x02" } as const

t.test("conditions read every field of a transaction", async (t) => {
  for (const text of [
    `eth.tx.from == '${owner.address}' && eth.tx.from == '${owner.address.toLowerCase()}'`,
    `eth.tx.to == '${PAYEE}' && eth.tx.to == '${PAYEE.toLowerCase()}'`,
    "eth.tx.data == '0x' && eth.tx.value == 5 && eth.tx.gas == 21000 && eth.tx.nonce == 7",
    "eth.tx.gas_price == 9 && eth.tx.max_fee_per_gas == 0 && eth.tx.max_priority_fee_per_gas == 0",
    "eth.tx.chain_id == 1 && eth.tx.type == 'LEGACY' && eth.tx.max_fee_per_blob_gas == 0",
    "eth.tx.function_name == '' && eth.tx.function_signature == ''",
  ])
    t.equal(facts(legacy, text), true, text)
  t.equal(facts({ ...legacy, chainId: undefined }, "eth.tx.chain_id == 0"), true, "valid on every chain")
  t.equal(facts({ ...legacy, to: undefined }, "eth.tx.to == ''"), true, "a contract is created")
  const market =
    "eth.tx.gas_price == 20 && eth.tx.max_fee_per_gas == 20 && eth.tx.max_priority_fee_per_gas == 3"
  t.equal(facts(call, market), true)
  const types = [
    ["TYPE_1", { ...legacy, type: "eip2930", accessList: [] }],
    ["TYPE_2", call],
    [
      "TYPE_3",
      { ...call, type: "eip4844", blobVersionedHashes: [`0x01${"00".repeat(31)}`], maxFeePerBlobGas: 8n },
    ],
    ["TYPE_4", { ...call, type: "eip7702", authorizationList: [authorization] }],
  ] as [string, TransactionSerializable][]
  for (const [type, one] of types) {
    t.equal(facts(one, `eth.tx.type == '${type}' && eth.tx.fee_currency == ''`), true, type)
    t.equal(facts(one, "eth.tx.max_fee_per_blob_gas == 8"), type === "TYPE_3")
  }
})

t.test("C-1818: conditions read the fee currency of Celo's transactions, in any case", async (t) => {
  const celo = serializeForCelo({ ...call, type: "cip64", chainId: 42220, feeCurrency: TOKEN })
  for (const text of [
    "eth.tx.type == 'TYPE_123' && eth.tx.max_fee_per_gas == 20 && eth.tx.gas_price == 20",
    `eth.tx.fee_currency == '${TOKEN}' && eth.tx.fee_currency == '${TOKEN.toLowerCase()}'`,
  ])
    t.equal(facts(celo, text), true, text)
  t.equal(facts(celo, `eth.tx.fee_currency == '${PAYEE}'`), false)
})

t.test("conditions read the arguments of a call by the contract's interface", async (t) => {
  const transfer = encodeFunctionData({ abi: source, functionName: "transfer", args: [PAYEE, 10n ** 24n] })
  const args = "eth.tx.contract_call_args"
  for (const text of [
    "eth.tx.function_name == 'transfer' && eth.tx.function_signature == '0xa9059cbb'",
    "eth.tx.data[0..10] == '0xa9059cbb'",
    `${args}['amount'] == 1000000000000000000000000`,
    `${args}['to'] == '${PAYEE}' && ${args}['to'] == '${PAYEE.toLowerCase()}'`,
  ])
    t.equal(facts({ ...call, data: transfer }, text), true, text)
  t.equal(facts({ ...call, data: transfer }, `${args}['recipient'] == ''`), "missing-key")
  t.equal(facts({ ...call, to: PAYEE, data: transfer }, "eth.tx.function_name == ''"), true, "no interface")
  t.equal(facts({ ...call, to: PAYEE, data: transfer }, `${args}['amount'] == 1`), "missing-key")
  const unknown = { ...call, data: "0xdeadbeef" } as const
  t.equal(facts(unknown, "eth.tx.function_name == '' && eth.tx.function_signature == ''"), true)
  t.equal(facts({ ...call, data: "0xa9059c" }, "eth.tx.function_name == ''"), true, "less than a selector")
})

t.test("tuples are read by position, arrays by quantifiers, nameless arguments by index", async (t) => {
  const payments = [
    { to: PAYEE, amount: 5n, note: "0xAB" },
    { to: TOKEN, amount: 6n, note: "0x" },
  ] as const
  const data = encodeFunctionData({ abi: source, functionName: "pay", args: [payments, -7n, true] })
  const args = "eth.tx.contract_call_args"
  for (const text of [
    `${args}['payments'].count() == 2 && ${args}['change'] < 0 && ${args}['now']`,
    `${args}['payments'][0][0] == '${PAYEE.toLowerCase()}' && ${args}['payments'][1][1] == 6`,
    `${args}['payments'].all(p, p[1] < 7) && ${args}['payments'].any(p, p[2] == '0xab')`,
  ])
    t.equal(facts({ ...call, data }, text), true, text)
  t.type(facts({ ...call, data }, `${args}['payments'][0]['amount'] == 5`), "string", "not by name")
  const overload = encodeFunctionData({ abi: source, functionName: "pay", args: [PAYEE] })
  t.equal(facts({ ...call, data: overload }, `${args}['to'] == '${PAYEE}'`), true, "by its selector")
  const name = encodeFunctionData({ abi: source, functionName: "name", args: ["Zoë", "0xAABBCCDD"] })
  t.equal(facts({ ...call, data: name }, `${args}['0'] == 'Zoë' && ${args}['1'] == '0xaabbccdd'`), true)
})

t.test("a call that does not fit the interface is refused, not shown without arguments", async (t) => {
  const short = { ...call, data: `0xa9059cbb${"00".repeat(63)}` } as const
  const refusal = refusalOf(() => facts(short, "eth.tx.value == 0"))
  t.equal(refusal?.code, "TRANSACTION_INVALID")
  t.match(
    refusal?.message,
    /^failed to parse transaction: the call of transfer\(address,uint256\) does not fit/,
  )
  const follows = { ...call, data: `0xa9059cbb${"00".repeat(64)}ff` } as const
  t.equal(facts(follows, "eth.tx.function_name == 'transfer'"), true, "contracts ignore bytes that follow")
})

t.test(
  "W34: a call whose arguments cannot be read is refused where a policy reads them, and only there",
  async (t) => {
    const fn = (name: string, ...types: string[]) => ({
      name,
      inputs: types.map((type) => ({ name: "a", type })),
    })
    const unread = (...functions: object[]) =>
      interfacesOf([
        {
          type: SmartContractInterfaceType.ETHEREUM,
          address: TOKEN.toLowerCase(),
          text: JSON.stringify(functions),
        },
      ])
    const selector = toFunctionSelector("set(Market.Side)")
    const set = { ...call, data: selector } as const
    const uploaded = unread(fn("set", "Market.Side"), fn("pay", "uint256"), { name: 7 })
    const read = (text: string) => facts(set, text, { key }, uploaded)
    for (const text of [
      `eth.tx.to == '${TOKEN}' && eth.tx.value == 0`,
      `eth.tx.function_name == 'set' && eth.tx.function_signature == '${selector}'`,
    ])
      t.equal(read(text), true, text)
    for (const text of [
      "eth.tx.contract_call_args['a'] == 5",
      "eth.tx.value == 1 && eth.tx.contract_call_args['other'] == 'x'",
    ])
      t.match(
        refusalOf(() => read(text)),
        {
          code: "TRANSACTION_INVALID",
          message:
            /values of the call of set\(Market\.Side\) that cannot be read: \[0\]\.inputs\[0\]\.type is no type/,
        },
      )
    const payable = { ...call, data: `${toFunctionSelector("pay(uint256)")}${"00".repeat(31)}07` } as const
    t.equal(
      facts(payable, "eth.tx.contract_call_args['a'] == 7", { key }, uploaded),
      true,
      "the others are usable",
    )
  },
)

t.test("W34: a call that could mean two functions has no name and no arguments", async (t) => {
  const inputs = (type: string) => [{ name: "a", type }]
  const text = JSON.stringify([
    { name: "burn", inputs: inputs("uint256") },
    { name: "collate_propagate_storage", inputs: inputs("bytes16") },
  ])
  const both = interfacesOf([
    { type: SmartContractInterfaceType.ETHEREUM, address: TOKEN.toLowerCase(), text },
  ])
  const burn = { ...call, data: `0x42966c68${"00".repeat(32)}` } as const
  t.equal(facts(burn, "eth.tx.function_signature == '0x42966c68'", { key }, both), true)
  for (const read of ["eth.tx.function_name == 'burn'", "eth.tx.contract_call_args['a'] == 0"])
    t.match(
      refusalOf(() => facts(burn, read, { key }, both)),
      { code: "TRANSACTION_INVALID" },
      read,
    )
})

t.test("W40: a name that a call may not have is refused where a policy reads it", async (t) => {
  const uint = [{ name: "a", type: "uint256" }]
  const upload = (...items: object[]) => {
    const text = JSON.stringify(items)
    const { ETHEREUM: type } = SmartContractInterfaceType
    return interfacesOf([{ type, address: TOKEN.toLowerCase(), text }])
  }
  const readable = { name: "pay", inputs: uint }
  const pay = toFunctionSelector("pay(uint256)")
  // A selector that ends in a zero byte: 0xc18f9f00.
  const short = { name: "fold430", inputs: [] }
  const words = "00".repeat(64)
  const cases: [what: string, data: string, selector: string, ...items: object[]][] = [
    [
      "a selector that tokens use for transfer(address,uint256)",
      `0xa9059cbb${words}`,
      "0xa9059cbb",
      { name: "many_msg_babbage", inputs: [{ name: "a", type: "bytes1" }] },
    ],
    [
      "a selector that tokens use for burn(uint256)",
      `0x42966c68${words}`,
      "0x42966c68",
      { name: "collate_propagate_storage", inputs: [{ name: "a", type: "bytes16" }] },
    ],
    ["a function whose selector is unknown", `0x12345678${words}`, "0x12345678", readable, { name: "burn" }],
    ["data that contracts may fill up", "0xc18f9f", "", short],
  ]
  for (const [what, data, selector, ...items] of cases) {
    const sent = { ...call, data: data as Hex } as const
    const own = upload(...items)
    t.equal(facts(sent, `eth.tx.function_signature == '${selector}'`, { key }, own), true, what)
    for (const read of ["eth.tx.function_name != 'x'", "eth.tx.contract_call_args['a'] == 0"])
      t.match(
        refusalOf(() => facts(sent, read, { key }, own)),
        { code: "TRANSACTION_INVALID" },
        `${what}: ${read}`,
      )
  }
  const known = { ...call, data: `${pay}${words}` as Hex } as const
  const doubtful = upload(readable, { name: "burn" })
  t.equal(facts(known, "eth.tx.function_name == 'pay'", { key }, doubtful), true, "other calls are as before")
  const currency = { ...call, value: 1n } as const
  t.equal(facts(currency, "eth.tx.function_name == ''", { key }, doubtful), true, "and calls without data")
  const both = upload(readable, { name: "transfer", inputs: [{ name: "to", type: "address" }, ...uint] })
  const transfer = { ...call, data: `0xa9059cbb${words}` as Hex } as const
  t.equal(facts(transfer, "eth.tx.function_name == 'transfer'", { key }, both), true, "the token's function")
})

t.test("W40: a name that a repeated function gives to another argument is refused", async (t) => {
  const repeated = (...names: string[]) => ({
    name: "f",
    inputs: names.map((name) => ({ name, type: "uint8" })),
  })
  const text = JSON.stringify([repeated("a", "b", "c"), repeated("b", "amount", "c"), repeated("", "b", "c")])
  const own = interfacesOf([
    { type: SmartContractInterfaceType.ETHEREUM, address: TOKEN.toLowerCase(), text },
  ])
  const values = [1, 2, 3].map((one) => `${one}`.padStart(64, "0")).join("")
  const data = `${toFunctionSelector("f(uint8,uint8,uint8)")}${values}` as Hex
  const read = (condition: string) => facts({ ...call, data } as const, condition, { key }, own)
  t.equal(read("eth.tx.contract_call_args['a'] == 1 && eth.tx.contract_call_args['c'] == 3"), true)
  for (const name of ["b", "amount"])
    t.match(
      refusalOf(() => read(`eth.tx.contract_call_args['${name}'] == 2`)),
      { code: "TRANSACTION_INVALID" },
      name,
    )
})

t.test("W34: a name that two arguments have is refused where a policy reads it", async (t) => {
  const inputs = ["a", "a", "b"].map((name) => ({ name, type: "uint8" }))
  const text = JSON.stringify([{ name: "f", inputs }])
  const own = interfacesOf([
    { type: SmartContractInterfaceType.ETHEREUM, address: TOKEN.toLowerCase(), text },
  ])
  const data = `${toFunctionSelector("f(uint8,uint8,uint8)")}${[1, 2, 3].map((one) => `${one}`.padStart(64, "0")).join("")}`
  const twice = { ...call, data: data as Hex } as const
  t.equal(facts(twice, "eth.tx.contract_call_args['b'] == 3", { key }, own), true)
  t.match(
    refusalOf(() => facts(twice, "eth.tx.contract_call_args['a'] == 1", { key }, own)),
    {
      code: "TRANSACTION_INVALID",
      message: /several have the name "a"/,
    },
  )
})

t.test("the root is refused for a key of another curve and absent for another type", async (t) => {
  const ed25519 = { key: { curve: "CURVE_ED25519", publicKey: "11".repeat(32) } }
  t.equal(refusalOf(() => facts(legacy, "eth.tx.value == 5", ed25519))?.code, "TRANSACTION_KEY_UNFIT")
  t.equal(refusalOf(() => facts("0xc0", "eth.tx.value == 5"))?.code, "TRANSACTION_INVALID")
  t.equal(facts(legacy, "solana.tx.version == 'V0'"), "missing-root")
})

t.test("the contracts of one transaction may have a million characters of interfaces", async (t) => {
  const long = { type: SmartContractInterfaceType.ETHEREUM, address: TOKEN.toLowerCase() }
  const padded = (length: number) => interfacesOf([{ ...long, text: JSON.stringify(source).padEnd(length) }])
  t.ok(padded(1_000_000).abi(TOKEN.toLowerCase()))
  t.throws(() => padded(1_000_001).abi(TOKEN.toLowerCase()), { message: /more than 1000000 characters/ })
})

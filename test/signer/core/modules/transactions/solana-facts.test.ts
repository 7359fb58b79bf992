// Solana transactions as conditions read them.
import { base58 } from "@scure/base"
import t from "tap"
import { activityTypes } from "../../../../../proto/catalog.ts"
import {
  SmartContractInterfaceType,
  TransactionType,
} from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { interfacesOf } from "../../../../../services/policy-advice/interfaces.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { ownVectors } from "../../../../harness/vectors.ts"
import { refusalOf } from "../../../enclave/keys/tools.ts"

const SYSTEM = "11111111111111111111111111111111"
const TOKEN = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
const key = (byte: number) => base58.encode(new Uint8Array(32).fill(byte))
const [PAYER, A, B, MINT, OWNER, CO_SIGNER, PROGRAM] = [1, 2, 3, 4, 5, 6, 7].map(key) as [
  string,
  ...string[],
] as [string, string, string, string, string, string, string]

type Instruction = { program: string; accounts: readonly number[]; data: readonly number[] }

/** A transaction with these keys; the first one signs. Accounts above the keys come from one look-up table. */
function build(
  keys: readonly string[],
  instructions: readonly Instruction[],
  lookup?: readonly [number[], number[]],
) {
  const all = [PAYER, ...keys, ...new Set(instructions.map(({ program }) => program))]
  const message = [
    ...(lookup ? [0x80] : []),
    1,
    0,
    new Set(instructions.map(({ program }) => program)).size,
    all.length,
    ...all.flatMap((one) => [...base58.decode(one)]),
    ...new Uint8Array(32).fill(8),
    instructions.length,
    ...instructions.flatMap(({ program, accounts, data }) => [
      all.indexOf(program),
      accounts.length,
      ...accounts,
      data.length,
      ...data,
    ]),
    ...(lookup ? [1, ...base58.decode(key(9)), ...lookup.flatMap((list) => [list.length, ...list])] : []),
  ]
  return Buffer.from([1, ...new Uint8Array(64), ...message]).toString("hex")
}

const idl = {
  types: [{ name: "Side", type: { kind: "enum", variants: [{ name: "Buy" }, { name: "Sell" }] } }],
  instructions: [
    {
      name: "order",
      discriminator: [1, 2],
      accounts: [{ name: "trader" }, { name: "market" }],
      args: [
        { name: "amount", type: "u64" },
        { name: "side", type: { defined: "Side" } },
        { name: "to", type: { option: "publicKey" } },
      ],
    },
  ],
}
const uploadedIdl = (value: object) =>
  interfacesOf([{ type: SmartContractInterfaceType.SOLANA, address: PROGRAM, text: JSON.stringify(value) }])

function facts(unsignedTransaction: string, text: string, interfaces = uploadedIdl(idl)) {
  const parameters = { type: TransactionType.SOLANA, unsignedTransaction }
  const activity = activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!
  const compiled = compile(text, "condition")
  const [reader] = factsOf({ activity, parameters, holdings: () => ({}), interfaces }, compiled.roots)
  const answer = evaluate(compiled, reader!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

const u64 = (value: number) => [value, 0, 0, 0, 0, 0, 0, 0]
const system = (number: number, ...data: number[]) => [number, 0, 0, 0, ...data]

t.test("conditions read every member of a transaction", async (t) => {
  const transfer = { program: SYSTEM, accounts: [0, 1], data: system(2, ...u64(5)) }
  const transaction = build([A], [transfer])
  for (const text of [
    `solana.tx.account_keys[0] == '${PAYER}' && solana.tx.account_keys[1] == '${A}' && solana.tx.program_keys[0] == '${SYSTEM}'`,
    `solana.tx.static_account_keys.count() == 3 && solana.tx.top_level_program_keys.count() == 1`,
    `solana.tx.version == 'LEGACY' && solana.tx.recent_blockhash == '${key(8)}'`,
    "solana.tx.instructions.count() == 1 && solana.tx.top_level_instructions.count() == 1",
    `solana.tx.instructions[0].program_key == '${SYSTEM}'`,
    "solana.tx.instructions[0].instruction_data_hex == '020000000500000000000000'",
    `solana.tx.instructions[0].accounts[0].account_key == '${PAYER}'`,
    "solana.tx.instructions[0].accounts[0].signer && solana.tx.instructions[0].accounts[0].writable",
    "!solana.tx.instructions[0].accounts[1].signer && solana.tx.instructions[0].accounts[1].writable",
    "solana.tx.address_table_lookups.count() == 0",
  ])
    t.equal(facts(transaction, text), true, text)
  t.equal(facts(transaction, "solana.tx.priority_fee_lamports == 0"), "field-not-used")
  t.equal(
    facts(transaction, "solana.tx.instructions[0].parsed_instruction_data.instruction_name == ''"),
    "field-not-used",
  )
})

t.test("accounts of look-up tables read as such", async (t) => {
  const transfer = { program: SYSTEM, accounts: [0, 2], data: system(2, ...u64(5)) }
  const transaction = build([], [transfer], [[17], [18]])
  for (const text of [
    "solana.tx.version == 'V0' && solana.tx.transfers[0].to == 'ADDRESS_TABLE_LOOKUP'",
    "solana.tx.instructions[0].accounts[1].account_key == 'ADDRESS_TABLE_LOOKUP'",
    "solana.tx.instructions[0].accounts[1].writable",
    `solana.tx.address_table_lookups[0].address_table_key == '${key(9)}'`,
    "solana.tx.address_table_lookups[0].writable_indexes[0] == 17",
    "solana.tx.address_table_lookups[0].readonly_indexes[0] == 18",
    "solana.tx.address_table_lookup_references.count() == 2",
    "solana.tx.address_table_lookup_references[0].index == 17 && solana.tx.address_table_lookup_references[0].writable",
    "solana.tx.address_table_lookup_references[1].index == 18 && !solana.tx.address_table_lookup_references[1].writable",
  ])
    t.equal(facts(transaction, text), true, text)
})

t.test("transfers of the System Program are those that @solana/web3.js writes", async (t) => {
  const { signed } = ownVectors<{ signed: { name: string; unsignedTransaction: string }[] }>("transactions")
  const { unsignedTransaction } = signed.find(({ name }) => name === "legacy transfer, one signer")!
  const from = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
  const all = "solana.tx.transfers.count() == 1 && solana.tx.transfers[0]"
  t.equal(
    facts(unsignedTransaction, `${all}.from == '${from}' && solana.tx.transfers[0].amount == 10000`),
    true,
  )
})

t.test("transfers with a seed are seen, other instructions are none", async (t) => {
  const seed = [...u64(1), 97, ...base58.decode(OWNER)]
  const withSeed = { program: SYSTEM, accounts: [1, 0, 2], data: system(11, ...u64(6), ...seed) }
  const others = [
    { program: SYSTEM, accounts: [0, 1], data: system(3, ...u64(6)) },
    { program: SYSTEM, accounts: [0, 1], data: [2, 0, 0] },
    { program: PROGRAM, accounts: [0, 1], data: system(2, ...u64(6)) },
  ]
  const transaction = build([A, B], [withSeed, ...others])
  const text = `solana.tx.transfers.count() == 1 && solana.tx.transfers[0].from == '${A}' && solana.tx.transfers[0].to == '${B}' && solana.tx.transfers[0].amount == 6`
  t.equal(facts(transaction, text), true)
})

t.test("transfers of tokens are seen in their three shapes, of both programs", async (t) => {
  const keys = [A, B, MINT, OWNER, CO_SIGNER]
  const shapes = [
    { accounts: [1, 2, 4, 5], data: [3, ...u64(7)], mint: "" },
    { accounts: [1, 3, 2, 4, 5], data: [12, ...u64(7), 6], mint: MINT },
    { accounts: [1, 3, 2, 4, 5], data: [26, 1, ...u64(7), 6, ...u64(1)], mint: MINT },
  ]
  for (const program of [TOKEN, TOKEN_2022]) {
    for (const { mint, ...instruction } of shapes) {
      const text = `solana.tx.spl_transfers.count() == 1 && solana.tx.spl_transfers.all(x, x.from == '${A}' && x.to == '${B}' && x.amount == 7 && x.owner == '${OWNER}' && x.signers.count() == 1 && x.signers[0] == '${CO_SIGNER}' && x.token_mint == '${mint}')`
      t.equal(
        facts(build(keys, [{ program, ...instruction }]), text),
        true,
        `${program} ${instruction.data[0]}`,
      )
    }
    const others = [
      [26, 0, ...u64(7), 6, ...u64(1)],
      [4, ...u64(7)],
      [3, 7],
    ]
    for (const data of others) {
      const transaction = build(keys, [{ program, accounts: [1, 3, 2, 4, 5], data }])
      t.equal(facts(transaction, "solana.tx.spl_transfers.count() == 0"), true, String(data))
    }
  }
})

t.test("transfers within a batch of a token program are seen, with the accounts of each", async (t) => {
  const keys = [A, B, MINT, OWNER, CO_SIGNER]
  const checked = [12, ...u64(8), 6]
  const plain = [3, ...u64(9)]
  const batch = (...parts: [accounts: number, data: number[]][]) => [
    255,
    ...parts.flatMap(([accounts, data]) => [accounts, data.length, ...data]),
  ]
  const accounts = [2, 1, 3, 2, 4, 2, 1, 4]
  const count = (data: number[], more: object = {}) => {
    const transaction = build(keys, [{ program: TOKEN, accounts, data, ...more }])
    return (total: number) =>
      t.equal(
        facts(transaction, `solana.tx.spl_transfers.count() == ${total}`),
        true,
        `${String(data)}: ${total}`,
      )
  }
  const three = batch([1, [17]], [4, checked], [3, plain])
  for (const program of [TOKEN, TOKEN_2022]) {
    const transaction = build(keys, [{ program, accounts, data: three }])
    const first = `solana.tx.spl_transfers[0].from == '${A}' && solana.tx.spl_transfers[0].to == '${B}' && solana.tx.spl_transfers[0].token_mint == '${MINT}'`
    const second = `solana.tx.spl_transfers[1].from == '${B}' && solana.tx.spl_transfers[1].to == '${A}' && solana.tx.spl_transfers[1].owner == '${OWNER}'`
    const amounts = "solana.tx.spl_transfers[0].amount == 8 && solana.tx.spl_transfers[1].amount == 9"
    t.equal(facts(transaction, `${first} && ${second} && ${amounts}`), true)
    t.equal(facts(transaction, "solana.tx.instructions.count() == 1"), true, "a batch is one instruction")
  }
  count(three)(2)
  count(batch([8, three]))(2)
  count(three.slice(0, -1))(1)
  count(three, { accounts: accounts.slice(0, -1) })(1)
  count([255])(0)
  count([255, 3])(0)
  count(three, { program: PROGRAM })(0)
})

t.test("arguments are read by the program's interface", async (t) => {
  const data = [1, 2, ...u64(9), 1, 1, ...base58.decode(B)]
  const transaction = build([A], [{ program: PROGRAM, accounts: [0, 1], data }])
  const parsed = "solana.tx.instructions[0].parsed_instruction_data"
  for (const text of [
    `${parsed}.instruction_name == 'order' && ${parsed}.discriminator == '0102'`,
    `${parsed}.named_accounts['trader'] == '${PAYER}' && ${parsed}.named_account['market'] == '${A}'`,
    `${parsed}.program_call_args['amount'] == 9 && ${parsed}.program_call_args['to'][0] == '${B}'`,
  ])
    t.equal(facts(transaction, text), true, text)
  t.equal(facts(transaction, `${parsed}.program_call_args['price'] == 1`), "missing-key")
  const short = build([A], [{ program: PROGRAM, accounts: [0, 1], data: data.slice(0, 5) }])
  const refusal = refusalOf(() => facts(short, "solana.tx.version == 'LEGACY'"))
  t.equal(refusal?.code, "TRANSACTION_INVALID")
  t.match(refusal?.message, /the call of order does not fit the interface/)
  const other = build([A], [{ program: PROGRAM, accounts: [], data: [9] }])
  t.equal(facts(other, `${parsed}.instruction_name == 'order'`), "field-not-used")
})

t.test(
  "W40: an instruction that may be one without a discriminator is refused where a policy reads it",
  async (t) => {
    const parsed = "solana.tx.instructions[0].parsed_instruction_data"
    const named = (name: string, discriminator: unknown) => ({ name, discriminator, accounts: [], args: [] })
    const read = (data: number[], text: string, instructions: object[]) =>
      facts(build([A], [{ program: PROGRAM, accounts: [], data }]), text, uploadedIdl({ instructions }))
    const doubtful = [named("pay", [1]), named("drain", "all")]
    t.equal(read([1], `${parsed}.instruction_name == 'pay'`, doubtful), true)
    t.match(
      refusalOf(() => read([2], `${parsed}.instruction_name == 'drain'`, doubtful)),
      { code: "TRANSACTION_INVALID" },
    )
    t.equal(read([2], `${parsed}.instruction_name == 'drain'`, [named("pay", [1])]), "field-not-used")
  },
)

t.test("W34: an unreadable instruction is refused where a policy reads it, and only there", async (t) => {
  const instruction = (name: string, discriminator: number[], type: unknown, accounts: object[] = []) => ({
    name,
    discriminator,
    accounts,
    args: [{ name: "a", type }],
  })
  const group = (name: string) => ({ name, accounts: [{ name: "owner" }, { name: `${name}Mint` }] })
  const uploaded = uploadedIdl({
    instructions: [
      instruction("configure", [1], { hashMap: ["u8", "u8"] }),
      instruction("pay", [2], "u8", [group("from"), group("to")]),
      instruction("longer", [2, 2], "u8"),
      instruction("buy", [3], { option: "u8" }),
    ],
  })
  const parsed = "solana.tx.instructions[0].parsed_instruction_data"
  const read = (data: number[], text: string) =>
    facts(build([A], [{ program: PROGRAM, accounts: [0, 1, 0, 1], data }]), text, uploaded)
  for (const [data, text] of [
    [[1, 9], `solana.tx.program_keys.all(p, p == '${PROGRAM}')`],
    [[1, 9], `${parsed}.instruction_name == 'configure' && ${parsed}.discriminator == '01'`],
    [[2, 7], `${parsed}.program_call_args['a'] == 7 && ${parsed}.named_accounts['fromMint'] == '${A}'`],
    [
      [2, 7],
      `${parsed}.named_accounts['from.owner'] == '${PAYER}' && ${parsed}.named_accounts['to.owner'] == '${PAYER}'`,
    ],
    [[3], `${parsed}.instruction_name == 'buy' && solana.tx.program_keys.count() == 1`],
    [[2, 2, 5], "solana.tx.version == 'LEGACY'"],
  ] as const)
    t.equal(read([...data], text), true, text)
  for (const [data, text, why] of [
    [[1, 9], `${parsed}.program_call_args['a'] == 1`, /configure .*hashMap/],
    [[1, 9], `${parsed}.named_accounts['b'] == '${A}'`, /configure .*hashMap/],
    [[2, 7], `${parsed}.named_accounts['owner'] == '${A}'`, /several have the name "owner"/],
    [[3], `${parsed}.program_call_args['a'].count() == 0`, /the data omit a/],
    [[2, 2, 5], `${parsed}.instruction_name == 'pay'`, /share a prefix: "pay" and "longer"/],
    [[2, 2, 5], `${parsed}.discriminator == '02'`, /share a prefix/],
    [[2, 2, 5], `${parsed}.program_call_args['a'] == 5`, /share a prefix/],
  ] as const)
    t.match(
      refusalOf(() => read([...data], text)),
      { code: "TRANSACTION_INVALID", message: why },
      text,
    )
})

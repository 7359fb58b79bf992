// Tron transactions as conditions read them.
import { Interface } from "ethers"
import t from "tap"
import { utils } from "tronweb"
import { encodeFunctionData, parseAbi } from "viem"
import { activityTypes } from "../../../../../proto/catalog.ts"
import { TransactionType } from "../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { Budget, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import { factsOf } from "../../../../../signer/core/policy/facts/index.ts"
import { refusalOf } from "../../../enclave/keys/tools.ts"
import { writtenByTronweb } from "../../transaction/tron-judge.ts"

const OWNER = `41${"11".repeat(20)}`
const PAYEE = `41${"22".repeat(20)}`
const TOKEN = `41${"33".repeat(20)}`
const text58 = (address: string) => utils.address.fromHex(address)
const payeeOfCall = `0x${"22".repeat(20)}` as const

function facts(condition: string, type: string, value: object, more: object = {}) {
  const { contract = {}, ...raw } = more as { contract?: object }
  const type_url = `type.googleapis.com/protocol.${type}`
  const bytes = writtenByTronweb({
    contract: [{ type, parameter: { type_url, value: { owner_address: OWNER, ...value } }, ...contract }],
    ref_block_bytes: "c3e8",
    ref_block_hash: "e3b7e1a1c2d3f4e5",
    expiration: 1_893_456_060_000,
    timestamp: 1_893_456_000_000,
    fee_limit: 100_000_000,
    data: "6d656d6f",
    ...raw,
  })
  const parameters = {
    type: TransactionType.TRON,
    unsignedTransaction: bytes.toString("hex"),
    signWith: text58(OWNER),
  }
  const compiled = compile(condition, "condition")
  const [reader] = factsOf(
    {
      activity: activityTypes.get("ACTIVITY_TYPE_SIGN_TRANSACTION_V2")!,
      parameters,
      holdings: () => ({}),
      interfaces: { abi: () => undefined, idl: () => undefined },
    },
    compiled.roots,
  )
  const answer = evaluate(compiled, reader!, new Budget())
  return "value" in answer ? answer.value : answer.fault.reason
}

const contract = "tron.tx.contract[0]"
const transfer = { to_address: PAYEE, amount: 9_999_999 }

t.test("conditions read every field of a transaction", async (t) => {
  for (const condition of [
    "tron.tx.ref_block_bytes == 'c3e8' && tron.tx.ref_block_hash == 'e3b7e1a1c2d3f4e5'",
    "tron.tx.expiration == 1893456060000 && tron.tx.timestamp == 1893456000000",
    "tron.tx.fee_limit == 100000000 && tron.tx.data == '6d656d6f' && tron.tx.contract.count() == 1",
    `${contract}.type == 'TransferContract' && ${contract}.permission_id == 2`,
    `${contract}.owner_address == '${text58(OWNER)}' && ${contract}.to_address == '${text58(PAYEE)}'`,
    `${contract}.amount < 10000000`,
  ])
    t.equal(
      facts(condition, "TransferContract", transfer, { contract: { Permission_id: 2 } }),
      true,
      condition,
    )
})

t.test("conditions read the fields of each contract type, and no field of another", async (t) => {
  const delegated = { receiver_address: PAYEE, balance: 7, resource: "ENERGY" }
  const permission = (name: string, more: object = {}) => ({
    permission_name: name,
    threshold: 2,
    keys: [{ address: PAYEE, weight: 1 }],
    ...more,
  })
  const update = {
    owner: permission("owner"),
    witness: permission("witness", { type: 1, id: 1 }),
    actives: [permission("active", { type: 2, id: 2, operations: "7f".repeat(32) })],
  }
  const to = text58(PAYEE)
  const cases: [string, object, string[]][] = [
    [
      "FreezeBalanceV2Contract",
      { frozen_balance: 5, resource: "ENERGY" },
      ["frozen_balance == 5", "resource == 'ENERGY'"],
    ],
    [
      "UnfreezeBalanceV2Contract",
      { unfreeze_balance: 6 },
      ["unfreeze_balance == 6", "resource == 'BANDWIDTH'"],
    ],
    [
      "DelegateResourceContract",
      { ...delegated, lock: true, lock_period: 3 },
      ["balance == 7", `receiver_address == '${to}'`, "lock == true", "lock_period == 3"],
    ],
    ["UnDelegateResourceContract", delegated, ["balance == 7", `receiver_address == '${to}'`]],
    ["WithdrawExpireUnfreezeContract", {}, ["permission_id == 0"]],
    ["CancelAllUnfreezeV2Contract", {}, ["permission_id == 0"]],
    ["WithdrawBalanceContract", {}, ["permission_id == 0"]],
    [
      "UnfreezeBalanceContract",
      { resource: "ENERGY", receiver_address: PAYEE },
      ["resource == 'ENERGY'", `receiver_address == '${to}'`],
    ],
    [
      "VoteWitnessContract",
      {
        votes: [
          { vote_address: PAYEE, vote_count: 4 },
          { vote_address: OWNER, vote_count: 1 },
        ],
      },
      ["votes.count() == 2", `votes.any(v, v.vote_address == '${to}' && v.vote_count == 4)`],
    ],
    [
      "AccountPermissionUpdateContract",
      update,
      [
        `owner.threshold == 2`,
        `owner.type == 'Owner'`,
        `owner.keys.all(k, k.address == '${to}' && k.weight == 1)`,
        "witness.permission_name == 'witness'",
        `actives.any(a, a.id == 2 && a.type == 'Active' && a.operations == '${"7f".repeat(32)}')`,
        "actives.count() == 1",
      ],
    ],
  ]
  for (const [type, value, conditions] of cases) {
    t.equal(facts(`${contract}.type == '${type}'`, type, value), true, type)
    for (const condition of conditions)
      t.equal(facts(`${contract}.${condition}`, type, value), true, condition)
    t.equal(facts(`${contract}.amount > 0`, type, value), "missing-field", `${type} has no amount`)
  }
  const token = { asset_name: Buffer.from("1002000").toString("hex"), to_address: PAYEE, amount: 6 }
  for (const condition of ["asset_name == '1002000'", `to_address == '${to}'`, "amount == 6"])
    t.equal(facts(`${contract}.${condition}`, "TransferAssetContract", token), true, condition)
  const lent = `${contract}.receiver_address == '${to}'`
  t.equal(facts(lent, "UnfreezeBalanceContract", { resource: "ENERGY" }), "missing-field")
  const { witness: _, ...withoutWitness } = update
  const condition = `${contract}.witness.threshold == 2`
  t.equal(facts(condition, "AccountPermissionUpdateContract", withoutWitness), "missing-field")
})

const TRC20 = parseAbi([
  "function transfer(address to, uint256 value)",
  "function transferFrom(address from, address to, uint256 value)",
  "function approve(address spender, uint256 value)",
])
const call = (data: string, more: object = {}) => ({ contract_address: TOKEN, data, call_value: 0, ...more })
const payment = encodeFunctionData({
  abi: TRC20,
  functionName: "transfer",
  args: [payeeOfCall, 10n ** 24n],
}).slice(2)
const TRIGGER = "TriggerSmartContract"

t.test("conditions read a call's bytes, and the arguments of a TRC-20 function", async (t) => {
  const args = `${contract}.contract_call_args`
  for (const condition of [
    `${contract}.contract_address == '${text58(TOKEN)}' && ${contract}.data[0..8] == 'a9059cbb'`,
    `${contract}.call_value == 3 && ${contract}.call_token_value == 4 && ${contract}.token_id == 1000001`,
    `${contract}.function_name == 'transfer' && ${contract}.function_signature == 'a9059cbb'`,
    `${args}['to'] == '${text58(PAYEE)}' && ${args}['value'] == 1000000000000000000000000`,
  ]) {
    const values = call(payment, { call_value: 3, call_token_value: 4, token_id: 1_000_001 })
    t.equal(facts(condition, TRIGGER, values), true, condition)
  }
  const from = encodeFunctionData({
    abi: TRC20,
    functionName: "transferFrom",
    args: [payeeOfCall, payeeOfCall, 1n],
  })
  t.equal(
    facts(`${args}['from'] == ${args}['to'] && ${args}['value'] == 1`, TRIGGER, call(from.slice(2))),
    true,
  )
  const approval = encodeFunctionData({ abi: TRC20, functionName: "approve", args: [payeeOfCall, 1n] })
  t.equal(facts(`${args}['spender'] == '${text58(PAYEE)}'`, TRIGGER, call(approval.slice(2))), true)
  for (const [other, signature] of [
    ["deadbeef", "deadbeef"],
    ["deadbeef00", "deadbeef"],
    ["a9059c", ""],
    ["", ""],
  ])
    t.equal(
      facts(
        `${contract}.function_name == '' && ${contract}.function_signature == '${signature}'`,
        TRIGGER,
        call(other!),
      ),
      true,
    )
  t.equal(facts(`${args}['value'] == 1`, TRIGGER, call("deadbeef")), "missing-key")
})

t.test("a DENY can name every function, also those that raise an allowance", async (t) => {
  const raise = new Interface(["function increaseApproval(address spender, uint256 value)"])
  const data = raise.encodeFunctionData("increaseApproval", [payeeOfCall, 2n ** 255n]).slice(2)
  for (const condition of [
    `${contract}.function_signature == 'd73dd623'`,
    `${contract}.function_name == 'increaseApproval' && ${contract}.contract_call_args['value'] > 1000000`,
    "tron.tx.contract.any(c, c.function_signature in ['d73dd623', '39509351'])",
  ])
    t.equal(facts(condition, TRIGGER, call(data)), true, condition)
  const sent = new Interface(["function transferAndCall(address to, uint256 value, bytes data)"])
  const payload = sent.encodeFunctionData("transferAndCall", [payeeOfCall, 1n, "0xABCD"]).slice(2)
  const condition = `${contract}.contract_call_args['to'] == '${text58(PAYEE)}' && ${contract}.contract_call_args['data'] == 'abcd'`
  t.equal(facts(condition, TRIGGER, call(payload)), true, "bytes without 0x")
})

t.test("an address with 41 in front is the same, any other bits are refused", async (t) => {
  const args = `${contract}.contract_call_args`
  const spelled = (bits: string) => payment.replace(`${"00".repeat(12)}2222`, `${bits}2222`)
  const condition = `${args}['to'] == '${text58(PAYEE)}'`
  t.equal(facts(condition, TRIGGER, call(spelled(`${"00".repeat(11)}41`))), true)
  for (const bad of [
    spelled(`${"00".repeat(11)}42`),
    spelled(`01${"00".repeat(11)}`),
    payment.slice(0, -2),
  ]) {
    const refusal = refusalOf(() => facts(condition, TRIGGER, call(bad)))
    t.equal(refusal?.code, "TRANSACTION_INVALID")
    t.match(refusal?.message, /the call does not fit transfer\(address,uint256\): /)
  }
})

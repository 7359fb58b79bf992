import t from "tap"
import { type Field, fieldNotUsed } from "../../../../signer/core/policy/expression.ts"
import { nameOfType, type Type } from "../../../../signer/core/policy/language/types.ts"
import { parametersByType } from "../../../../signer/core/modules/parameters.ts"
import { CONTRACTS } from "../../../../signer/core/transaction/tron/contracts.ts"
import { namespaces } from "../../../../signer/core/policy/namespaces/index.ts"
import { faultOf, resultOf } from "./language/helpers.ts"

/** A test that is true or false, of every simple value below a path; with the name that lambdas on the way bind. */
function* testsOf(path: string, type: Type, depth = 0): Generator<string> {
  switch (type.kind) {
    case "bool":
      yield path
      return
    case "int":
    case "uint":
      yield `${path} > 0`
      return
    case "string":
      yield `${path} == 'x'`
      return
    case "timestamp":
      yield `${path} > Timestamp('2026-01-01T00:00:00Z')`
      return
    case "list":
      for (const test of testsOf(`v${depth}`, type.of, depth + 1)) {
        if (depth < 2) yield `${path}.any(v${depth}, ${test})`
        else yield `${path}.count() > 0`
      }
      return
    case "map":
      yield* testsOf(`${path}['k']`, type.of, depth)
      return
    case "struct":
      for (const [name, field] of Object.entries(type.fields)) yield* testsOf(`${path}.${name}`, field, depth)
      return
    case "dynamic":
      yield `${path} == 1`
      return
    default:
      return type satisfies never
  }
}

t.test("every field of every root can be read in the field it belongs to, and in no other", async (t) => {
  let count = 0
  for (const { field, roots } of Object.values(namespaces)) {
    for (const [root, type] of Object.entries(roots)) {
      for (const test of testsOf(root, type)) {
        count += 1
        t.equal(faultOf(test, field)?.message, undefined, test)
        for (const other of Object.keys(namespaces) as Field[]) {
          if (other !== field) t.ok(faultOf(test, other), `${test} as ${other}`)
        }
      }
    }
  }
  t.ok(count > 150, `${count} fields`)
})

t.test("other spellings of a field read the same field", async (t) => {
  const tx = {
    account_keys: ["a"],
    program_keys: ["p"],
    instructions: [{ program_key: "p", parsed_instruction_data: { named_accounts: { owner: "o" } } }],
  }
  for (const text of [
    "solana.tx.static_account_keys.contains('a') && solana.tx.account_keys.contains('a')",
    "solana.tx.top_level_program_keys[0] == solana.tx.program_keys[0]",
    "solana.tx.top_level_instructions.all(i, i.program_key == 'p')",
    "solana.tx.instructions[0].parsed_instruction_data.named_account['owner'] == 'o'",
    "solana.tx.instructions[0].parsed_instruction_data.named_accounts['owner'] == 'o'",
  ]) {
    t.equal(resultOf(text, { "solana.tx": tx }), true, text)
  }
})

t.test("the activity's type decides which parameters it shows", async (t) => {
  t.strictSame(Object.keys(parametersByType["CREATE_API_KEYS_V2"]!.fields), ["user_id"])
  t.notOk(parametersByType["CREATE_POLICY_V3"])
})

t.test("a parameter has one type in every activity", async (t) => {
  const types = new Map<string, string>()
  for (const [activity, { fields }] of Object.entries(parametersByType)) {
    for (const [name, type] of Object.entries(fields)) {
      t.equal(nameOfType(type), types.get(name) ?? nameOfType(type), `${activity}: ${name}`)
      types.set(name, nameOfType(type))
    }
  }
})

t.test("fields of other contract types are not used", async (t) => {
  const contract = [{ type: "TransferContract", amount: 5, contract_address: fieldNotUsed }]
  const roots = { "tron.tx": { contract } }
  t.equal(resultOf("tron.tx.contract[0].amount < 6", roots), true)
  t.match(resultOf("tron.tx.contract[0].contract_address == 'T'", roots), { reason: "field-not-used" })
})

t.test("the values of a contract's type are the contracts that are signed", async (t) => {
  t.match(namespaces.condition.roots["tron.tx"], {
    fields: { contract: { of: { fields: { type: { values: Object.keys(CONTRACTS) } } } } },
  })
})

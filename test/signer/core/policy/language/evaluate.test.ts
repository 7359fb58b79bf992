import t from "tap"
import { Budget, compile, evaluate, fieldNotUsed } from "../../../../../signer/core/policy/expression.ts"
import { rootReader, resultOf, type Plain } from "./helpers.ts"
import { roots } from "./roots.ts"

const TRUE: { [what: string]: string[] } = {
  "and, or, not": [
    "true",
    "true && true",
    "false || true",
    "!false",
    "!!true",
    "!(true && false)",
    "true || false && false",
    "!false && true",
  ],
  "equality of booleans, strings and integers": [
    "true == true",
    "true != false",
    "'a' == 'a'",
    "'a' != 'A'",
    "1 == 1",
    "007 == 7",
    "1 != 2",
    "wallet.imported",
    "wallet.imported == true",
    "!wallet.exported",
    "eth.tx.from == eth.tx.to",
  ],
  "order of integers": [
    "1 < 2",
    "2 > 1",
    "2 <= 2",
    "2 >= 2",
    "!(2 < 2)",
    "!(2 > 2)",
    "eth.tx.value > 999999999999999999",
    "eth.tx.value <= 1000000000000000000",
    "eth.tx.contract_call_args['amount'] > 170141183460469231731687303715884105727",
    "eth.tx.contract_call_args['low'] < 0",
    "115792089237316195423570985008687907853269984665640564039457584007913129639935 > eth.tx.value",
  ],
  "integers in quotes against an integer field": [
    "eth.tx.chain_id == '1'",
    "'1' == eth.tx.chain_id",
    "eth.tx.value > '5'",
    "eth.tx.chain_id in ['1', '2']",
    "eth.tx.chain_id == '01'",
    "eth.tx.chain_id < '115792089237316195423570985008687907853269984665640564039457584007913129639935'",
    "eth.tx.chain_id in ['1', '340282366920938463463374607431768211456']",
    "!(eth.tx.chain_id in ['340282366920938463463374607431768211456', '2'])",
  ],
  "integers in quotes against a value known at evaluation": [
    "eth.tx.contract_call_args['index'] == '1'",
    "'01' == eth.tx.contract_call_args['index']",
    "eth.tx.contract_call_args['index'] != '2'",
    "eth.tx.contract_call_args['index'] < '2' && '0' < eth.tx.contract_call_args['index']",
    "eth.tx.contract_call_args['low'] == '-5' && eth.tx.contract_call_args['low'] < '-4'",
    "eth.tx.contract_call_args['index'] in ['2', '1'] && !(eth.tx.contract_call_args['index'] in ['2', '3'])",
    "['1', '2'].contains(eth.tx.contract_call_args['index'])",
    "'1' in [eth.tx.value, eth.tx.contract_call_args['index']] && '2' in [eth.tx.value, 2]",
    "'3' in eth.tx.contract_call_args['call'][2] && eth.tx.contract_call_args['call'][2].any(x, x == '3')",
    "eth.tx.contract_call_args['call'].any(x, true) && eth.tx.contract_call_args['text'] != '5'",
  ],
  membership: [
    "1 in [1, 2]",
    "!(3 in [1, 2])",
    "'a' in activity.params.user_ids",
    "activity.params.user_ids.contains('b')",
    "!activity.params.user_ids.contains('c')",
    "!(1 in [])",
    "![].contains('a')",
    "true in [false, true]",
    "eth.tx.nonce in [340282366920938463463374607431768211456, 0]",
    "eth.tx.nonce in [0, 340282366920938463463374607431768211456]",
    "[340282366920938463463374607431768211456, 1].all(x, x > 0) && [1, 340282366920938463463374607431768211456].all(x, x > 0)",
    "[1, 2].contains(2)",
    "activity.action in ['SIGN', 'EXPORT']",
    "'0xab' in eth.tx.contract_call_args['path']",
    "eth.tx.contract_call_args['path'].contains('0xab')",
    "eth.tx.contract_call_args['text'] in ['Abc', 'x']",
    "1 in [0, eth.tx.chain_id]",
  ],
  "any, all, filter, count": [
    "[1, 2].any(x, x == 2)",
    "![1, 2].any(x, x == 3)",
    "[1, 2].all(x, x > 0)",
    "![1, 2].all(x, x > 1)",
    "[].all(x, x == 1)",
    "![].any(x, x == 1)",
    "[1, 2, 3].filter(x, x > 1).count() == 2",
    "[1, 2, 3].filter(x, x > 1)[0] == 2",
    "[1, 2].count == 2",
    "[].count() == 0",
    "activity.params.user_ids.count() == 2",
    "[true, true].all(x, x)",
    "[1, 2].any(x, [2, 3].any(y, x == y))",
    "[1, 2].any(x, [5].any(x, x == 5) && x == 2)",
    "[[1], [2, 3]].any(x, x.count() == 2)",
    "eth.tx.contract_call_args['calls'].all(c, c[1] > 0)",
    "eth.tx.contract_call_args['calls'].filter(c, c[0] == 'x').count() == 1",
  ],
  "indexes and slices": [
    "[1, 2][1] == 2",
    "'abc'[0] == 'a'",
    "'abc'[2] == 'c'",
    "'abc'[0..2] == 'ab'",
    "'abc'[1..1] == ''",
    "'abc'[0..3] == 'abc'",
    "'abc'[3..3] == ''",
    "[1, 2, 3][1..3].count() == 2",
    "[1, 2, 3][1..3][0] == 2",
    "eth.tx.data[0..10] == '0xa9059cbb'",
    "eth.tx.to[0..4] == '0xDa'",
    "eth.tx.to[2] == 'D'",
    "eth.tx.contract_call_args['call'][0] == 'x'",
    "eth.tx.contract_call_args['call'][2][1] == 3",
    "eth.tx.contract_call_args['call'][0..2].count() == 2",
    "eth.tx.contract_call_args['text'][1..3] == 'bc'",
    "[7, 8][eth.tx.chain_id] == 8",
    "[7, 8][eth.tx.contract_call_args['index']] == 8",
    "'a\u{1f511}b'[1] == '\u{1f511}'",
    "'a\u{1f511}b'[2..3] == 'b'",
  ],
  "keys of maps": [
    "eth.tx.contract_call_args['text'] == 'Abc'",
    "eth.tx.contract_call_args[''] == 'empty'",
    "eth.tx.contract_call_args['flag']",
    "!(eth.tx.contract_call_args['flag'] == false)",
    "eth.tx.contract_call_args[eth.tx.contract_call_args['key']] == 'Abc'",
    "secret.static_properties['kind'] == 'k'",
  ],
  "texts without case": [
    "eth.tx.to == '0xDAC17F958D2EE523A2206206994597C13D831EC7'",
    "'0xdac17f958d2ee523a2206206994597c13d831ec7' == eth.tx.to",
    "eth.tx.to != '0xdac17f958d2ee523a2206206994597c13d831ec8'",
    "eth.tx.to in ['0xdac17f958d2ee523a2206206994597c13d831ec7']",
    "[eth.tx.to].contains('0xdac17f958d2ee523a2206206994597c13d831ec7')",
    "eth.tx.contract_call_args['to'] == '0xdac17f958d2ee523a2206206994597c13d831ec7'",
    "eth.tx.contract_call_args['to'] == eth.tx.from",
    "!(eth.tx.contract_call_args['text'] == 'abc')",
    "!(wallet.label == 'main')",
    "CaseInsensitiveString(wallet.label) == 'main'",
    "CaseInsensitiveString(wallet.label) == CaseInsensitiveString('MAIN')",
    "CaseInsensitiveString(eth.tx.contract_call_args['text']) == 'abc'",
    "CaseInsensitiveString('\u212a') != 'k'",
  ],
  "space between words": [
    "\n\t true\r\n&&\ttrue\v\f",
    "eth . tx\n.\tnonce==0",
    "[ 1 ,2 ] . count ( )==2",
    "!\ntrue||true",
  ],
  "lists of lists, maps and structs": [
    "[eth.tx.contract_call_args, eth.tx.contract_call_args].count() == 2",
    "[wallet, wallet].all(w, w.id == 'w')",
    "[[1], []].count() == 2",
  ],
  structs: [
    "{ __proto__: 1, constructor: 2 }.__proto__ == 1",
    "{ id: 'abc', n: 1 }.id == 'abc'",
    "[{ n: 1 }, { n: 2 }].any(x, x.n == 2)",
  ],
}

for (const [what, texts] of Object.entries(TRUE)) {
  t.test(`evaluates ${what}`, async (t) => {
    for (const text of texts) t.equal(resultOf(text, roots), true, text)
  })
}

t.test("a negation is the opposite of its operand", async (t) => {
  for (const text of Object.values(TRUE).flat()) t.equal(resultOf(`!(${text})`, roots), false, text)
})

t.test(
  "an optional field that the request omits and a field that it cannot have give different faults",
  async (t) => {
    const params: Plain = { slippage_bps: fieldNotUsed }
    const result = resultOf("activity.params.slippage_bps > 100", { activity: { action: "CREATE", params } })
    t.match(result, { reason: "field-not-used", sentence: /slippage_bps/ })
  },
)

t.test("values of roots must have their declared types and ranges", async (t) => {
  const eth = (value: Plain) => ({ "eth.tx": { value } })
  t.equal(resultOf("eth.tx.value > 0", eth(2n ** 127n - 1n)), true)
  t.equal(resultOf("eth.tx.value < 0", eth(-(2n ** 127n))), true)
  t.match(resultOf("eth.tx.value > 0", eth(2n ** 127n)), { reason: "number-range" })
  t.match(resultOf("eth.tx.value > 0", eth(-(2n ** 127n) - 1n)), { reason: "number-range" })
  t.match(resultOf("eth.tx.value > 0", eth("5")), { reason: "type-mismatch" })
  const swap = (value: Plain) => ({ activity: { params: { input_amount: value } } })
  t.equal(resultOf("activity.params.input_amount > 0", swap(2n ** 256n - 1n)), true)
  t.match(resultOf("activity.params.input_amount > 0", swap(2n ** 256n)), { reason: "number-range" })
  t.match(resultOf("activity.params.input_amount > 0", swap(-1)), { reason: "number-range" })
  t.match(resultOf("activity.params.input_amount > 0", swap("")), { reason: "type-mismatch" })
  const call = (value: Plain) => ({ "eth.tx": { contract_call_args: { x: value } } })
  t.equal(resultOf("eth.tx.contract_call_args['x'] > 0", call(2n ** 256n - 1n)), true)
  t.match(resultOf("eth.tx.contract_call_args['x'] > 0", call(2n ** 256n)), { reason: "number-range" })
  t.equal(resultOf("eth.tx.contract_call_args['x'] < 0", call(-(2n ** 255n))), true)
  t.match(resultOf("eth.tx.contract_call_args['x'] < 0", call(-(2n ** 255n) - 1n)), {
    reason: "number-range",
  })
  t.match(resultOf("wallet.id == 'a'", { wallet: "a" }), { reason: "type-mismatch" })
  t.match(resultOf("wallet.id == 'a'", { wallet: { id: 5 } }), { reason: "type-mismatch" })
  t.match(resultOf("wallet.imported", { wallet: { imported: "yes" } }), { reason: "type-mismatch" })
  t.match(resultOf("eth.tx.to == ''", { "eth.tx": { to: true } }), { reason: "type-mismatch" })
  t.match(resultOf("private_key.tags.count() == 0", { private_key: { tags: "none" } }), {
    reason: "type-mismatch",
  })
  t.match(resultOf("private_key.tags[0] == ''", { private_key: { tags: [5] } }), { reason: "type-mismatch" })
  t.match(resultOf("private_key.tags.contains('')", { private_key: { tags: [5] } }), {
    reason: "type-mismatch",
  })
  t.match(resultOf("private_key.tags.any(x, true)", { private_key: { tags: [5] } }), {
    reason: "type-mismatch",
  })
  t.match(resultOf("activity.params.type == 'a'", { activity: { params: [] } }), { reason: "type-mismatch" })
})

t.test("an exception of a root reader is not a fault of the expression", async (t) => {
  const broken = () => {
    throw new Error("broken")
  }
  t.throws(() => evaluate(compile("wallet.id == 'a'", "condition"), broken, new Budget()), {
    message: "broken",
  })
})

t.test("reads each root once, and none that the expression does not name", async (t) => {
  const asked: string[] = []
  const environment = rootReader(roots)
  const compiled = compile("wallet.id == 'w' && wallet.label == 'Main' && eth.tx.nonce == 0", "condition")
  t.strictSame([...compiled.roots], ["wallet", "eth.tx"])
  evaluate(compiled, (root) => (asked.push(root), environment(root)), new Budget())
  t.strictSame(asked, ["wallet", "eth.tx"])
})

t.test("a consensus reads approvers and their credentials", async (t) => {
  const approving: { [root: string]: Plain } = {
    approvers: [
      { id: "u1", tags: ["a"], email: "", alias: "" },
      { id: "u2", tags: ["a", "b"], email: "", alias: "" },
    ],
    credentials: [{ id: "c", user_id: "u1", type: "CREDENTIAL_TYPE_LOGIN", public_key: "k" }],
  }
  for (const text of [
    "approvers.any(u, u.id == 'u2')",
    "approvers.filter(u, u.tags.contains('a')).count() >= 2",
    "approvers.filter(u, u.tags.contains('b')).count() == 1",
    "credentials.any(c, c.type == 'CREDENTIAL_TYPE_LOGIN')",
    "approvers.count() == 2",
  ]) {
    t.equal(resultOf(text, approving, "consensus"), true, text)
  }
  t.match(resultOf("credentials.any(c, c.credential_id == 'x')", approving, "consensus"), {
    reason: "missing-field",
  })
})

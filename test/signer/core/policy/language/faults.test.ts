import t from "tap"
import type { Field } from "../../../../../signer/core/policy/expression.ts"
import { faultOf, textAt } from "./helpers.ts"

type Row = [
  text: string,
  kind: string,
  at: string,
  details: { expected?: RegExp; found?: RegExp; message?: RegExp },
  field?: Field,
]

const SYNTAX: readonly Row[] = [
  ["", "syntax", "", { expected: /a value/, found: /the end/ }],
  ["  ", "syntax", "", { found: /the end/ }],
  ["wallet.id ==", "syntax", "", { expected: /a value/, found: /the end/ }],
  ["== 'a'", "syntax", "==", { expected: /a value/ }],
  ["wallet.id == 'a", "syntax", "'a", { expected: /'/ }],
  ['wallet.id == "a"', "syntax", '"', {}],
  ["wallet.id == \u2018a\u2019", "syntax", "\u2018", {}],
  ["wallet.id = 'a'", "syntax", "=", {}],
  ["true & true", "syntax", "&", {}],
  ["true | true", "syntax", "|", {}],
  ["true and true", "syntax", "and", {}],
  ["true or true", "syntax", "or", {}],
  ["not true", "syntax", "true", { expected: /an operator/ }],
  ["true; true", "syntax", ";", {}],
  ["eth.tx.value == -1", "syntax", "-", {}],
  ["eth.tx.value + 1 == 2", "syntax", "+", {}],
  ["true ? true : false", "syntax", "?", {}],
  ["true // yes", "syntax", "/", {}],
  ["\u{1f511}", "syntax", "\u{1f511}", { found: /\u{1f511}/u }],
  ["true\u00a0&& true", "syntax", "\u00a0", {}],
  ["0x10 == 16", "syntax", "0x10", {}],
  ["1e18 == 1", "syntax", "1e18", {}],
  ["1_000 == 1", "syntax", "1_000", {}],
  ["1.5 == 1", "syntax", "5", { expected: /field or method/ }],
  ["1 < 2 < 3", "syntax", "<", {}],
  ["true == true == true", "syntax", "==", {}],
  ["(true", "syntax", "", { expected: /\)/ }],
  ["true)", "syntax", ")", { expected: /an operator/ }],
  ["[1, 2", "syntax", "", { expected: /\]/ }],
  ["1 in [1,]", "syntax", "]", { expected: /a value/ }],
  ["1 in [,1]", "syntax", ",", { expected: /a value/ }],
  ["'a'[0..] == ''", "syntax", "]", { expected: /a value/ }],
  ["'a'[..1] == ''", "syntax", "..", { expected: /a value/ }],
  ["'a'[] == ''", "syntax", "]", { expected: /a value/ }],
  ["wallet. == 'a'", "syntax", "==", { expected: /field or method/ }],
  ["wallet.in == 'a'", "syntax", "in", { expected: /field or method/ }],
  ["[1].any(x)", "syntax", ")", { expected: /,/ }],
  ["[1].any(1, true)", "syntax", "1", { expected: /variable/ }],
  ["[1].any(true, true)", "syntax", "true", { expected: /variable/ }],
  ["[1].any()", "syntax", ")", { expected: /variable/ }],
  ["[1].contains()", "syntax", ")", { expected: /a value/ }],
  ["[1].count(x, x == 1) == 1", "syntax", "x", {}],
  ["[1].some(x, x == 1)", "syntax", "some", {}],
  ["eth.tx.data.startsWith('0x')", "syntax", "startsWith", {}],
  ["eth.tx.data[0..64].hex_to_uint() > 1", "syntax", "hex_to_uint", {}],
  ["contains([1], 1)", "syntax", "contains", {}],
  ["lower(wallet.label) == 'a'", "syntax", "lower", {}],
  ["{ a: 1, }.a == 1", "syntax", "}", { expected: /name of a field/ }],
  ["{} == 1", "syntax", "}", { expected: /name of a field/ }],
]

const NAMES: readonly Row[] = [
  ["wallet_account.path == ''", "unknown-field", "path", { message: /^field does not exist: path$/ }],
  ["private_key.address == ''", "unknown-field", "address", { message: /^field does not exist: address$/ }],
  ["eth.tx.gasPrice > 1", "unknown-field", "gasPrice", {}],
  ["eth.tx.chainId == 1", "unknown-field", "chainId", {}],
  ["eth.tx.vlaue == 1", "unknown-field", "vlaue", {}],
  ["eth.tx.input == ''", "unknown-field", "input", {}],
  ["eth.tx.gas_limit > 1", "unknown-field", "gas_limit", {}],
  ["solana.tx.instructions.any(i, i.program_id == '')", "unknown-field", "program_id", {}],
  ["solana.tx.instructions.any(i, i.data == '')", "unknown-field", "data", {}],
  ["activity.Type == 'a'", "unknown-field", "Type", {}],
  ["activity.params.userId == 'a'", "unknown-field", "userId", {}],
  ["activity.toString == 'a'", "unknown-field", "toString", {}],
  ["activity.__proto__ == 'a'", "unknown-field", "__proto__", {}],
  ["walet.id == 'a'", "unknown-field", "walet", {}],
  ["toString == 'a'", "unknown-field", "toString", {}],
  ["eth.txx.to == 'a'", "unknown-field", "txx", {}],
  ["eth.eip712.primary_type == 'a'", "unknown-field", "eip712", {}],
  ["eth == 'a'", "type", "eth", { expected: /eth\.tx/ }],
  ["x == 1", "unknown-field", "x", {}],
  ["[1].any(x, y == 1)", "unknown-field", "y", {}],
  ["[1].any(x, true) && x == 1", "unknown-field", "x", {}],
  ["approvers.any(u, u.id == 'a')", "unknown-field", "approvers", {}],
  ["time.now == 1", "unknown-field", "time", {}],
  ["activity.action == 'SIGN'", "unknown-field", "activity", {}, "consensus"],
  ["eth.tx.value > 1", "unknown-field", "eth", {}, "time"],
  ["approvers.any(u, u.name == 'a')", "unknown-field", "name", {}, "consensus"],
]

const TYPES: readonly Row[] = [
  ["1", "type", "1", { expected: /bool/, found: /int/ }],
  ["'true'", "type", "'true'", { expected: /bool/, found: /string/ }],
  ["[true]", "type", "[true]", { expected: /bool/, found: /list<bool>/ }],
  ["activity", "type", "activity", { found: /Activity/ }],
  ["1 && true", "type", "1", { expected: /bool/, found: /int/, message: /^&& takes/ }],
  ["true || 'a'", "type", "'a'", { expected: /bool/, found: /string/, message: /^\|\| takes/ }],
  [
    "[eth.tx.contract_call_args, secret.static_properties].count() == 2",
    "type",
    "secret.static_properties",
    {},
  ],
  ["[wallet, private_key].count() == 2", "type", "private_key", {}],
  ["[wallet, 1].count() == 2", "type", "1", {}],
  ["!1", "type", "1", { expected: /bool/ }],
  ["!eth.tx.to in ['a']", "type", "eth.tx.to", { expected: /bool/ }],
  ["eth.tx.value == 'abc'", "type", "'abc'", { expected: /int/, found: /string/ }],
  ["eth.tx.value == '1.5'", "type", "'1.5'", {}],
  ["eth.tx.value == ''", "type", "''", {}],
  ["eth.tx.value == '0x1'", "type", "'0x1'", {}],
  [
    "eth.tx.value == '115792089237316195423570985008687907853269984665640564039457584007913129639936'",
    "type",
    "'115792089237316195423570985008687907853269984665640564039457584007913129639936'",
    {},
  ],
  ["eth.tx.to == 1", "type", "1", { expected: /string/, found: /int/ }],
  ["1 == '1'", "type", "'1'", {}],
  ["true == 1", "type", "1", { expected: /bool/ }],
  ["wallet.label < 'b'", "type", "wallet.label", { expected: /int/ }],
  ["true < false", "type", "true", {}],
  ["1 < 'a'", "type", "'a'", {}],
  ["[1] == [1]", "type", "[1]", { found: /list<int>/ }],
  ["wallet == wallet", "type", "wallet", { found: /Wallet/ }],
  ["eth.tx.contract_call_args == 1", "type", "eth.tx.contract_call_args", { found: /map/ }],
  ["[1, 'a'].count() == 2", "type", "'a'", { expected: /int/, found: /string/ }],
  ["[[1], ['a']].count() == 2", "type", "['a']", {}],
  ["[{ a: 1 }, { b: 1 }].count() == 2", "type", "{ b: 1 }", {}],
  ["{ a: 1, a: 2 }.a == 1", "type", "a", {}],
  ["1 in 1", "type", "1", { expected: /list/ }],
  ["1 in ['a']", "type", "'a'", {}],
  ["'a' in [1, 2]", "type", "1", {}],
  ["'a' in eth.tx.data", "type", "eth.tx.data", { expected: /list/ }],
  ["eth.tx.data.contains('a')", "type", "eth.tx.data", { expected: /list/, found: /string/ }],
  ["private_key.tags.contains(1)", "type", "1", {}],
  ["wallet.label.count() == 1", "type", "wallet.label", { expected: /list/ }],
  ["wallet.any(x, true)", "type", "wallet", { expected: /list/ }],
  ["[1].any(x, x)", "type", "x", { expected: /bool/ }],
  ["[1].any(wallet, true)", "type", "wallet", { expected: /another name/ }],
  ["[1].any(approvers, true)", "type", "approvers", { expected: /another name/ }],
  ["[1]['a'] == 1", "type", "'a'", { expected: /int/ }],
  ["'abc'['a'] == 'a'", "type", "'a'", { expected: /int/ }],
  ["eth.tx.contract_call_args[0] == 1", "type", "0", { expected: /string/ }],
  ["eth.tx.contract_call_args['a'][true] == 1", "type", "true", { expected: /int or string/ }],
  ["eth.tx['to'] == 'a'", "type", "'to'", {}],
  ["1[0] == 1", "type", "1", {}],
  ["1[0..1] == 1", "type", "1", { expected: /list or string/ }],
  ["'abc'['a'..2] == 'a'", "type", "'a'", { expected: /int/ }],
  ["'abc'[2..1] == 'a'", "type", "'abc'[2..1]", {}],
  ["eth.tx.contract_call_args.to == 'a'", "type", "to", {}],
  ["eth.tx.contract_call_args['a'].b == 'a'", "type", "b", {}],
  ["secret.static_properties.kind == 'a'", "type", "kind", {}],
  ["solana.tx.transfers.length == 1", "type", "length", {}],
  ["wallet.id.length == 1", "type", "length", {}],
  ["CaseInsensitiveString(1) == 'a'", "type", "1", { expected: /string/ }],
  ["CaseInsensitiveString() == 'a'", "type", "CaseInsensitiveString()", { expected: /1/, found: /0/ }],
  ["CaseInsensitiveString('a', 'b') == 'a'", "type", "CaseInsensitiveString('a', 'b')", { found: /2/ }],
  ["CronSpan('* * * * *', '1h', 'UTC')", "type", "CronSpan", { found: /condition/ }],
  ["Timestamp('2026-01-01T00:00:00Z') == 1", "type", "Timestamp", { found: /condition/ }],
]

const sections: [title: string, rows: readonly Row[]][] = [
  ["refuses what is no sentence, and points at the first token that does not fit", SYNTAX],
  ["refuses names that do not exist, in the words that clients match", NAMES],
  ["refuses operands of the wrong type, and says which would be right", TYPES],
]

for (const [title, rows] of sections) {
  t.test(title, async (t) => {
    for (const [text, kind, at, details, field = "condition"] of rows) {
      const fault = faultOf(text, field)
      t.equal(fault?.kind, kind, `${text}: ${fault?.message}`)
      t.equal(textAt(text, fault?.place), at, `${text} points`)
      t.match({ ...fault?.place, message: fault?.message }, details, `${text} tells`)
      t.notOk(fault?.message.includes("\n"), "in one line")
    }
  })
}

t.test("the first of two mistakes is reported", async (t) => {
  t.equal(
    textAt(
      "wallet.nope == 1 && wallet.neither == 2",
      faultOf("wallet.nope == 1 && wallet.neither == 2")?.place,
    ),
    "nope",
  )
  t.equal(textAt("true & & 'a", faultOf("true & & 'a")?.place), "&")
})

t.test("messages quote little of any text", async (t) => {
  const name = "x".repeat(128)
  const fault = faultOf(`[1].${name}(1)`)
  t.ok((fault?.message.length ?? 9999) < 100)
  t.ok((fault?.place.found?.length ?? 9999) < 100)
  t.ok((faultOf(`true \u0007\n`)?.message.length ?? 9999) < 100)
})

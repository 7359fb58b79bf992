import t from "tap"
import { suggestionFor, withSuggestion } from "../../../services/policy-advice/suggestions.ts"
import type { Field } from "../../../signer/core/policy/expression.ts"
import { faultOf } from "../../signer/core/policy/language/helpers.ts"

const rows: readonly [text: string, suggestion: RegExp, field?: Field][] = [
  ["wallet.id == 'a", /single quotes/],
  ['wallet.id == "a"', /single quotes/],
  ["wallet.id == \u2018a\u2019", /straight/],
  ["wallet.id = 'a'", /==/],
  ["true & true", /&&/],
  ["true | true", /\|\|/],
  ["true and true", /&&/],
  ["true or true", /\|\|/],
  ["not true", /written !/],
  ["true; true", /no end mark/],
  ["eth.tx.value == -1", /no arithmetic/],
  ["eth.tx.value + 1 == 2", /no arithmetic/],
  ["true ? true : false", /conditional/],
  ["true // yes", /comment/],
  ["0x10 == 16", /decimal/],
  ["1e18 == 1", /decimal/],
  ["1_000 == 1", /decimal/],
  ["1 < 2 < 3", /do not chain/],
  ["true == true == true", /parentheses/],
  ["[1].count(x, x == 1) == 1", /filter/],
  ["[1].some(x, x == 1)", /any/],
  ["eth.tx.data.startsWith('0x')", /slice/],
  ["eth.tx.data[0..64].hex_to_uint() > 1", /hexadecimal/],
  ["contains([1], 1)", /method of lists/],
  ["lower(wallet.label) == 'a'", /CaseInsensitiveString/],
  ["eth.tx.gasPrice > 1", /^gas_price$/],
  ["eth.tx.chainId == 1", /^chain_id$/],
  ["eth.tx.vlaue == 1", /^value$/],
  ["eth.tx.input == ''", /^data$/],
  ["eth.tx.gas_limit > 1", /^gas$/],
  ["solana.tx.instructions.any(i, i.program_id == '')", /^program_key$/],
  ["solana.tx.instructions.any(i, i.data == '')", /instruction_data_hex/],
  ["activity.Type == 'a'", /^type$/],
  ["activity.params.userId == 'a'", /^user_id$/],
  ["walet.id == 'a'", /^wallet$/],
  ["eth.txx.to == 'a'", /^tx$/],
  ["eth.eip712.primary_type == 'a'", /^eip_712$/],
  ["[1].any(x, y == 1)", /^x$/],
  ["approvers.any(u, u.id == 'a')", /consensus/],
  ["time.now == 1", /time expression/],
  ["activity.action == 'SIGN'", /condition/, "consensus"],
  ["eth.tx.value > 1", /condition/, "time"],
  ["eth.tx['to'] == 'a'", /^\.to$/],
  ["eth.tx.contract_call_args.to == 'a'", /^\['to'\]$/],
  ["eth.tx.contract_call_args['a'].b == 'a'", /^\['b'\]$/],
  ["secret.static_properties.kind == 'a'", /^\['kind'\]$/],
  ["solana.tx.transfers.length == 1", /count/],
  ["wallet.id.length == 1", /count/],
  [
    "019b76da-a800-7000-8000-000000000001",
    /^text stands in quotes: approvers\.any\(u, u\.id == '019b76da-a800-7000-8000-000000000001'\)$/,
    "consensus",
  ],
  ["abcdef12-a800-7000-8000-000000000001", /approvers\.any\(u, u\.id == 'abcdef12/, "consensus"],
  [
    "approvers.any(u, u.id == 019b76da-a800-7000-8000-000000000001)",
    /^text stands in quotes: '019b76da-a800-7000-8000-000000000001'$/,
    "consensus",
  ],
  ["wallet.id == 019b76da-a800-7000-8000-000000000001", /^text stands in quotes: '019b76da/],
]

t.test("suggests what the author of a refused expression probably meant", async (t) => {
  for (const [text, suggestion, field] of rows) {
    const fault = faultOf(text, field)
    t.match(fault && suggestionFor(fault, text, field), suggestion, text)
  }
})

t.test("suggests nothing where no name is near and nothing is known of the word", async (t) => {
  for (const text of ["activity.toString == 'a'", "x == 1", "(true", "1 && true", "true\u00a0&& true"]) {
    const fault = faultOf(text)
    t.ok(fault, text)
    t.equal(fault && suggestionFor(fault, text), undefined, text)
  }
})

t.test("a sentence asks about a name, and adds a hint in words", async (t) => {
  const unknown = "field does not exist: gasPrice"
  t.equal(withSuggestion(unknown, "gas_price", "unknown-field"), `${unknown}. Did you mean gas_price?`)
  t.equal(withSuggestion("no fields", "['to']", "type"), "no fields; ['to']")
  t.equal(withSuggestion("no fields", undefined, "type"), "no fields")
})

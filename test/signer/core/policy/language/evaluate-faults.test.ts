// Expressions that have no value, each with its fault.
import t from "tap"
import { resultOf, textAt } from "./helpers.ts"
import { roots } from "./roots.ts"

type Row = [text: string, reason: string, at: string]

const FAULTS: readonly Row[] = [
  ["private_key.id == 'a'", "missing-root", "private_key"],
  ["solana.tx.version == 'V0'", "missing-root", "solana.tx"],
  ["activity.params.wallet_id == 'a'", "missing-field", "activity.params.wallet_id"],
  ["eth.tx.gas == 1", "missing-field", "eth.tx.gas"],
  ["eth.tx.contract_call_args['none'] == 1", "missing-key", "eth.tx.contract_call_args['none']"],
  ["eth.tx.contract_call_args['toString'] == 1", "missing-key", "eth.tx.contract_call_args['toString']"],
  ["secret.static_properties['__proto__'] == 'a'", "missing-key", "secret.static_properties['__proto__']"],
  ["eth.tx.contract_call_args['path'][2] == ''", "out-of-range", "eth.tx.contract_call_args['path'][2]"],
  ["[1][1] == 1", "out-of-range", "[1][1]"],
  ["[][0] == 1", "out-of-range", "[][0]"],
  ["'abc'[3] == ''", "out-of-range", "'abc'[3]"],
  ["eth.tx.data[0..15] == ''", "out-of-range", "eth.tx.data[0..15]"],
  ["eth.tx.data[15..15] == ''", "out-of-range", "eth.tx.data[15..15]"],
  ["[1, 2][0..3].count() == 2", "out-of-range", "[1, 2][0..3]"],
  ["[7][eth.tx.contract_call_args['low']] == 1", "out-of-range", "[7][eth.tx.contract_call_args['low']]"],
  ["'abc'[1..eth.tx.nonce] == ''", "out-of-range", "'abc'[1..eth.tx.nonce]"],
  [
    "[1][115792089237316195423570985008687907853269984665640564039457584007913129639935] == 1",
    "out-of-range",
    "[1][115792089237316195423570985008687907853269984665640564039457584007913129639935]",
  ],
  ["eth.tx.contract_call_args['text'] == 1", "type-mismatch", "eth.tx.contract_call_args['text'] == 1"],
  [
    "eth.tx.contract_call_args['amount'] == '0x1'",
    "type-mismatch",
    "eth.tx.contract_call_args['amount'] == '0x1'",
  ],
  ["eth.tx.contract_call_args['text'] > '1'", "type-mismatch", "eth.tx.contract_call_args['text'] > '1'"],
  [
    "['1', '2'].any(x, x == eth.tx.contract_call_args['amount'])",
    "type-mismatch",
    "x == eth.tx.contract_call_args['amount']",
  ],
  ["eth.tx.contract_call_args['text'] > 1", "type-mismatch", "eth.tx.contract_call_args['text'] > 1"],
  ["eth.tx.contract_call_args['flag'] == 1", "type-mismatch", "eth.tx.contract_call_args['flag'] == 1"],
  ["eth.tx.contract_call_args['path'] == 'a'", "type-mismatch", "eth.tx.contract_call_args['path'] == 'a'"],
  [
    "eth.tx.contract_call_args['text']['a'] == 'a'",
    "type-mismatch",
    "eth.tx.contract_call_args['text']['a']",
  ],
  [
    "eth.tx.contract_call_args['call']['to'] == 'a'",
    "type-mismatch",
    "eth.tx.contract_call_args['call']['to']",
  ],
  [
    "eth.tx.contract_call_args['amount'][0] == 'a'",
    "type-mismatch",
    "eth.tx.contract_call_args['amount'][0]",
  ],
  [
    "eth.tx.contract_call_args['flag'][0..1] == 'a'",
    "type-mismatch",
    "eth.tx.contract_call_args['flag'][0..1]",
  ],
  [
    "'abc'[0..eth.tx.contract_call_args['text']] == 'a'",
    "type-mismatch",
    "'abc'[0..eth.tx.contract_call_args['text']]",
  ],
  ["eth.tx.contract_call_args['text'].count() == 1", "type-mismatch", "eth.tx.contract_call_args['text']"],
  ["eth.tx.contract_call_args['text'].any(x, x == 1)", "type-mismatch", "eth.tx.contract_call_args['text']"],
  ["'a' in eth.tx.contract_call_args['text']", "type-mismatch", "eth.tx.contract_call_args['text']"],
  [
    "eth.tx.contract_call_args['call'].contains('x')",
    "type-mismatch",
    "eth.tx.contract_call_args['call'].contains('x')",
  ],
  ["eth.tx.contract_call_args['text'] && true", "type-mismatch", "eth.tx.contract_call_args['text']"],
  ["!eth.tx.contract_call_args['text']", "type-mismatch", "eth.tx.contract_call_args['text']"],
  ["eth.tx.contract_call_args['text']", "type-mismatch", "eth.tx.contract_call_args['text']"],
  [
    "CaseInsensitiveString(eth.tx.contract_call_args['flag']) == 'a'",
    "type-mismatch",
    "CaseInsensitiveString(eth.tx.contract_call_args['flag'])",
  ],
]

t.test("an expression has no value where a part has none, and the fault points at the part", async (t) => {
  for (const [text, reason, at] of FAULTS) {
    const result = resultOf(text, roots)
    if (typeof result === "boolean") t.fail(`${text} gives ${result}`)
    else t.strictSame([result.reason, textAt(text, result)], [reason, at], text)
  }
})

t.test("a fault names the kind of a value that does not fit", async (t) => {
  const sentences: [text: string, sentence: RegExp][] = [
    ["eth.tx.contract_call_args['text'] == 1", /^a string cannot be compared with an integer$/],
    ["eth.tx.contract_call_args['to'] == 1", /^a string cannot be/],
    ["eth.tx.contract_call_args['flag'] == 1", /^true or false cannot be/],
    ["eth.tx.contract_call_args['path'] == 1", /^a list cannot be/],
    ["eth.tx.contract_call_args['map'] == 1", /^a map cannot be/],
    ["eth.tx.contract_call_args['none'] == 1", /'none'/],
    ["[1][1] == 1", /length is 1$/],
    ["private_key.id == ''", /no private_key$/],
  ]
  for (const [text, sentence] of sentences) t.match(resultOf(text, roots), { sentence }, text)
})

t.test("nothing is skipped: one error anywhere makes the whole an error", async (t) => {
  for (const [text] of FAULTS) {
    const around = [`false && (${text})`, `true || (${text})`, `(${text}) || true`, `!(${text})`]
    const within = [`[1].any(x, x == 2 && (${text}))`, `[1, 2].all(x, x == 2 || (${text}))`]
    for (const whole of [...around, ...within]) t.type(resultOf(whole, roots), "object", whole)
  }
})

t.test("reports the first error in the text, and runs no body for an empty list", async (t) => {
  const first = resultOf("wallet.id == 'x' && eth.tx.gas == 1 && eth.tx.data[5000] == 'a'", roots)
  t.match(first, { reason: "missing-field" })
  t.equal(resultOf("![].any(x, private_key.id == 'a')", roots), true)
  t.match(resultOf("private_key.tags.any(x, x == 'a')", { private_key: { tags: [], id: "k" } }), false)
})

t.test("a root that the request lacks is the fault, wherever its operand stands", async (t) => {
  const reason = (text: string) => resultOf(text, roots)
  const faults = ["eth.tx.gas == 1", "private_key.id == 'a'"]
  for (const operator of [" && ", " || "]) {
    for (const text of [faults.join(operator), faults.toReversed().join(operator)]) {
      t.match(reason(text), { reason: "missing-root", offset: text.indexOf("private_key"), length: 11 }, text)
    }
  }
  const inLambda = "['a'].any(x, private_key.id == x)"
  t.match(reason(`eth.tx.gas == 1 || ${inLambda}`), { reason: "missing-field" }, "a lambda may not read it")
})

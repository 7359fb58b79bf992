// Expressions that no request makes true: times that are over, and parts that contradict each other.
import t from "tap"
import { lint } from "../../../services/policy-advice/lint.ts"
import { compile } from "../../../signer/core/policy/expression.ts"
import { textAt } from "../../signer/core/policy/language/helpers.ts"

const EVM = "833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const NOW = { nowMs: Date.UTC(2027, 5, 1) }

t.test("times that are over, and windows that end before they begin, are pointed at", async (t) => {
  const [past, future] = ["Timestamp('2027-01-01T00:00:00Z')", "Timestamp('2028-01-01T00:00:00Z')"]
  const rows: [text: string, at: string, sentence: RegExp][] = [
    [
      `time.now < ${past}`,
      `time.now < ${past}`,
      /never true again: it was over at 2027-01-01T00:00:00\.000Z/,
    ],
    [`${past} >= time.now`, `${past} >= time.now`, /never true again/],
    [`time.now > ${past} && time.now <= ${past}`, `time.now <= ${past}`, /never true again/],
    [
      `time.now > ${future} && time.now < ${future}`,
      `time.now > ${future} && time.now < ${future}`,
      /before it begins/,
    ],
    [`!(time.now > ${past})`, `time.now > ${past}`, /never true again/],
    [`!(time.now < ${future} || time.now > ${past})`, `time.now > ${past}`, /never true again/],
    [`time.now == ${past}`, `time.now == ${past}`, /never true again/],
    ["CronSpan('0 9 30 2 *', '1h', 'UTC')", "CronSpan('0 9 30 2 *', '1h', 'UTC')", /no month/],
    ["CronSpan('0 9 31 4,6,9 *', '1h', 'UTC')", "CronSpan('0 9 31 4,6,9 *', '1h', 'UTC')", /no month/],
  ]
  for (const [text, at, sentence] of rows) {
    const found = lint(compile(text, "time"), NOW).find((one) => sentence.test(one.sentence))
    t.equal(textAt(text, found), at, text)
  }
  for (const text of [
    `time.now < ${future}`,
    `time.now > ${past}`,
    `time.now > ${past} && time.now < ${future}`,
    `!(time.now < ${past})`,
    `!(time.now > ${future} && time.now < ${future})`,
    `time.now != ${past}`,
    `time.now == ${future}`,
    "CronSpan('0 9 29 2 *', '1h', 'UTC')",
    "CronSpan('0 9 31 4 1', '1h', 'UTC')",
    "!CronSpan('0 9 30 2 *', '1h', 'UTC')",
  ])
    t.strictSame(lint(compile(text, "time"), NOW), [], text)
  t.strictSame(lint(compile(`time.now < ${past}`, "time")), [], "the present is not known")
})

t.test("parts of an && that contradict each other are pointed at", async (t) => {
  const found = (text: string) =>
    lint(compile(text, "condition")).map((one) => [textAt(text, one), one.sentence])
  const twice = "eth.tx.chain_id == 1 && eth.tx.chain_id == 137"
  t.same(found(twice), [
    [twice, "never true: eth.tx.chain_id cannot be 1 and 137 at once; write ||, or two policies"],
  ])
  for (const [text, sentence] of [
    ["eth.tx.value > 5 && eth.tx.value < 6", "never true: eth.tx.value cannot be at least 6 and at most 5"],
    ["(eth.tx.value > 5 && eth.tx.nonce == 1) && 5 >= eth.tx.value", "cannot be at least 6 and at most 5"],
    ["eth.tx.value >= 7 && 6 == eth.tx.value", "cannot be at least 7 and at most 6"],
    ["tron.tx.contract.any(c, c.amount == 1 && c.amount == 2)", "c.amount cannot be 1 and 2 at once"],
    ["activity.action == 'SIGN' && activity.action == 'EXPORT'", "cannot be 'SIGN' and 'EXPORT' at once"],
  ] as const) {
    const sentences = found(text).map(([, one = ""]) => one)
    t.equal(sentences.length, 1, text)
    t.match(sentences[0], sentence)
  }
  for (const text of [
    "eth.tx.value > 5 && eth.tx.value < 7",
    "eth.tx.value >= 5 && eth.tx.value <= 5 && eth.tx.value == 5",
    "eth.tx.value != 5 && eth.tx.value != 6",
    "eth.tx.chain_id == 1 || eth.tx.chain_id == 137",
    `eth.tx.to == '0x${EVM}' && eth.tx.to == '0x${EVM.toLowerCase()}'`,
    "activity.action == 'SIGN' && (activity.action == 'EXPORT' || eth.tx.value > 1)",
    "tron.tx.contract.any(c, c.amount == 1) && tron.tx.contract.any(c, c.amount == 2)",
  ])
    t.same(found(text), [], text)
})

import t, { type Test } from "tap"
import { Budget, Caseless, compile, evaluate } from "../../../../../signer/core/policy/expression.ts"
import {
  CHARACTERS_PER_STEP,
  MAX_DEPTH,
  MAX_LIST_ITEMS,
  MAX_NAME_LENGTH,
  MAX_NODES,
  MAX_STEPS,
  MAX_STEPS_PER_REQUEST,
  MAX_TEXT_BYTES,
} from "../../../../../signer/core/policy/language/limits.ts"
import { rootReader, faultOf, resultOf, type Plain } from "./helpers.ts"

/** Accepted at the limit, refused one beyond. */
function boundary(t: Test, what: string, most: number, textOf: (size: number) => string): void {
  t.equal(faultOf(textOf(most))?.message, undefined, `${what}: ${most} fit`)
  t.equal(faultOf(textOf(most + 1))?.kind, "bound", `${what}: ${most + 1} do not`)
}

t.test("refuses a text over 16 KiB of UTF-8", async (t) => {
  boundary(t, "spaces", MAX_TEXT_BYTES, (size) => "true".padEnd(size))
  boundary(t, "characters of one byte", MAX_TEXT_BYTES, (size) =>
    `'${"a".repeat(size - 8)}' != ''`.padEnd(size),
  )
  const wide = (count: number) => `'${"\u20ac".repeat(count)}' != ''`
  const most = Math.floor((MAX_TEXT_BYTES - 8) / 3)
  boundary(t, "characters of three bytes", most, wide)
})

t.test("refuses a tree that is too deep, whatever it nests", async (t) => {
  boundary(t, "parentheses", MAX_DEPTH - 1, (size) => `${"(".repeat(size)}true${")".repeat(size)}`)
  boundary(t, "negations", MAX_DEPTH - 1, (size) => `${"!".repeat(size)}true`)
  boundary(t, "indexes", MAX_DEPTH - 3, (size) => `eth.tx.contract_call_args${"['a']".repeat(size)}`)
  boundary(t, "lists", MAX_DEPTH - 3, (size) => `${"[".repeat(size)}1${"]".repeat(size)}.count() == 1`)
  boundary(t, "structs", MAX_DEPTH - 4, nestedStructs)
  const long = Array.from({ length: 600 }, () => "true").join(" && ")
  t.equal(faultOf(long), undefined, "a long chain of && is not deep")
})

/** A struct in a struct, of which the outermost is in a list. */
function nestedStructs(size: number): string {
  return `[${"{a:".repeat(size)}1${"}".repeat(size)}].count() == 1`
}

t.test("no nesting overflows the stack, however deep", async (t) => {
  const many = 8_000
  for (const text of [
    "(".repeat(many),
    "!".repeat(many),
    "[".repeat(many),
    "{a:".repeat(5_000),
    `'a'${"[0]".repeat(5_000)}`,
    "[1].any(x,".repeat(1_500),
    "a.".repeat(many),
    "CaseInsensitiveString(".repeat(700),
  ]) {
    t.ok(["bound", "syntax"].includes(faultOf(text)?.kind ?? ""), text.slice(0, 20))
  }
})

t.test("refuses a tree with too many nodes", async (t) => {
  // A membership has four nodes, the chain around all is one.
  const nodesOf = (size: number) => {
    const item = "1 in[1]"
    const parts: string[] = []
    let nodes = 1
    for (; nodes + 4 <= size; nodes += 4) parts.push(item)
    for (; nodes < size; nodes += 1) parts.push("true")
    return parts.join("||")
  }
  boundary(t, "nodes", MAX_NODES, nodesOf)
})

t.test("refuses a list literal that is too long", async (t) => {
  boundary(
    t,
    "elements",
    MAX_LIST_ITEMS,
    (size) => `1 in [${Array.from({ length: size }, () => "1").join(",")}]`,
  )
})

t.test("refuses too many nested lambdas over lists of the request", async (t) => {
  const path = "eth.tx.contract_call_args['a']"
  t.equal(faultOf(`${path}.any(x, x.any(y, y == 1))`), undefined)
  t.equal(faultOf(`${path}.any(x, x.any(y, y.any(z, z == 1)))`)?.kind, "bound")
  t.equal(
    faultOf(`${path}.any(x, x.any(y, [1].any(z, z == y)))`),
    undefined,
    "one that is written out is not counted",
  )
  t.equal(
    faultOf(`${path}.any(x, [1, 2][0..1].filter(q, q > 0).any(y, x.any(z, z == y)))`),
    undefined,
    "nor its parts",
  )
  t.equal(faultOf(`${path}.any(x, [x].any(y, y.any(z, z.any(q, q == 1))))`)?.kind, "bound")
  t.equal(
    faultOf(`${path}.filter(x, x.any(y, y == 1)).all(x, x.any(y, y == 2))`),
    undefined,
    "one after another is",
  )
})

t.test("refuses a name that is too long", async (t) => {
  boundary(t, "letters", MAX_NAME_LENGTH, (size) => `[1].any(${"x".repeat(size)}, true)`)
  const unknown = faultOf(`wallet.${"x".repeat(MAX_NAME_LENGTH)} == 1`)
  t.equal(unknown?.message, `field does not exist: ${"x".repeat(MAX_NAME_LENGTH)}`)
})

t.test("refuses an integer over 256 bits", async (t) => {
  const most = 2n ** 256n - 1n
  t.equal(faultOf(`eth.tx.value < ${most}`), undefined)
  t.equal(faultOf(`eth.tx.value < ${"0".repeat(5_000)}${most}`), undefined)
  t.equal(faultOf(`eth.tx.value < ${most + 1n}`)?.kind, "type")
  t.equal(faultOf(`eth.tx.value < ${"9".repeat(16_000)}`)?.kind, "type")
  t.equal(resultOf(`activity.params.assets == ${most}`, { activity: { params: { assets: most } } }), true)
})

const tags = (count: number): { [root: string]: Plain } => ({
  private_key: { tags: Array.from({ length: count }, (_, index) => `t${index}`) },
})

t.test("an evaluation ends at its limit of steps", async (t) => {
  const text = "private_key.tags.all(x, x != '')"
  t.equal(resultOf(text, tags(1_000)), true)
  t.match(resultOf(text, tags(MAX_STEPS)), { reason: "budget" })
  t.match(resultOf("private_key.tags.any(x, private_key.tags.contains(x))", tags(400)), { reason: "budget" })
  t.match(resultOf("private_key.tags.contains('none')", tags(MAX_STEPS)), { reason: "budget" })
  t.match(resultOf("private_key.tags[0..100001].count() == 1", tags(MAX_STEPS + 1)), { reason: "budget" })
})

t.test("long texts cost by their length", async (t) => {
  const text = "x".repeat(CHARACTERS_PER_STEP * (MAX_STEPS + 1))
  const wallet = { wallet: { id: text, label: `${text.slice(1)}x` } }
  t.match(resultOf("wallet.id == wallet.label", wallet), { reason: "budget" })
  t.match(resultOf("CaseInsensitiveString(wallet.id) == ''", wallet), { reason: "budget" })
  t.match(resultOf("wallet.id in ['', 'a']", wallet), { reason: "budget" })
  t.equal(resultOf("wallet.id == ''", wallet), false, "texts of other lengths are not looked at")
  t.equal(resultOf("wallet.id[0..2] == 'xx'", wallet), true, "a slice copies nothing")
})

/** Steps of an expression on requests with a wallet of this label. */
function costOf(text: string, label: string): number {
  const budget = new Budget()
  evaluate(compile(text, "condition"), rootReader({ wallet: { label, id: "" } }), budget)
  return MAX_STEPS_PER_REQUEST - budget.left
}

t.test("an index or slice costs what it scans: the text up to its end", async (t) => {
  for (const unit of ["x", "\u00e9", "\u20ac", "\u{1f511}"]) {
    const long = unit.repeat(110_000)
    const near = costOf("wallet.label[2] == 'x'", long)
    t.equal(near, costOf("wallet.label[2] == 'x'", unit.repeat(3)), "the rest of a text costs nothing")
    const far = costOf("wallet.label[100000] == 'x'", long)
    t.ok(far - near >= 100_000 / CHARACTERS_PER_STEP, `${far} steps for a character far away`)
    const slice = costOf("wallet.label[99999..100000] == 'x'", long)
    t.ok(slice - near >= 99_999 / CHARACTERS_PER_STEP, `${slice} steps for a slice far away`)
    const twice = costOf("wallet.label[100000] == wallet.label[100000]", long)
    t.ok(twice - near >= 1.9 * (far - near), "each time")
  }
})

t.test("folding the case of a text, and looking a key up, cost by its length", async (t) => {
  const added = (text: string, label: string) => costOf(text, label) - costOf(text, "x")
  const label = "A\u20ac".repeat(8_000)
  t.ok(added("CaseInsensitiveString(wallet.label) == ''", label) >= (2 * label.length) / CHARACTERS_PER_STEP)
  const caseless = (text: string) => new Caseless(text)
  const keyed = (key: string) => {
    const budget = new Budget()
    const roots = rootReader({ "eth.tx": { contract_call_args: { key: caseless(key), one: "x" } } })
    const text = "eth.tx.contract_call_args[eth.tx.contract_call_args['key']] == ''"
    evaluate(compile(text, "condition"), roots, budget)
    return MAX_STEPS_PER_REQUEST - budget.left
  }
  t.ok(keyed(label) - keyed("x") >= label.length / CHARACTERS_PER_STEP - 1)
})

t.test("the sentence about a missing key quotes a short part of it", async (t) => {
  const fault = resultOf("eth.tx.contract_call_args[wallet.label] == ''", {
    "eth.tx": { contract_call_args: {} },
    wallet: { label: "\u0001\u20ac".repeat(100_000) },
  })
  t.match(fault, { reason: "missing-key", sentence: /^there is no key '( \u20ac){20}\.\.\.'$/ })
})

t.test("a CronSpan costs the steps of looking up time zones", async (t) => {
  const span = "CronSpan('0 9 * * 1', '1h', 'UTC')"
  const spans = (count: number) => Array.from({ length: count }, () => span).join("||")
  t.type(resultOf(spans(90), { "time.now": 0 }, "time"), "boolean")
  t.match(resultOf(spans(101), { "time.now": 0 }, "time"), { reason: "budget" })
})

t.test("all evaluations of a request share its steps", async (t) => {
  const compiled = compile("private_key.tags.all(x, x != '')", "condition")
  const environment = rootReader(tags(9_000))
  const budget = new Budget()
  t.equal(budget.left, MAX_STEPS_PER_REQUEST)
  let succeeded = 0
  while ("value" in evaluate(compiled, environment, budget)) succeeded += 1
  t.ok(succeeded >= 10 && succeeded <= 20, `${succeeded} evaluations`)
  t.equal(budget.left, 0)
  t.match(evaluate(compile("true", "condition"), environment, budget), { fault: { reason: "budget" } })
})

t.test("the steps of an evaluation do not depend on the values of its parts", async (t) => {
  const cost = (text: string) => {
    const budget = new Budget()
    evaluate(compile(text, "condition"), rootReader(tags(100)), budget)
    return MAX_STEPS_PER_REQUEST - budget.left
  }
  t.equal(cost("private_key.tags.any(x, x == 't0')"), cost("private_key.tags.any(x, x == 'tt')"))
  t.equal(cost("private_key.tags.contains('t0')"), cost("private_key.tags.contains('tt')"))
  t.equal(cost("true || private_key.tags.contains('t0')"), cost("false || private_key.tags.contains('t0')"))
})

import fc from "fast-check"
import {
  Caseless,
  members,
  type RootReader,
  type Value,
} from "../../../../../signer/core/policy/expression.ts"
import type { Data, Datum, Tree } from "./interpreter.ts"

// Expressions that pass the type check, over a few short texts and small integers, so that equal ones are frequent;
// and values for what they read, of which anything may be missing.

const texts = fc.constantFrom("", "a", "A", "b", "ab", "aB", "1")
const integers = fc.integer({ min: 0, max: 4 })

type Kind = "bool" | "int" | "string" | "ints" | "strings" | "dynamic"

const paths: { readonly [kind in Exclude<Kind, "dynamic">]: readonly string[] } = {
  bool: ["wallet.imported", "wallet.exported", "private_key.imported"],
  int: ["eth.tx.value", "eth.tx.nonce", "bitcoin.tx.fee"],
  string: ["wallet.label", "eth.tx.to", "eth.tx.data", "activity.action", "private_key.label"],
  ints: ["wallet_account.path_indexes"],
  strings: ["private_key.tags", "solana.tx.account_keys"],
}

export const CASELESS: ReadonlySet<string> = new Set(["eth.tx.to"])

const keys = ["one", "two", "three", "none"]

/** Variables are bound by lambdas over lists of their kind; their numbers are made names afterwards. */
type Unbound = Tree | { is: "unbound"; kind: "int" | "string" }

const { tree } = fc.letrec<{ tree: Tree } & { [kind in Kind]: Tree }>((tie) => {
  const of = (kind: Kind): fc.Arbitrary<Tree> => tie(kind)
  const literal = (value: fc.Arbitrary<boolean | number | string>): fc.Arbitrary<Tree> =>
    value.map((one) => ({ is: "literal", value: one }))
  const path = (kind: Exclude<Kind, "dynamic">): fc.Arbitrary<Tree> =>
    fc.constantFrom(...paths[kind]).map((one) => ({ is: "path", path: one }))
  const variable = (kind: "int" | "string"): fc.Arbitrary<Tree> =>
    fc.constant<Unbound>({ is: "unbound", kind }) as unknown as fc.Arbitrary<Tree>
  const two = (kind: Kind) => fc.array(of(kind), { minLength: 2, maxLength: 3 })
  const listed = (kind: "int" | "string", is: "any" | "all" | "filter"): fc.Arbitrary<Tree> =>
    fc.record({
      is: fc.constant(is),
      list: of(`${kind}s`),
      variable: fc.constant(kind),
      body: of("bool"),
    })
  const pieces = (kind: Kind): fc.Arbitrary<Tree> =>
    fc
      .record({ object: of(kind), from: integers, length: fc.integer({ min: 0, max: 2 }) })
      .map(({ object, from, length }) => ({ is: "slice", object, from, to: from + length }))
  const equality = fc.constantFrom("==" as const, "!=" as const)
  const order = fc.constantFrom(
    "==" as const,
    "!=" as const,
    "<" as const,
    ">" as const,
    "<=" as const,
    ">=" as const,
  )
  const comparison = (sign: typeof order | typeof equality, left: Kind, right: Kind): fc.Arbitrary<Tree> =>
    fc.record({ is: fc.constant("compare" as const), sign, left: of(left), right: of(right) })
  const member = (item: Kind, list: Kind): fc.Arbitrary<Tree> =>
    fc.record({ is: fc.constantFrom("in" as const, "contains" as const), item: of(item), list: of(list) })
  const index = (object: Kind): fc.Arbitrary<Tree> =>
    fc.record({ is: fc.constant("bracket" as const), object: of(object), key: of("int") })
  const written = (kind: "int" | "string"): fc.Arbitrary<Tree> =>
    fc.record({ is: fc.constant("list" as const), items: fc.array(of(kind), { maxLength: 3 }) })
  const quoted: fc.Arbitrary<Tree> = fc.record({
    is: fc.constant("compare" as const),
    sign: order,
    left: path("int"),
    right: fc.record({ is: fc.constant("quoted" as const), value: integers }),
  })
  const small = { depthSize: "small" as const, withCrossShrink: true }
  return {
    tree: of("bool"),
    bool: fc.oneof(
      small,
      literal(fc.boolean()),
      path("bool"),
      quoted,
      fc.record({ is: fc.constant("not" as const), operand: of("bool") }),
      fc.record({ is: fc.constantFrom("and" as const, "or" as const), parts: two("bool") }),
      comparison(equality, "string", "string"),
      comparison(equality, "bool", "bool"),
      comparison(order, "int", "int"),
      comparison(order, "dynamic", "int"),
      comparison(equality, "dynamic", "string"),
      comparison(equality, "string", "dynamic"),
      member("string", "strings"),
      member("int", "ints"),
      member("dynamic", "strings"),
      member("string", "dynamic"),
      listed("string", "any"),
      listed("string", "all"),
      listed("int", "any"),
      listed("int", "all"),
    ),
    int: fc.oneof(
      small,
      literal(integers),
      variable("int"),
      path("int"),
      index("ints"),
      fc.record({
        is: fc.constant("count" as const),
        list: fc.oneof(of("strings"), of("ints")),
        bare: fc.boolean(),
      }),
    ),
    string: fc.oneof(
      small,
      literal(texts),
      variable("string"),
      path("string"),
      index("strings"),
      index("string"),
      pieces("string"),
      fc.record({ is: fc.constant("fold" as const), operand: fc.oneof(of("string"), of("dynamic")) }),
    ),
    ints: fc.oneof(small, written("int"), path("ints"), listed("int", "filter"), pieces("ints")),
    strings: fc.oneof(
      small,
      written("string"),
      path("strings"),
      listed("string", "filter"),
      pieces("strings"),
    ),
    dynamic: fc.oneof(
      small,
      fc.constantFrom(...keys).map(
        (key): Tree => ({
          is: "bracket",
          object: { is: "path", path: "eth.tx.contract_call_args" },
          key: { is: "literal", value: key },
        }),
      ),
      index("dynamic"),
      pieces("dynamic"),
    ),
  }
})

/** Expressions that are true or false, with every variable bound. */
export const trees: fc.Arbitrary<Tree> = tree.map((one) => bound(one as Unbound, []))

/** Gives each lambda's variable a name by its depth, and each use the nearest of its kind, or a literal. */
function bound(node: Unbound, scope: readonly { kind: string; name: string }[]): Tree {
  if (node.is === "unbound") {
    const nearest = scope.findLast(({ kind }) => kind === node.kind)
    return nearest
      ? { is: "variable", name: nearest.name }
      : { is: "literal", value: node.kind === "int" ? 1 : "a" }
  }
  if (node.is === "any" || node.is === "all" || node.is === "filter") {
    const name = `v${scope.length}`
    const inner = [...scope, { kind: node.variable, name }]
    return { ...node, variable: name, list: bound(node.list, scope), body: bound(node.body, inner) }
  }
  const parts = Object.entries(node).map(([name, value]: [string, unknown]) => [
    name,
    boundWithin(value, scope),
  ])
  return Object.fromEntries(parts) as Tree
}

function boundWithin(value: unknown, scope: readonly { kind: string; name: string }[]): unknown {
  if (Array.isArray(value)) return value.map((one: Unbound) => bound(one, scope))
  return typeof value === "object" && value !== null ? bound(value as Unbound, scope) : value
}

const text: fc.Arbitrary<Datum> = texts.map((one) => ({ text: one }))
const foldedText: fc.Arbitrary<Datum> = texts.map((one) => ({ text: one, folded: true }))
const argument: fc.Arbitrary<Datum> = fc.oneof(
  text,
  foldedText,
  integers,
  fc.boolean(),
  fc.array(fc.oneof(text, foldedText), { maxLength: 3 }),
  fc.array(fc.oneof(text, integers), { maxLength: 3 }),
)

const valuesByKind: { readonly [kind in keyof typeof paths]: fc.Arbitrary<Datum> } = {
  bool: fc.boolean(),
  int: integers,
  string: text,
  ints: fc.array(integers, { maxLength: 3 }),
  strings: fc.array(text, { maxLength: 3 }),
}

function often(value: fc.Arbitrary<Datum>): fc.Arbitrary<Datum | undefined> {
  return fc.option(value, { nil: undefined, freq: 30 })
}

/** Values of every path, now and then none. */
export const data: fc.Arbitrary<Data> = fc
  .record({
    ...Object.fromEntries(
      Object.entries(paths).flatMap(([kind, names]) =>
        names.map((name) => [
          name,
          often(CASELESS.has(name) ? foldedText : valuesByKind[kind as keyof typeof paths]),
        ]),
      ),
    ),
    "eth.tx.contract_call_args": fc
      .record({ one: argument, two: argument, three: argument }, { requiredKeys: ["one"] })
      .map((found): Datum => ({ byKey: found as { [key: string]: Datum } })),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)))

/** Roots out of full paths: `eth.tx.value` is the member `value` of `eth.tx`. */
export function environmentOf(values: Data): RootReader {
  const roots = new Map<string, { [name: string]: Value }>()
  for (const [path, value] of Object.entries(values)) {
    const words = path.split(".")
    const name = words.pop() ?? ""
    const root = words.join(".")
    roots.set(root, { ...roots.get(root), [name]: valueOf(value) })
  }
  return (root) => {
    const found = roots.get(root)
    return found && members(found)
  }
}

function valueOf(value: Datum): Value {
  if (typeof value === "boolean") return value
  if (typeof value === "number") return BigInt(value)
  if (Array.isArray(value)) return value.map(valueOf)
  if ("text" in value) return value.folded === true ? new Caseless(value.text) : value.text
  return members(Object.fromEntries(Object.entries(value.byKey).map(([key, one]) => [key, valueOf(one)])))
}

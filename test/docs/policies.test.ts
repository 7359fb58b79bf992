import { EXPRESSION_KINDS, isFault } from "../../signer/core/fault.ts"
import t from "tap"
import { compile, type Field, type ExpressionFault } from "../../signer/core/policy/expression.ts"
import {
  CHARACTERS_PER_STEP,
  MAX_DEPTH,
  MAX_LIST_ITEMS,
  MAX_NAME_LENGTH,
  MAX_NESTED_LAMBDAS,
  MAX_NODES,
  MAX_SEARCH_STEPS,
  MAX_STEPS,
  MAX_STEPS_PER_REQUEST,
  MAX_APPROVAL_STEPS,
  STEPS_PER_EVALUATION,
  MAX_TEXT_BYTES,
} from "../../signer/core/policy/language/limits.ts"
import { CRON_STEPS } from "../../signer/core/policy/language/cron.ts"
import {
  type Fields,
  nameOfType,
  type StructType,
  type Type,
} from "../../signer/core/policy/language/types.ts"
import { parametersByType } from "../../signer/core/modules/parameters.ts"
import { namespaces } from "../../signer/core/policy/namespaces/index.ts"
import { blocksOf, proseOf, rowsOf } from "./markdown.ts"

const FILE = "docs/policies.md"
const FIELDS: readonly Field[] = ["condition", "consensus", "time"]

function faultOf(text: string, field: Field): ExpressionFault | undefined {
  try {
    compile(text, field)
    return undefined
  } catch (error) {
    if (isFault(error, ...EXPRESSION_KINDS)) return error
    throw error
  }
}

function isExpression(text: string): boolean {
  return FIELDS.some((field) => faultOf(text, field) === undefined)
}

t.test("every example of a policy is a valid expression", async (t) => {
  const blocks = blocksOf(FILE).filter(
    ({ language, text }) => language === "text" && !text.startsWith("expression ="),
  )
  const examples = blocks.flatMap(({ text }) => text.trim().split("\n\n"))
  t.ok(examples.length >= 7)
  for (const example of examples) t.ok(isExpression(example), example)
})

t.test("every comparison within a sentence is a valid expression", async (t) => {
  const refused = rowsOf(FILE, "Errors when a policy is made").flatMap(([, , example = ""]) =>
    codeOf(example),
  )
  const spans = [...proseOf(FILE).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span)
  const examples = spans.filter((span) => /^[a-z_0-9]+\..* (?:==|>|<) /.test(span) && !refused.includes(span))
  t.ok(examples.length >= 4)
  for (const example of examples) t.ok(isExpression(example), example)
})

t.test("every error in the tables is the one that the evaluator gives", async (t) => {
  const rows = rowsOf(FILE, "Errors when a policy is made").filter(([kind]) => kind !== "kind")
  const shown = rows.flatMap(([kind = "", , example = "", says = ""]) =>
    codeOf(example).map((text) => ({ kind, text, says: says.replaceAll(/<code>|<\/code>/g, "") })),
  )
  t.ok(shown.length >= 9)
  for (const { kind, text, says } of shown) {
    const fault = faultOf(text, text.startsWith("CronSpan") ? "time" : "condition")
    t.equal(fault?.kind, kind, text)
    t.equal(fault?.message, says.replaceAll("&#124;", "|"), text)
  }
})

t.test("every struct lists its declared fields and no other", async (t) => {
  const structs = new Map<string, StructType>()
  for (const { roots } of Object.values(namespaces))
    for (const root of Object.values(roots)) collect(root, structs)
  structs.delete("ActivityParams")
  const written = rowsOf(FILE, "Roots").filter(([name = ""]) => structs.has(name))
  t.strictSame(
    written.map(([name]) => name),
    [...structs.keys()],
  )
  for (const [name = "", cell = ""] of written)
    t.equal(fieldsOf(name, cell), textOf(structs.get(name)?.fields ?? {}), name)
})

t.test("every root variable is listed with its type", async (t) => {
  const rows = new Map(
    rowsOf(FILE, "Roots").map(([root = "", type = ""]) => [codeOf(root)[0], type.replaceAll("`", "")]),
  )
  for (const { field, roots } of Object.values(namespaces)) {
    const listed = rowsOf(FILE).find(([name]) => name === field)?.[2] ?? ""
    t.strictSame(codeOf(listed), Object.keys(roots), field)
    for (const [root, type] of Object.entries(roots)) t.equal(rows.get(root), nameOfType(type), root)
  }
})

t.test("every activity lists its declared parameters", async (t) => {
  const written = new Map(
    rowsOf(FILE, "Roots").flatMap(([names = "", fields = ""]) =>
      names.split(", ").map((name) => [name, fields] as const),
    ),
  )
  for (const [name, { fields }] of Object.entries(parametersByType))
    t.equal(written.get(name), textOf(fields), name)
})

t.test("every limit in the document is the one in the code", async (t) => {
  const limits = rowsOf(FILE, "Limits").map(([, most = ""]) => Number(most.replace(/,/g, "").split(" ")[0]))
  t.strictSame(
    limits.filter((limit) => limit > 0),
    [
      MAX_TEXT_BYTES,
      MAX_DEPTH,
      MAX_NODES,
      MAX_NAME_LENGTH,
      MAX_LIST_ITEMS,
      MAX_NESTED_LAMBDAS,
      MAX_STEPS,
      MAX_STEPS_PER_REQUEST,
      MAX_APPROVAL_STEPS,
      MAX_SEARCH_STEPS,
      MAX_STEPS_PER_REQUEST,
    ],
  )
  const [, ...found] =
    /element or (\d+) characters looked at; a `CronSpan` takes ([\d,]+)\. An evaluation takes (\d+) more/.exec(
      proseOf(FILE),
    ) ?? []
  t.strictSame(
    found.map((steps) => Number(steps.replace(",", ""))),
    [CHARACTERS_PER_STEP, CRON_STEPS, STEPS_PER_EVALUATION],
  )
})

function codeOf(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)
}

/** Fields of a struct: those of its cell, or of a list below the table. */
function fieldsOf(name: string, cell: string): string {
  if (cell !== "below the table") return cell
  const [, list = ""] = new RegExp(`^Fields of ${name}:\n\n((?:- .*\n)+)`, "m").exec(proseOf(FILE)) ?? []
  return list
    .trim()
    .split("\n")
    .map((line) => line.slice(2))
    .join(", ")
}

function collect(type: Type, structs: Map<string, StructType>): void {
  if (type.kind === "list" || type.kind === "map") collect(type.of, structs)
  if (type.kind !== "struct" || structs.has(type.name)) return
  structs.set(type.name, type)
  for (const field of Object.values(type.fields)) collect(field, structs)
}

function textOf(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, type]) => {
      const isCaseless = type.kind === "string" && type.caseless === true
      return `\`${name}: ${nameOfType(type)}\`${isCaseless ? " (caseless)" : ""}`
    })
    .join(", ")
}

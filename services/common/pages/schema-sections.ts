import type { Schema, Schemas } from "../openapi/schemas.ts"
import { html, type Html, prose } from "./html.ts"

/** Names of the schemas that are reached from the roots, nearest first. */
export function reachable(schemas: Schemas, roots: readonly Schema[]): Set<string> {
  const reached = new Set<string>()
  const waiting = roots.flatMap(refsIn)
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (reached.has(name) || schemas[name] === undefined) continue
    reached.add(name)
    waiting.push(...refsIn(schemas[name]))
  }
  return reached
}

/** The schema itself, or the one that it refers to. */
export function schemaNamed(schemas: Schemas, schema: Schema): Schema {
  const [name] = typeof schema["$ref"] === "string" ? refsIn(schema) : []
  return name === undefined ? schema : (schemas[name] ?? {})
}

/** A heading with the schema's name, and its members or values. */
export function schemaSection(name: string, schema: Schema): Html {
  const {
    properties,
    required = [],
    enum: values,
    description = "",
  } = schema as {
    properties?: Schemas
    required?: string[]
    enum?: string[]
    description?: string
  }
  const members = Object.entries(properties ?? {}).map(([member, declared]) =>
    memberRow(member, declared, required.includes(member)),
  )
  const table = html`<div class="scroll"><table><thead><tr><th>Member</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${members}</tbody></table></div>`
  return html`<h2 id="${name}">${name}</h2>${values === undefined ? html`<p>${prose(description)}</p>` : valueList(values, description)}
${members.length > 0 ? table : []}`
}

/** The description of an enumeration has a line for each value. */
function valueList(values: readonly string[], description: string): Html {
  const lines = description.split("\n")
  const meanings = new Map(
    lines.flatMap((line) => [...line.matchAll(/^- `(\w+)`: (.*)$/g)].map(([, name, text]) => [name, text])),
  )
  const intro = lines.filter((line) => !line.startsWith("- ")).join(" ")
  return html`<p>${prose(intro)}</p><ul>${values.map((value) => html`<li><code>${value}</code>${html` ${prose(meanings.get(value) ?? "")}`}</li>`)}</ul>`
}

function memberRow(member: string, schema: Schema, isRequired: boolean): Html {
  const rules = rulesOf(schema)
  const words = [isRequired ? "required" : "", ...rules].filter((text) => text !== "").join(", ")
  return html`<tr><td><code>${member}</code></td><td>${typeOf(schema)}</td><td>${prose(textOf(schema["description"]))}
${words === "" ? [] : html`<span class="rules">${upperFirst(words)}.</span>`}</td></tr>`
}

function typeOf(schema: Schema): Html {
  const [name] = typeof schema["$ref"] === "string" ? refsIn(schema) : []
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`
  if (schema["type"] === "array") return html`list of ${typeOf((schema["items"] ?? {}) as Schema)}`
  const values = schema["additionalProperties"]
  if (values !== undefined) return html`object of ${typeOf(values as Schema)}`
  const choices = schema["anyOf"] as Schema[] | undefined
  if (choices?.every((choice) => "$ref" in choice || "type" in choice) === true)
    return html`${choices.map((choice, index) => html`${index === 0 ? "" : " or "}${typeOf(choice)}`)}`
  return html`${textOf(schema["type"]) || "any JSON"}`
}

const RANGES = [
  ["minItems", "maxItems", "item"],
  ["minLength", "maxLength", "character"],
  ["minimum", "maximum", ""],
] as const

const RULES: { readonly [keyword: string]: string } = {
  format: "format",
  pattern: "pattern",
  const: "always",
}

function rulesOf(schema: Schema): string[] {
  const ranges = RANGES.map(([min, max, noun]) => rangeOf(textOf(schema[min]), textOf(schema[max]), noun))
  const given = Object.entries(RULES).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : [`${words} ${textOf(schema[keyword])}`],
  )
  const { enum: values } = schema as { enum?: string[] }
  const choice = values === undefined ? "" : `one of ${values.join(", ")}`
  return [...ranges, ...given, choice]
}

/** "1 to 256 characters", "at most 5 items", "exactly 1 item", "at least 0"; empty without limits. */
function rangeOf(least: string, most: string, noun: string): string {
  if (least === "" && most === "") return ""
  const numbers =
    least === ""
      ? `at most ${most}`
      : most === ""
        ? `at least ${least}`
        : least === most
          ? `exactly ${most}`
          : `${least} to ${most}`
  if (noun === "") return numbers
  return `${numbers} ${noun}${(most || least) === "1" ? "" : "s"}`
}

const upperFirst = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

/** A keyword's value, if it is a text or a number. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

/** Names of the schemas that a schema refers to, in their order. */
function refsIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return []
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === "x-result") return []
    return keyword === "$ref" ? [String(value).split("/").at(-1) ?? ""] : refsIn(value)
  })
}

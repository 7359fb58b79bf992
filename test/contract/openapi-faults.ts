// Hears the OpenAPI document against the hand-made tables.
import { type Fields, type FieldType, isDocumented, isRequired } from "./tables/field.ts"

type Json = { [name: string]: unknown }

/** Follows references until something else stands there; an empty schema where one leads nowhere. */
export function resolve(document: Json, schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  let found: unknown = document
  for (const step of $ref.slice("#/".length).split("/")) found = (found as Json | undefined)?.[step]
  return found === undefined ? {} : resolve(document, found as Json)
}

export function faultsOfRequest(document: Json, schema: Json, fields: Fields, at = ""): string[] {
  return faultsOfObject(document, schema, fields, "request", at)
}

export function faultsOfReply(document: Json, schema: Json, fields: Fields, at = ""): string[] {
  return faultsOfObject(document, schema, fields, "reply", at)
}

type Side = "request" | "reply"

function faultsOfObject(document: Json, schema: Json, fields: Fields, side: Side, at: string): string[] {
  if (schema["type"] !== "object") return [`${at || "schema"}: ${String(schema["type"])} instead of object`]
  const { properties = {}, required = [] } = schema as { properties?: Json; required?: string[] }
  const path = (name: string) => (at ? `${at}.${name}` : name)
  const faults: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const described = properties[name] as Json | undefined
    if (described === undefined) {
      if (isDocumented(field)) faults.push(`${path(name)}: not described`)
      continue
    }
    faults.push(...faultsOfType(document, described, field.type, side, path(name)))
    const isNeeded = required.includes(name)
    const isAsTold =
      side === "request" ? isNeeded === isRequired(field) : isNeeded || field.presence !== "required"
    if (!isAsTold)
      faults.push(`${path(name)}: ${isNeeded ? "required" : "optional"}, but ${field.presence} by the table`)
  }
  for (const name of Object.keys(properties)) if (!(name in fields)) faults.push(`${path(name)}: in no table`)
  return faults
}

function faultsOfType(document: Json, described: Json, type: FieldType, side: Side, at: string): string[] {
  const schema = resolve(document, described)
  const expect = (name: string) =>
    schema["type"] === name ? [] : [`${at}: ${String(schema["type"])} instead of ${name}`]
  switch (type.kind) {
    case "string":
    case "boolean":
    case "object":
      return expect(type.kind)
    case "number":
      return expect("integer")
    case "timestamp":
      return [
        ...expect("object"),
        ...faultsOfObject(document, schema, { seconds: decimal, nanos: decimal }, "reply", at),
      ]
    case "enum":
      return [...expect("string"), ...faultsOfValues(schema, type.values, type.beyond, at)]
    case "enumByPrefix":
      return [...expect("string"), ...faultsOfValues(schema, type.values, [], at)]
    case "openEnum": {
      const pattern = new RegExp(String(schema["pattern"]))
      return [
        ...expect("string"),
        ...type.values.filter((value) => !pattern.test(value)).map((value) => `${at}: ${value} refused`),
      ]
    }
    case "list":
      if (schema["type"] !== "array") return expect("array")
      return faultsOfType(document, schema["items"] as Json, type.of, side, `${at}[]`)
    case "record":
      return faultsOfObject(document, schema, type.fields, side, at)
    default:
      return type satisfies never
  }
}

const decimal = { type: { kind: "string" }, presence: "required" } as const

function faultsOfValues(
  schema: Json,
  documented: readonly string[],
  beyond: readonly string[],
  at: string,
): string[] {
  const described = (schema["enum"] ?? []) as string[]
  return [
    ...documented
      .filter((value) => !described.includes(value))
      .map((value) => `${at}: ${value} not described`),
    ...described
      .filter((value) => !documented.includes(value) && !beyond.includes(value))
      .map((value) => `${at}: ${value} in no table`),
  ]
}

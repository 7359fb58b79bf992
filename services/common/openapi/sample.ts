// A body that satisfies a schema: its required members.
import type { Schema, Schemas } from "./schemas.ts"

/** Values of members by their names, in one schema (`Activity.createdAt`) or in any; and the text of names, which are unique in an organization. */
export type SampleValues = {
  readonly members: { readonly [member: string]: unknown }
  readonly name: string
  /** A text for a member whose schema accepts any; undefined: no better one than "example". */
  readonly textOf?: (member: string) => string | undefined
}

/** Members whose declared form does not suffice to invent a sample. */
const EXAMPLES: { readonly [schemaAndMember: string]: unknown } = {
  "SignRawPayloadIntentV2.payload": "pay the supplier",
  "SignRawPayloadIntentV2.encoding": "PAYLOAD_ENCODING_TEXT_UTF8",
  "SignRawPayloadIntentV2.hashFunction": "HASH_FUNCTION_KECCAK256",
  "WalletAccountParams.path": "m/44'/60'/0'/0/0",
  "WalletAccountParams.addressFormat": "ADDRESS_FORMAT_ETHEREUM",
}

/** One value of each form of text: the first that the schema accepts is taken. */
const TEXTS = [
  "example",
  "1",
  "someone@example.com",
  "+15555550100",
  "00000000-0000-4000-8000-000000000000",
  "eip155:1",
  "solana:mainnet",
  `sha256:${"0".repeat(64)}`,
  `02${"0".repeat(64)}`,
  `04${"0".repeat(128)}`,
  "",
]

const FORMATS: { readonly [format: string]: RegExp } = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^[^@]+@[^@]+$/,
  "date-time": /^\d{4}-/,
}

/** @throws TypeError for a schema that this module has no value for */
export function sampleOf(schemas: Schemas, schema: Schema, values: SampleValues): unknown {
  return valueOf({ schemas, values }, schema, "")
}

type Source = { schemas: Schemas; values: SampleValues }

/** `place`: name of the schema and of the member, for examples. */
function valueOf(source: Source, schema: Schema, place: string): unknown {
  const { schemas, values } = source
  const name = refName(schema)
  if (name !== undefined) return valueOf(source, schemas[name] ?? {}, isObject(schemas[name]) ? name : place)
  if ("const" in schema) return schema["const"]
  switch (schema["type"]) {
    case "object":
      return objectOf(source, schema, place)
    case "array":
      return [valueOf(source, schema["items"] as Schema, place)]
    case "boolean":
      return schema["default"] ?? false
    case "integer":
      return schema["minimum"] ?? 0
    case "string":
      return (schema["enum"] as string[] | undefined)?.[0] ?? textFor(schema, place, values)
    case undefined: {
      const choices = (schema["anyOf"] ?? schema["oneOf"]) as Schema[] | undefined
      return choices?.[0] === undefined ? {} : valueOf(source, choices[0], place)
    }
    default:
      throw new TypeError(`${place}: no sample of type ${String(schema["type"])}`)
  }
}

function objectOf(source: Source, schema: Schema, place: string): { [member: string]: unknown } {
  const properties = (schema["properties"] ?? {}) as Schemas
  const required = (schema["required"] ?? []) as string[]
  return Object.fromEntries(
    required.map((member) => {
      const inside = `${place}.${member}`
      return [
        member,
        EXAMPLES[inside] ??
          source.values.members[inside] ??
          source.values.members[member] ??
          valueOf(source, properties[member] ?? {}, inside),
      ]
    }),
  )
}

function textFor(schema: Schema, place: string, { name, textOf }: SampleValues): string {
  const wanted = textOf?.(place.slice(place.lastIndexOf(".") + 1))
  if (wanted !== undefined && accepts(schema, wanted)) return wanted
  const text = TEXTS.find((one) => accepts(schema, one))
  if (text === undefined) throw new TypeError(`${place}: no sample fits ${JSON.stringify(schema)}`)
  return text === "example" && place.endsWith("Name") ? name : text
}

function accepts(schema: Schema, text: string): boolean {
  const { pattern, format, minLength = 0, maxLength = Infinity, anyOf } = schema as StringSchema
  if (text.length < minLength || text.length > maxLength) return false
  if (pattern !== undefined && !new RegExp(pattern).test(text)) return false
  if (format !== undefined && FORMATS[format]?.test(text) !== true) return false
  return anyOf === undefined || anyOf.some((one) => accepts(one, text))
}

type StringSchema = {
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  anyOf?: Schema[]
}

function refName(schema: Schema): string | undefined {
  const target = schema["$ref"]
  return typeof target === "string" ? target.split("/").at(-1) : undefined
}

function isObject(schema: Schema | undefined): boolean {
  return schema?.["type"] === "object"
}

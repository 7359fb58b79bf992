// JSON Schemas (2020-12, as OpenAPI 3.1 uses them) of the messages and enumerations of the public interface.
import { type DescEnum, type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf"
import { COMMENTS } from "./comments.ts"
import { type FieldRule, Form, rule as ruleOption } from "../../../proto/gen/countersign/api/v1/options_pb.ts"

export type Schema = { [name: string]: unknown }
export type Schemas = { [name: string]: Schema }

/** Changes to schemas for rules that proto cannot express, by message, or by message and JSON name of a field. */
export type Amendments = { readonly [messageOrField: string]: (made: Schema) => Schema }

/**
 * Makes the schemas of all messages reachable from the roots. In messages of requests the members are required whose
 * rule says so. In all other messages the members are required that replies always have: times, and members that are
 * neither `optional` nor a message.
 */
export function schemasOf(
  requests: readonly DescMessage[],
  replies: readonly DescMessage[],
  amendments: Amendments,
): Schemas {
  const inRequests = reachableFrom(requests)
  const messages = reachableFrom([...requests, ...replies])
  const schemas: Schemas = {}
  const add = (name: string, schema: Schema) => {
    if (name in schemas) throw new TypeError(`two messages or enums of the interface have the name ${name}`)
    schemas[name] = schema
  }
  for (const message of messages)
    add(message.name, messageSchema(message, inRequests.has(message), amendments))
  for (const enumeration of enumerationsOf(messages)) add(enumeration.name, enumSchema(enumeration))
  return Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

function messageSchema(message: DescMessage, isRequest: boolean, amendments: Amendments): Schema {
  const isNeeded = isRequest ? isRequiredByRule : isAlwaysWritten
  const required = message.fields.filter(isNeeded).map(({ jsonName }) => jsonName)
  const properties = message.fields.map((field): [string, Schema] => {
    const schema = fieldSchema(field)
    const amended = amendments[`${message.name}.${field.jsonName}`]?.(schema) ?? schema
    return [field.jsonName, described(amended, commentOf(message, field.name))]
  })
  const isChoice = message.oneofs.length === 1 && message.fields.every((field) => field.oneof !== undefined)
  const schema = {
    type: "object",
    ...(required.length > 0 ? { required } : {}),
    properties: Object.fromEntries(properties),
    ...(isChoice ? { maxProperties: 1 } : {}),
  }
  return described(amendments[message.name]?.(schema) ?? schema, commentOf(message))
}

/** The comment of a declaration of the public interface, or of a part of it; empty where there is none. */
export function commentOf({ typeName }: { typeName: string }, part = ""): string {
  const name = typeName.replace(/^countersign\.api\.v1\./, "")
  return COMMENTS[part === "" ? name : `${name}.${part}`] ?? ""
}

/** The schema with its comment before the description that it has. */
function described(schema: Schema, comment: string): Schema {
  const own = typeof schema["description"] === "string" ? [schema["description"]] : []
  const description = [comment, ...own].filter((text) => text !== "").join(" ")
  return description === "" ? schema : { ...schema, description }
}

function isRequiredByRule(field: DescField): boolean {
  return getOption(field, ruleOption).required
}

function isAlwaysWritten(field: DescField): boolean {
  if (field.oneof !== undefined) return false
  return field.fieldKind === "message" ? isTimestamp(field.message) : !field.proto.proto3Optional
}

function isTimestamp({ name, file }: DescMessage): boolean {
  return name === "Timestamp" && file.proto.package.startsWith("countersign.")
}

function fieldSchema(field: DescField): Schema {
  const rule = getOption(field, ruleOption)
  switch (field.fieldKind) {
    case "list":
      return {
        type: "array",
        items: valueSchema(field, rule),
        ...(rule.minItems > 0 ? { minItems: rule.minItems } : {}),
        ...(rule.maxItems > 0 ? { maxItems: rule.maxItems } : {}),
      }
    case "map":
      return {
        type: "object",
        additionalProperties: valueSchema(field, rule),
        ...(rule.maxItems > 0 ? { maxProperties: rule.maxItems } : {}),
      }
    case "scalar":
    case "enum":
    case "message":
      return valueSchema(field, rule)
    default:
      return field satisfies never
  }
}

function valueSchema({ message, enum: enumeration, scalar }: DescField, rule: FieldRule): Schema {
  if (message !== undefined) return wellKnownSchemas[message.typeName] ?? reference(message.name)
  if (enumeration !== undefined) return reference(enumeration.name)
  switch (scalar) {
    case ScalarType.BOOL:
      return { type: "boolean" }
    case ScalarType.STRING:
      return stringSchema(rule)
    case ScalarType.INT32:
    case ScalarType.UINT32: {
      const isBounded = rule.maxValue !== 0
      return { type: "integer", ...(isBounded ? { minimum: rule.minValue, maximum: rule.maxValue } : {}) }
    }
    default:
      throw new TypeError("the public interface has no field of this type")
  }
}

const wellKnownSchemas: Schemas = {
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
}

function stringSchema(rule: FieldRule): Schema {
  return {
    type: "string",
    ...(rule.minLength > 0 ? { minLength: rule.minLength } : {}),
    ...(rule.maxLength > 0 ? { maxLength: rule.maxLength } : {}),
    ...(rule.in.length > 0 ? { enum: rule.in } : {}),
    ...(rule.orEmpty
      ? { anyOf: [{ maxLength: 0 }, formSchemas.get(rule.form)] }
      : formSchemas.get(rule.form)),
    ...(rule.maxDecimal > 0n ? boundedDecimal(rule.maxDecimal) : {}),
  }
}

/** JSON Schema cannot compare strings as numbers: the pattern bounds the digits, the description names the maximum. */
function boundedDecimal(greatest: bigint): Schema {
  const digits = String(greatest).length
  return { pattern: `^[1-9][0-9]{0,${digits - 1}}$`, description: `At most ${greatest}.` }
}

const formSchemas: ReadonlyMap<Form, Schema> = new Map([
  [Form.UUID, { format: "uuid" }],
  [Form.HEX, { pattern: "^([0-9a-fA-F]{2})*$" }],
  [Form.POSITIVE_DECIMAL, { pattern: "^[1-9][0-9]{0,18}$" }],
  [Form.DECIMAL, { pattern: "^(0|[1-9][0-9]{0,18})$" }],
  [Form.E164, { pattern: "^\\+[1-9][0-9]{6,14}$" }],
  [Form.EMAIL, { format: "email" }],
  [Form.FINGERPRINT, { pattern: "^sha256:[0-9a-f]{64}$" }],
  [Form.COMPRESSED_P256, { pattern: "^0[23][0-9a-fA-F]{64}$" }],
  [Form.API_KEY, { pattern: "^(0[23])?[0-9a-fA-F]{64}$" }],
  [Form.UNCOMPRESSED_P256, { pattern: "^04[0-9a-fA-F]{128}$" }],
  [Form.EIP155_CHAIN, { pattern: "^eip155:[1-9][0-9]{0,18}$" }],
  [Form.SOLANA_CHAIN, { pattern: "^solana:[-_0-9a-zA-Z]{1,64}$" }],
  [Form.UINT128, { pattern: "^(0|[1-9][0-9]{0,38})$" }],
  [Form.UINT256, { pattern: "^(0|[1-9][0-9]{0,77})$" }],
  [Form.USD, { pattern: "^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$" }],
])

function enumSchema(enumeration: DescEnum): Schema {
  const names = enumeration.values.filter(({ number }) => number !== 0).map(({ name }) => name)
  const meanings = names.map((name) => `- \`${name}\`: ${commentOf(enumeration, name)}`)
  const description = [commentOf(enumeration), "", ...meanings].join("\n")
  return described({ type: "string", enum: names }, description)
}

function reachableFrom(roots: readonly DescMessage[]): Set<DescMessage> {
  const reached = new Set<DescMessage>()
  const waiting = [...roots]
  for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
    if (reached.has(message) || message.typeName in wellKnownSchemas) continue
    reached.add(message)
    for (const field of message.fields) if (field.message !== undefined) waiting.push(field.message)
  }
  return reached
}

function enumerationsOf(messages: Iterable<DescMessage>): Set<DescEnum> {
  const all = [...messages].flatMap(({ fields }) => fields)
  return new Set(all.flatMap((field) => (field.enum === undefined ? [] : [field.enum])))
}

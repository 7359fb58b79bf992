// Hears proto/ against the hand-made tables: names, JSON types, requiredness and values of one message.
import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf"
import { rule } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { faultOfString } from "../../proto/rules.ts"
import { type Field, type Fields, type FieldType, isDocumented, isRequired } from "./tables/field.ts"

/**
 * Requests have required members by option. Replies always carry what is not marked optional; where the document
 * is silent, only live replies tell (replies.ts).
 */
export type Side = "request" | "reply"

/**
 * Departures of a message from the document's table. Members of the message that no table knows
 * are faults: a misspelt optional member would otherwise pass as a new one.
 */
export function faultsOfMessage(
  message: DescMessage,
  fields: Fields,
  side: Side,
  at = message.name,
): string[] {
  const faults: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    const declared = findField(message, name)
    if (declared === undefined) {
      if (isDocumented(field)) faults.push(`${at}.${name}: not declared`)
      continue
    }
    faults.push(...faultsOfField(declared, field, side, `${at}.${name}`))
  }
  for (const declared of message.fields) {
    if (!(declared.jsonName in fields) && !(declared.name in fields))
      faults.push(`${at}.${declared.jsonName}: declared, but in no table`)
  }
  return faults
}

/** proto names count as well: two members of the proxy are written so in the document. */
export function findField(message: DescMessage, name: string): DescField | undefined {
  return message.fields.find((field) => field.jsonName === name || field.name === name)
}

/** The values that a field takes: those of its enumeration, or those that its rule allows. */
export function valuesOf(field: DescField): string[] {
  const values = field.enum?.values.filter(({ number }) => number !== 0).map(({ name }) => name)
  return values ?? getOption(field, rule).in
}

function faultsOfField(declared: DescField, field: Field, side: Side, at: string): string[] {
  const faults = faultsOfType(declared, field.type, side, at)
  if (side === "request") {
    const isDeclaredRequired = getOption(declared, rule).required
    if (isDeclaredRequired !== isRequired(field))
      faults.push(
        `${at}: ${isDeclaredRequired ? "required" : "optional"}, but ${field.presence} by the table`,
      )
  } else if (field.presence === "required" && isOptional(declared)) {
    faults.push(`${at}: may be absent, but ${field.presence} by the table`)
  }
  return faults
}

function isOptional(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.proto.proto3Optional
}

function faultsOfType(declared: DescField, type: FieldType, side: Side, at: string): string[] {
  if (type.kind === "list") {
    if (declared.fieldKind !== "list") return [`${at}: no list`]
    return faultsOfSingle(declared, type.of, side, `${at}[]`)
  }
  if (declared.fieldKind === "list") return [`${at}: a list`]
  if (declared.fieldKind === "map") return type.kind === "object" ? [] : [`${at}: a map`]
  return faultsOfSingle(declared, type, side, at)
}

function faultsOfSingle(declared: DescField, type: FieldType, side: Side, at: string): string[] {
  const { message, enum: enumeration, scalar } = declared
  switch (type.kind) {
    case "string":
      // otp_login's client_signature: a string by the document, an object in published clients (C-67).
      if (message?.typeName === "google.protobuf.Value") return []
      return scalar !== undefined && jsonTypeOf(scalar) === "string" ? [] : [`${at}: no string`]
    case "boolean":
    case "number":
      return scalar !== undefined && jsonTypeOf(scalar) === type.kind ? [] : [`${at}: no ${type.kind}`]
    case "object":
      return message === undefined ? [`${at}: no object`] : []
    case "timestamp": {
      if (message === undefined) return [`${at}: no timestamp object`]
      const decimal = { type: { kind: "string" }, presence: "required" } as const
      return faultsOfMessage(message, { seconds: decimal, nanos: decimal }, "reply", at)
    }
    case "enum":
      if (enumeration === undefined && scalar !== ScalarType.STRING) return [`${at}: no enumeration`]
      return faultsOfValues(valuesOf(declared), type.values, type.beyond, at)
    case "enumByPrefix":
      if (enumeration === undefined && scalar !== ScalarType.STRING) return [`${at}: no enumeration`]
      return [
        ...faultsOfValues(valuesOf(declared), type.values, [], at),
        ...valuesOf(declared)
          .filter((value) => !value.startsWith(type.prefix))
          .map((value) => `${at}: ${value} does not begin with ${type.prefix}`),
      ]
    case "openEnum":
      if (scalar !== ScalarType.STRING) return [`${at}: no string`]
      return type.values
        .filter((value) => faultOfString(value, getOption(declared, rule)) !== undefined)
        .map((value) => `${at}: ${value} refused`)
    case "record":
      if (message === undefined) return [`${at}: no object`]
      return faultsOfMessage(message, type.fields, side, at)
    case "list":
      return [`${at}: a list in a list`]
    default:
      return type satisfies never
  }
}

export function faultsOfValues(
  declared: readonly string[],
  documented: readonly string[],
  beyond: readonly string[],
  at: string,
): string[] {
  return [
    ...documented.filter((value) => !declared.includes(value)).map((value) => `${at}: ${value} not declared`),
    ...declared
      .filter((value) => !documented.includes(value) && !beyond.includes(value))
      .map((value) => `${at}: ${value} declared, but in no table`),
  ]
}

// The protobuf JSON mapping: 64-bit integers and bytes are strings.
function jsonTypeOf(scalar: ScalarType): "string" | "boolean" | "number" {
  switch (scalar) {
    case ScalarType.BOOL:
      return "boolean"
    case ScalarType.STRING:
    case ScalarType.BYTES:
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return "string"
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return "number"
    default:
      return scalar satisfies never
  }
}

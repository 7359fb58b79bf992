import {
  type DescEnum,
  type DescField,
  type DescMessage,
  isFieldSet,
  type MessageShape,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf"
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt"
import { base64Encode } from "@bufbuild/protobuf/wire"

/** A JSON object of a reply. */
export type JsonObject = { [name: string]: unknown }

/**
 * Writes a message for clients of the public API, by the protobuf JSON mapping. false, 0, "" and empty lists are always
 * present, because clients index them. Unset optional members and messages are absent, and so are unset enums, because
 * clients do not know `..._UNSPECIFIED`.
 */
export function writeJson<D extends DescMessage>(schema: D, message: MessageShape<D>): JsonObject {
  const json: JsonObject = {}
  const holder = message as JsonObject
  for (const member of planOf(schema)) {
    if ("cases" in member) {
      const chosen = holder[member.property] as { case: string | undefined; value?: unknown }
      const plan = chosen.case === undefined ? undefined : member.cases.get(chosen.case)
      if (plan !== undefined) json[plan.jsonName] = plan.write(chosen.value)
    } else if (!member.isSkipped(message)) {
      json[member.jsonName] = member.write(holder[member.property])
    }
  }
  return json
}

type ValueWriter = (value: unknown) => unknown
type CasePlan = { jsonName: string; write: ValueWriter }
type FieldPlan = CasePlan & {
  property: string
  isSkipped: (message: MessageShape<DescMessage>) => boolean
}
/** The case that is set is looked up: a result has about a hundred. */
type OneofPlan = { property: string; cases: ReadonlyMap<string, CasePlan> }
type MemberPlan = FieldPlan | OneofPlan

const plans = new WeakMap<DescMessage, readonly MemberPlan[]>()

function planOf(schema: DescMessage): readonly MemberPlan[] {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const plan = schema.members.map(
    (member): MemberPlan =>
      member.kind === "oneof"
        ? {
            property: member.localName,
            cases: new Map(member.fields.map((field) => [field.localName, casePlan(field)])),
          }
        : fieldPlan(member),
  )
  plans.set(schema, plan)
  return plan
}

function fieldPlan(field: DescField): FieldPlan {
  return {
    ...casePlan(field),
    property: field.localName,
    isSkipped: isAlwaysWritten(field) ? () => false : (message) => !isFieldSet(message, field),
  }
}

function casePlan(field: DescField): CasePlan {
  return { jsonName: field.jsonName, write: writerOf(field) }
}

/** True for implicit scalars, lists and maps. Every other field is written when it is set; an implicit enum when it is not 0. */
function isAlwaysWritten(field: DescField): boolean {
  if (field.fieldKind === "list" || field.fieldKind === "map") return true
  return (
    field.fieldKind === "scalar" &&
    field.oneof === undefined &&
    field.presence === FeatureSet_FieldPresence.IMPLICIT
  )
}

function writerOf(field: DescField): ValueWriter {
  const writeItem = itemWriterOf(field)
  if (field.fieldKind === "list") return (items) => Array.from(items as Iterable<unknown>, writeItem)
  if (field.fieldKind !== "map") return writeItem
  return (entries) => {
    const written = Object.entries(entries as object).map(([key, item]) => [key, writeItem(item)] as const)
    return Object.fromEntries(written)
  }
}

function itemWriterOf({ enum: enumType, message, scalar }: DescField): ValueWriter {
  if (enumType !== undefined) return enumWriter(enumType)
  if (message !== undefined) return messageWriter(message)
  if (scalar === ScalarType.BYTES) return (bytes) => base64Encode(bytes as Uint8Array)
  return (value) => (typeof value === "bigint" ? value.toString() : value)
}

/** A number without a name, such as one of a newer release, is written as the number, by the mapping. */
function enumWriter(type: DescEnum): ValueWriter {
  return (number) => type.value[number as number]?.name ?? number
}

function messageWriter(type: DescMessage): ValueWriter {
  if (type.typeName === "google.protobuf.Struct") return (object) => object // held as the JSON object it is
  if (type.typeName.startsWith("google.protobuf."))
    return (value) => toJson(type, value as MessageShape<DescMessage>)
  return (value) => writeJson(type, value as MessageShape<DescMessage>)
}

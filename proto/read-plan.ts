import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf"
import { type FieldRule, Form } from "./gen/countersign/api/v1/options_pb.ts"
import { enumReader, ruleOf, scalarReader, type ValueReader } from "./read-value.ts"
import { faultOfString } from "./rules.ts"

/** The plan for reading a field, made once and used for every request. */
export type FieldPlan = {
  /** lowerCamel name, under which the member is kept and named in faults. */
  readonly jsonName: string
  /** Property of the message; for a member of a oneof, the property of the oneof. */
  readonly property: string
  /** Case name within its oneof; undefined: the field is in no oneof. */
  readonly oneofCase: string | undefined
  readonly shape: "single" | "list" | "map"
  /** The message of the value, of each item; undefined when `read` reads it. */
  readonly message: DescMessage | undefined
  readonly read: ValueReader
  readonly rule: FieldRule | undefined
}

export type MessagePlan = {
  /** By lowerCamel and by proto name. */
  readonly fields: ReadonlyMap<string, FieldPlan>
  /** In the order of the fields. */
  readonly required: readonly FieldPlan[]
}

const plans = new WeakMap<DescMessage, MessagePlan>()

/** @throws TypeError when a field declares a rule that its type does not support: a mistake in the proto */
export function planOf(schema: DescMessage): MessagePlan {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const fields = new Map<string, FieldPlan>()
  const required: FieldPlan[] = []
  for (const field of schema.fields) {
    const planned = planField(field)
    fields.set(field.jsonName, planned).set(field.name, planned)
    if (planned.rule?.required) required.push(planned)
  }
  const plan = { fields, required }
  plans.set(schema, plan)
  return plan
}

function planField(field: DescField): FieldPlan {
  const rule = ruleOf(field)
  if (rule !== undefined) requireFittingRule(field, rule)
  if (field.fieldKind === "map" && field.mapKey !== ScalarType.STRING)
    throw new TypeError(`${field.name}: keys are strings`)
  const oneof = field.oneof
  return {
    jsonName: field.jsonName,
    property: oneof === undefined ? field.localName : oneof.localName,
    oneofCase: oneof === undefined ? undefined : field.localName,
    shape: field.fieldKind === "list" || field.fieldKind === "map" ? field.fieldKind : "single",
    message: field.message,
    read: readerOf(field, rule),
    rule,
  }
}

function readerOf(field: DescField, rule: FieldRule | undefined): ValueReader {
  if (field.enum !== undefined) return enumReader(field.enum)
  if (field.scalar !== undefined) return scalarReader(field.scalar, rule)
  return (value) => value // google.protobuf.Struct holds the JSON object itself; other messages have no reader
}

const integers: readonly (ScalarType | undefined)[] = [ScalarType.INT32, ScalarType.UINT32]
const decimals: readonly Form[] = [Form.DECIMAL, Form.POSITIVE_DECIMAL]

function requireFittingRule(field: DescField, rule: FieldRule): void {
  const bindsStrings =
    rule.minLength > 0 ||
    rule.maxLength > 0 ||
    rule.form !== Form.UNSPECIFIED ||
    rule.in.length > 0 ||
    rule.emptyIsAbsent
  const bindsItems = rule.minItems > 0 || rule.maxItems > 0
  const bindsDecimals = rule.maxDecimal !== 0n
  const bindsNumbers = rule.minValue !== 0 || rule.maxValue !== 0
  const refusesEmpty = rule.required && field.fieldKind === "scalar" && faultOfString("", rule) !== undefined
  const fits =
    (!bindsStrings || field.scalar === ScalarType.STRING) &&
    (!bindsItems || field.fieldKind === "list" || field.fieldKind === "map") &&
    (!bindsDecimals || decimals.includes(rule.form)) &&
    (!rule.orEmpty || rule.form !== Form.UNSPECIFIED) &&
    (rule.unsetText === "" || (refusesEmpty && field.scalar === ScalarType.STRING)) &&
    (!bindsNumbers || (integers.includes(field.scalar) && rule.maxValue > 0))
  if (!fits) throw new TypeError(`the rule of ${field.parent.typeName}.${field.name} does not fit its type`)
}

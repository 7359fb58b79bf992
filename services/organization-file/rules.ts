import type { DescMessage } from "@bufbuild/protobuf"
import { z } from "zod"
import { ruleOf } from "../../proto/read-value.ts"
import { faultOfNumber, faultOfString } from "../../proto/rules.ts"

/** A text by the rule that a member of the public API declares, so that the file is as strict as the API. */
export function textOf(schema: DescMessage, member: string) {
  return checkedText(schema, member, false)
}

/** The same, where an empty text removes the value. */
export function textOrEmpty(schema: DescMessage, member: string) {
  return checkedText(schema, member, true)
}

function checkedText(schema: DescMessage, member: string, mayBeEmpty: boolean) {
  const rule = ruleOfMember(schema, member)
  return z.string().superRefine((value, context) => {
    const fault = rule === undefined || (mayBeEmpty && value === "") ? undefined : faultOfString(value, rule)
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault })
  })
}

/** An integer by the rule of a member. */
export function integerOf(schema: DescMessage, member: string) {
  const rule = ruleOfMember(schema, member)
  return z.int().superRefine((value, context) => {
    const fault = rule && faultOfNumber(value, rule)
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault })
  })
}

/** Seconds in decimal digits; YAML may have them as a number. */
export function secondsOf(schema: DescMessage, member: string) {
  return z
    .union([z.int().transform(String), z.string()], { error: "must be seconds in decimal digits" })
    .pipe(textOf(schema, member))
}

/** Names of an enum's values, as the API spells them. */
export function namesOf(schema: DescMessage, member: string) {
  const names = fieldOf(schema, member).enum?.values.filter(({ number }) => number !== 0) ?? []
  return z.enum(names.map(({ name }) => name))
}

function ruleOfMember(schema: DescMessage, member: string) {
  return ruleOf(fieldOf(schema, member))
}

/** @throws TypeError when a module is loaded: there is no such member */
function fieldOf(schema: DescMessage, member: string) {
  const field = schema.field[member]
  if (field === undefined) throw new TypeError(`${schema.name} has no member ${member}`)
  return field
}

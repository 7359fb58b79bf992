// The members of a request by reflection, so that members without words of their own are shown too.
import { type DescField, type DescMessage, isFieldSet } from "@bufbuild/protobuf"
import { planOf } from "../../../proto/read-plan.ts"
import { labelOf } from "./labels.ts"
import { linesOf, quoted } from "./text.ts"
import { tokenFacts } from "./tokens.ts"
import { valueText } from "./values.ts"
import type { MemberFact, NameOf } from "./words.ts"

type Values = { readonly [property: string]: unknown }
type Place = { readonly path: string; readonly name: string }

/** All members of a message that are set, and all that are required, in the order of their fields. */
export function membersOf(schema: DescMessage, message: unknown, nameOf: NameOf): MemberFact[] {
  return factsIn(schema, message, { path: "", name: "" }, nameOf)
}

function factsIn(schema: DescMessage, message: unknown, parent: Place, nameOf: NameOf): MemberFact[] {
  return schema.fields.flatMap((field) => {
    const place = placeIn(parent, field.jsonName, labelOf(field.jsonName))
    return isTold(field, message) ? factsOfField(field, valueOf(field, message), place, nameOf) : []
  })
}

function placeIn({ path, name }: Place, member: string, label: string): Place {
  return {
    path: path === "" ? member : `${path}.${member}`,
    name: name === "" ? label : `${name} › ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
  }
}

const itemOf = ({ path, name }: Place, index: number): Place => ({
  path: `${path}[${index}]`,
  name: `${name} ${index + 1}`,
})

function isTold(field: DescField, message: unknown): boolean {
  if (isFieldSet(message as never, field)) return true
  return field.oneof === undefined && planOf(field.parent).fields.get(field.jsonName)?.rule?.required === true
}

/** The value of a field that is shown. */
export function valueOf({ localName, oneof }: DescField, message: unknown): unknown {
  const values = message as Values
  return oneof === undefined ? values[localName] : (values[oneof.localName] as Values)["value"]
}

function factsOfField(field: DescField, value: unknown, place: Place, nameOf: NameOf): MemberFact[] {
  if (field.fieldKind === "map") {
    const entries = Object.entries(value as Values)
    return entries.flatMap(([key, one]) => {
      const entry = { path: `${place.path}.${key}`, name: `${place.name} › ${quoted(key)}` }
      return factsOfValue(field, one, entry, nameOf)
    })
  }
  if (field.fieldKind !== "list") return factsOfValue(field, value, place, nameOf)
  const items = value as readonly unknown[]
  if (items.length === 0) return [{ ...place, value: "none" }]
  return items.flatMap((item, index) => factsOfValue(field, item, itemOf(place, index), nameOf))
}

function factsOfValue(field: DescField, value: unknown, place: Place, nameOf: NameOf): MemberFact[] {
  if (field.message !== undefined) {
    const inner = factsIn(field.message, value, place, nameOf)
    return inner.length === 0 ? [{ ...place, value: "set" }] : inner
  }
  const words = valueText(field, value, nameOf)
  if (typeof value === "string" && value.includes("\n") && words === quoted(value))
    return [{ ...place, value: "", text: linesOf(value) }]
  const shown = { ...place, value: words }
  return [
    shown,
    ...tokenFacts(field.jsonName, value).map((fact) => ({ ...fact, ...under(place, fact.name) })),
  ]
}

/** A fact that is read from within a value stands beside it, at the same path. */
function under({ path, name }: Place, inner: string): Place {
  return { path, name: `${name} › ${inner}` }
}

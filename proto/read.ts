import { create, type DescMessage, fromJson, type JsonValue, type MessageShape } from "@bufbuild/protobuf"
import { type FieldPlan, planOf } from "./read-plan.ts"
import { afterText, fieldFault, ReadFault, refuseNul } from "./read-value.ts"
import { faultOfLength } from "./rules.ts"
import { isJsonObject, type JsonMembers } from "./strict-json.ts"
import { memberPath, type OnUnknownMember } from "./unknown-members.ts"

/** Names of unknown members that a sentence may repeat. */
const SHOWABLE = /^\w{1,64}$/

export { ReadFault } from "./read-value.ts"

/** `clean`: the known members as they were sent, under lowerCamel names and without nulls. */
export type Read<M> = { message: M; clean: JsonMembers }

/**
 * Reads a JSON value that parseStrictJson returned as a message, by the fields' types and rules.
 *
 * - Members have lowerCamel or proto names; both for one field are a fault. Unknown members are ignored, or
 *   refused by `onUnknown`. If a required member is missing, the fault names the first unknown one of its object.
 * - null means absent, and so does "" where the field's rule says so.
 * - Enum values are names, 64-bit integers are strings of digits, and no string holds U+0000.
 *
 * `path` leads to the value and begins the paths in faults: "parameters".
 *
 * @throws {ReadFault}
 */
export function readMessage<D extends DescMessage>(
  schema: D,
  json: unknown,
  path = "",
  onUnknown?: OnUnknownMember,
): Read<MessageShape<D>> {
  if (!isJsonObject(json)) throw fieldFault(path, "must be an object")
  const { fields, required } = planOf(schema)
  const message = create(schema)
  const clean: JsonMembers = {}
  let firstUnknown: string | undefined
  for (const name of Object.keys(json)) {
    const value = json[name]
    if (value === null || value === undefined) continue
    const field = fields.get(name)
    if (field === undefined) {
      onUnknown?.(path, name, fields)
      if (SHOWABLE.test(name)) firstUnknown ??= name
      continue
    }
    if (value === "" && field.rule?.emptyIsAbsent) continue
    const { jsonName } = field
    const place = memberPath(path, jsonName)
    if (Object.hasOwn(clean, jsonName)) throw fieldFault(place, "is sent twice, under both of its names")
    const read = readField(field, value, place, onUnknown)
    clean[jsonName] = read.clean
    putValue(message, field, read.message, place)
  }
  for (const { jsonName, rule } of required) {
    if (Object.hasOwn(clean, jsonName)) continue
    const place = memberPath(path, jsonName)
    const hint = firstUnknown === undefined ? "" : ` (\`${firstUnknown}\` is unknown)`
    throw new ReadFault(place, afterText(rule?.unsetText, `missing field \`${place}\`${hint}`))
  }
  return { message, clean }
}

function putValue(message: JsonMembers, field: FieldPlan, value: unknown, place: string): void {
  const { property, oneofCase } = field
  if (oneofCase === undefined) {
    message[property] = value
    return
  }
  const chosen = message[property]
  if (isJsonObject(chosen) && chosen["case"] !== undefined)
    throw fieldFault(place, "excludes another member that was sent")
  message[property] = { case: oneofCase, value }
}

type ReadValue = { message: unknown; clean: unknown }

function readField(field: FieldPlan, value: unknown, path: string, onUnknown?: OnUnknownMember): ReadValue {
  switch (field.shape) {
    case "single":
      return readValue(field, value, path, onUnknown)
    case "list":
      return readList(field, value, path, onUnknown)
    case "map":
      return readMap(field, value, path, onUnknown)
    default:
      return field.shape satisfies never
  }
}

function readValue(field: FieldPlan, value: unknown, path: string, onUnknown?: OnUnknownMember): ReadValue {
  const { message } = field
  if (message === undefined) return { message: field.read(value, path), clean: value }
  if (!message.typeName.startsWith("google.protobuf.")) return readMessage(message, value, path, onUnknown)
  return { message: readWellKnown(message, value, path), clean: value }
}

/** A Struct stays a JSON object; the protobuf runtime reads Value and other well-known types. */
function readWellKnown(message: DescMessage, value: unknown, path: string): unknown {
  refuseNul(value, path)
  if (message.typeName === "google.protobuf.Struct") {
    if (!isJsonObject(value)) throw fieldFault(path, "must be an object")
    return value
  }
  try {
    return fromJson(message, value as JsonValue)
  } catch {
    throw fieldFault(path, `must be a ${message.name}`)
  }
}

function readList(field: FieldPlan, value: unknown, path: string, onUnknown?: OnUnknownMember): ReadValue {
  if (!Array.isArray(value)) throw fieldFault(path, "must be a list")
  requireLength(field, value.length, path)
  const read = value.map((item: unknown, index) => readValue(field, item, `${path}[${index}]`, onUnknown))
  return { message: read.map(({ message }) => message), clean: read.map(({ clean }) => clean) }
}

/** Reads a map with string keys. The keys are the caller's, so a fault names only the map. */
function readMap(field: FieldPlan, value: unknown, path: string, onUnknown?: OnUnknownMember): ReadValue {
  if (!isJsonObject(value)) throw fieldFault(path, "must be an object")
  const members = Object.entries(value)
  requireLength(field, members.length, path)
  const read = members.map(([key, item]) => {
    refuseNul(key, path)
    return [key, readValue(field, item, path, onUnknown)] as const
  })
  return {
    message: Object.fromEntries(read.map(([key, { message }]) => [key, message])),
    clean: Object.fromEntries(read.map(([key, { clean }]) => [key, clean])),
  }
}

function requireLength({ rule }: FieldPlan, length: number, path: string): void {
  const fault = rule === undefined ? undefined : faultOfLength(length, rule)
  if (fault !== undefined) throw fieldFault(path, fault)
}

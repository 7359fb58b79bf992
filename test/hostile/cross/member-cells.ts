// Each member of each activity × each way to write it × each decoy beside it, read by the reader that both tiers share. The
// rules are those of docs/choices/requests-replies-and-errors.md (C-54, C-1400) and of claims B2 and W28.
import { isDeepStrictEqual } from "node:util"
import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import { type FieldRule, Form, rule as ruleOption } from "../../../proto/gen/countersign/api/v1/options_pb.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { readBody } from "../../../signer/core/request/read-body.ts"
import { memberRule } from "../../../signer/core/request/unknown-members.ts"
import type { Json } from "../sweep/json-leaves.ts"
import type { Figures } from "./figures.ts"

type Members = { [name: string]: Json }
/** One object of a body: its path and its members. The envelope itself has an empty path. */
type BodyObject = { path: readonly (string | number)[]; names: readonly Name[] }
/** `isInSample`: false for a member that excludes another one. */
type Name = { json: string; proto: string; isRequired: boolean; isInSample: boolean }

const ENVELOPE = ["type", "timestampMs", "organizationId", "parameters"]
const ID = "0198c0de-0000-7000-8000-000000000001"
const UNKNOWN = "zzUnheardOfRemark"
const P256 = "026b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"

const FORMS: { readonly [form in Form]?: string } = {
  [Form.UNSPECIFIED]: "text",
  [Form.UUID]: ID,
  [Form.HEX]: "ab",
  [Form.POSITIVE_DECIMAL]: "1",
  [Form.DECIMAL]: "1",
  [Form.E164]: "+15551234567",
  [Form.EMAIL]: "ann@example.com",
  [Form.FINGERPRINT]: `sha256:${"ab".repeat(32)}`,
  [Form.COMPRESSED_P256]: P256,
  [Form.API_KEY]: P256,
  [Form.UNCOMPRESSED_P256]:
    "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  [Form.EIP155_CHAIN]: "eip155:1",
  [Form.SOLANA_CHAIN]: "solana:devnet",
  [Form.UINT128]: "1",
  [Form.UINT256]: "1",
  [Form.USD]: "1",
}

const check = memberRule(new Set())

/** Runs the cells of one activity. */
export function runMembers(name: string, figures: Figures): void {
  const entry = activityTypes.get(`ACTIVITY_TYPE_${name}`)!
  const objects: BodyObject[] = []
  const parameters = sample(entry.intentSchema, ["parameters"], objects)
  const body = { type: entry.type, timestampMs: "1", organizationId: ID, parameters }
  objects.push({
    path: [],
    names: ENVELOPE.map((json) => ({ json, proto: json, isRequired: true, isInSample: true })),
  })
  const text = JSON.stringify(body)
  const read = reading(text)
  if (typeof read === "string") {
    figures.count(`${entry.type}, as the contract describes it`, read, ["same"])
    return
  }
  const cells: Cells = {
    compare: (object, what, altered, allowed) => {
      const other = reading(altered)
      const isSame = isDeepStrictEqual(other, read)
      const answer = isSame ? "same" : typeof other === "string" ? other : "another reading"
      figures.count(cellName(entry, object, what), answer, allowed)
    },
    alike: (object, what, one, other) => {
      const answer = isDeepStrictEqual(reading(one), reading(other)) ? "alike" : "unlike"
      figures.count(cellName(entry, object, what), answer, ["alike"])
    },
  }
  for (const object of objects) {
    for (const member of object.names)
      if (member.isInSample) runMember(member, object, body, cells)
      else figures.notRun("it excludes another member of the sample", MEMBER_CELLS)
    runObject(object, body, entry, cells)
  }
}

type Cells = {
  compare: (object: BodyObject, what: string, altered: string, allowed: readonly string[]) => void
  alike: (object: BodyObject, what: string, one: string, other: string) => void
}

/** Number of cells of one member, counted where they are not run. */
const MEMBER_CELLS = 10

const cellName = ({ type }: ActivityEntry, { path }: BodyObject, what: string) =>
  `${type} × ${["body", ...path].join(".")} × ${what}`

function runMember({ json, proto, isRequired }: Name, object: BodyObject, body: Members, cells: Cells): void {
  const own = (text: string) => text.startsWith(`"${json}":`)
  const beside = (...more: string[]) => written(body, object.path, (members) => [...members, ...more])
  const instead = (make: (value: string) => string[]) =>
    written(body, object.path, (members) =>
      members.flatMap((text) => (own(text) ? make(text.slice(json.length + 3)) : [text])),
    )
  const escaped = `\\u${json.charCodeAt(0).toString(16).padStart(4, "0")}${json.slice(1)}`
  const otherCase = json[0]!.toUpperCase() + json.slice(1)
  const compare = (what: string, altered: string, ...allowed: string[]) =>
    cells.compare(object, `${json} ${what}`, altered, allowed)
  compare("twice", beside(`"${json}":"x"`), "REQUEST_MALFORMED")
  compare("twice, once escaped", beside(`"${escaped}":"x"`), "REQUEST_MALFORMED")
  compare(
    "escaped",
    instead((value) => [`"${escaped}":${value}`]),
    "same",
  )
  compare("in another case beside", beside(`"${otherCase}":"x"`), "REQUEST_INVALID")
  compare(
    "in another case",
    instead((value) => [`"${otherCase}":${value}`]),
    "REQUEST_INVALID",
  )
  // A reader of the body could take the name of a parameter in the envelope for the parameter itself (C-1400).
  if (!ENVELOPE.includes(json)) {
    const decoy = written(body, [], (members) => [...members, `"${json}":"x"`])
    compare("in the envelope", decoy, "REQUEST_INVALID")
  }
  const nulled = instead(() => [`"${json}":null`])
  if (isRequired) compare("null", nulled, "REQUEST_INVALID")
  else
    cells.alike(
      object,
      `${json} null or absent`,
      nulled,
      instead(() => []),
    )
  if (proto === json) return
  compare(
    `as ${proto}`,
    instead((value) => [`"${proto}":${value}`]),
    "same",
  )
  compare(`beside ${proto}`, beside(`"${proto}":"x"`), "REQUEST_INVALID")
  compare(`beside ${proto}, which is null`, beside(`"${proto}":null`), "same")
}

/** Members that the contract does not declare for the object. */
function runObject(
  object: BodyObject,
  body: Members,
  { ignoresUnknownMembers }: ActivityEntry,
  cells: Cells,
): void {
  const allowed = ignoresUnknownMembers ? ["same"] : ["REQUEST_INVALID"]
  const withMore = (...more: string[]) => written(body, object.path, (members) => [...more, ...members])
  cells.compare(object, "an unknown member", withMore(`"${UNKNOWN}":"x"`), allowed)
  cells.compare(object, "an unknown null", withMore(`"${UNKNOWN}":null`), ["same"])
  const hidden = JSON.stringify(Object.fromEntries(object.names.map(({ json }) => [json, "x"])))
  for (const name of ["__proto__", "\\u005f_proto__", "constructor", "hasOwnProperty"])
    cells.compare(object, name, withMore(`"${name}":${hidden}`), [...allowed, "REQUEST_MALFORMED"])
}

function textOf({ form = Form.UNSPECIFIED, minLength = 0, maxLength = 0 }: Partial<FieldRule> = {}): string {
  const text = (FORMS[form] ?? "text").padEnd(minLength, "a")
  return maxLength === 0 ? text : text.slice(0, maxLength)
}

/** The parsed body, as the reader of both tiers returns it, or the code of its refusal. */
function reading(text: string): object | string {
  try {
    const { activity, organizationId, timestampMs, wantsProofs, parameters, clean } = readBody(
      Buffer.from(text),
      check,
    )
    return { type: activity.type, organizationId, timestampMs, wantsProofs, parameters, clean }
  } catch (error) {
    return error instanceof Refusal ? error.code : `fault: ${(error as Error).message}`
  }
}

/** JSON of a value in which the members of one object, as texts, are changed. */
function written(value: Json, path: BodyObject["path"], change: (members: string[]) => string[]): string {
  const [first, ...rest] = path
  if (Array.isArray(value))
    return `[${value.map((item: Json, index) => (index === first ? written(item, rest, change) : JSON.stringify(item))).join()}]`
  const members = Object.entries(value as Members).map(([name, member]) => {
    const text = name === first ? written(member, rest, change) : JSON.stringify(member)
    return `${JSON.stringify(name)}:${text}`
  })
  return `{${(first === undefined ? change(members) : members).join()}}`
}

/** A value of a message with all its members, one of each oneof. Every object in it is added to `objects`. */
function sample(schema: DescMessage, path: BodyObject["path"], objects: BodyObject[]): Members {
  const members: Members = {}
  const names: Name[] = []
  const taken = new Set<string>()
  for (const field of schema.fields) {
    const { jsonName: json, name: proto, oneof } = field
    const rule = hasOption(field, ruleOption) ? getOption(field, ruleOption) : undefined
    const isInSample = oneof === undefined || !taken.has(oneof.name)
    if (oneof) taken.add(oneof.name)
    names.push({ json, proto, isRequired: rule?.required ?? false, isInSample })
    if (isInSample) members[json] = sampleOf(field, [...path, json], objects)
  }
  objects.push({ path, names })
  return members
}

function sampleOf(field: DescField, path: BodyObject["path"], objects: BodyObject[]): Json {
  switch (field.fieldKind) {
    case "list": {
      const length = Math.max(1, hasOption(field, ruleOption) ? getOption(field, ruleOption).minItems : 1)
      return Array.from({ length }, (_, index) => single(field, [...path, index], objects))
    }
    case "map":
      return { key: single(field, [...path, "key"], objects) }
    default:
      return single(field, path, objects)
  }
}

function single(field: DescField, path: BodyObject["path"], objects: BodyObject[]): Json {
  if (field.message) {
    if (field.message.typeName === "google.protobuf.Struct") return { any: "x" }
    if (field.message.typeName.startsWith("google.protobuf.")) return "x"
    return sample(field.message, path, objects)
  }
  if (field.enum) return field.enum.values.find(({ number }) => number !== 0)!.name
  const rule = hasOption(field, ruleOption) ? getOption(field, ruleOption) : undefined
  switch (field.scalar) {
    case ScalarType.BOOL:
      return true
    case ScalarType.STRING:
      return rule?.in[0] ?? textOf(rule)
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return "1"
    default:
      return Math.max(1, rule?.minValue ?? 1)
  }
}

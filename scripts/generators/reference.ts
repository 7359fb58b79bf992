import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescService,
  getOption,
  ScalarType,
} from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../proto/catalog.ts"
import { ActivityResponseSchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import { AuthProxyService } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import { QueryService } from "../../proto/gen/countersign/api/v1/queries_pb.ts"
import {
  type FieldRule,
  Form,
  FormSchema,
  rule as ruleOption,
} from "../../proto/gen/countersign/api/v1/options_pb.ts"
import { counted } from "../../signer/core/counted.ts"
import { rootsOf } from "../../signer/core/policy/facts/declared.ts"
import type { Comments } from "./comments.ts"
import type { OperationEntry } from "../../proto/declared-operations.ts"
import { queryPaths, submitPaths } from "../../proto/operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"

const PACKAGE = "countersign.api.v1"

/** docs/api.md: every operation of the public interface, then the messages and enumerations that it reaches. */
export function apiReference(comments: Comments): string {
  const activities = [...activityTypes.values()]
  const operations = [...queryPaths.values(), ...proxyPaths.values()]
  const messages = reachableFrom([
    ActivityResponseSchema,
    ...activities.flatMap(({ intentSchema, resultSchema }) => [intentSchema, resultSchema ?? intentSchema]),
    ...operations.flatMap(({ input, output }) => [input, output]),
  ])
  const enumerations = new Set(
    [...messages].flatMap(({ fields }) => fields.flatMap((field) => field.enum ?? [])),
  )
  return `<!-- Generated from proto/countersign/api/v1 by \`npm run generate\`: not edited by hand. -->

# API reference

Every operation is a POST with a JSON body, stamped in the header \`X-Stamp\` or \`X-Stamp-WebAuthn\`. An operation that
is not served in this release answers 501. Members are written as below, in lower camel case; a member sent as \`null\`
counts as absent. A member of a request that is not marked required may be absent. Errors: [ERRORS](ERRORS.md). The same
contract for programs: \`GET /openapi.json\`. This page is for people who write a client.

The body of an activity is \`{type, timestampMs, organizationId, parameters, generateAppProofs?}\`, with the parameters of
its type. The reply is an [ActivityResponse](#activityresponse) whose \`result\` has the type's result.

## Activities

${[...submitPaths].map(([path, types]) => activitySection(path, types, comments)).join("\n\n")}

## Queries

${[...queryPaths.values()].map((entry) => operationSection(entry, "/public/v1/query/", QueryService, comments)).join("\n\n")}

## Operations of the auth proxy

${[...proxyPaths.values()].map((entry) => operationSection(entry, "/v1/", AuthProxyService, comments)).join("\n\n")}

## Forms of strings

${formList(comments)}

## Messages

${[...messages]
  .toSorted(byName)
  .map((message) => messageSection(message, comments))
  .join("\n\n")}

## Enumerations

${[...enumerations]
  .toSorted(byName)
  .map((enumeration) => enumSection(enumeration, comments))
  .join("\n\n")}
`
}

function activitySection(path: string, types: readonly ActivityEntry[], comments: Comments): string {
  const rows = types.map((entry) => {
    const { type, intentSchema, resultSchema, served, whyNotServed } = entry
    const result = resultSchema === undefined ? "the activity voted on" : `result ${link(resultSchema)}`
    const roots = [...rootsOf(entry)].filter((root) => root !== "activity").map((root) => `\`${root}\``)
    const read = roots.length === 0 ? "" : ` Conditions read ${roots.join(", ")}.`
    const comment = comments.get(`${PACKAGE}.ActivityType.${type}`) ?? ""
    const why = whyNotServed === "" ? "" : `: ${whyNotServed}`
    return `- \`${type}\`: ${comment} ${status(served)}${why}.\n  Parameters ${link(intentSchema)}, ${result}.${read}`
  })
  return `### ${path}\n\n\`POST /public/v1/submit/${path}\`\n\n${rows.join("\n")}`
}

function operationSection(
  { path, name, input, output, served }: OperationEntry,
  prefix: string,
  service: DescService,
  comments: Comments,
): string {
  const method = service.methods.find(({ localName }) => localName === name)
  const comment = comments.get(`${service.typeName}.${method?.name}`) ?? ""
  const words = `${comment} Request ${link(input)}, reply ${link(output)}. ${status(served)}.`
  return `### ${path}\n\n\`POST ${prefix}${path}\`\n\n${words}`
}

function status(served: boolean): string {
  return served ? "Served" : "Not served (501)"
}

function messageSection(message: DescMessage, comments: Comments): string {
  const members = message.fields.map((field) => {
    const comment = comments.get(`${message.typeName}.${field.name}`) ?? ""
    const rules = rulesOf(field)
    return `- \`${field.jsonName}\` ${typeOf(field)}${rules === "" ? "" : `, ${rules}`}. ${comment}`
  })
  const list = members.length === 0 ? "No members." : members.join("\n")
  return `### ${message.name}\n\n${comments.get(message.typeName) ?? ""}\n\n${list}`
}

function enumSection({ name, typeName, values }: DescEnum, comments: Comments): string {
  const sent = values.filter(({ number }) => number !== 0)
  const lines = sent.map((value) => `- \`${value.name}\`: ${comments.get(`${typeName}.${value.name}`) ?? ""}`)
  return `### ${name}\n\n${comments.get(typeName) ?? ""}\n\n${lines.join("\n")}`
}

function typeOf(field: DescField): string {
  switch (field.fieldKind) {
    case "list":
      return `list of ${valueType(field)}`
    case "map":
      return `object whose values are ${valueType(field)}`
    case "scalar":
    case "enum":
    case "message":
      return valueType(field)
    default:
      return field satisfies never
  }
}

function valueType({ message, enum: enumeration, scalar }: DescField): string {
  if (message !== undefined) return isPublic(message) ? link(message) : "JSON value"
  if (enumeration !== undefined) return link(enumeration)
  if (scalar === ScalarType.BOOL) return "boolean"
  return scalar === ScalarType.STRING ? "string" : "integer"
}

/** The member's rules in words, as proto/read.ts applies them. */
function rulesOf(field: DescField): string {
  const rule = getOption(field, ruleOption)
  const { minItems, maxItems, minLength, maxLength, minValue, maxValue, maxDecimal } = rule
  return [
    rule.required ? "required" : "",
    range(minItems, maxItems, "item"),
    range(minLength, maxLength, "character"),
    maxValue === 0 ? "" : `${minValue} to ${maxValue}`,
    formOf(rule),
    maxDecimal === 0n ? "" : `at most ${maxDecimal}`,
    rule.in.length === 0 ? "" : `one of ${rule.in.map((text) => `\`${text}\``).join(", ")}`,
    rule.orEmpty ? "or empty" : "",
    rule.unsetText === "" ? "" : `unless set: "${rule.unsetText}"`,
    rule.emptyIsAbsent ? "empty counts as absent" : "",
  ]
    .filter((words) => words !== "")
    .join(", ")
}

function range(least: number, greatest: number, unit: string): string {
  if (greatest === 0) return least === 0 ? "" : `at least ${counted(least, unit)}`
  return least === 0 ? `at most ${counted(greatest, unit)}` : `${least} to ${counted(greatest, unit)}`
}

function formOf({ form }: FieldRule): string {
  if (form === Form.UNSPECIFIED) return ""
  const name = FormSchema.value[form]?.localName ?? ""
  return `form [${name}](#forms-of-strings)`
}

function formList(comments: Comments): string {
  const forms = FormSchema.values.filter(({ number }) => number !== Form.UNSPECIFIED)
  return forms
    .map(({ name, localName }) => `- \`${localName}\`: ${comments.get(`${FormSchema.typeName}.${name}`)}`)
    .join("\n")
}

function link({ name }: { name: string }): string {
  return `[${name}](#${name.toLowerCase()})`
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

function isPublic({ file }: DescMessage): boolean {
  return file.proto.package === PACKAGE
}

function reachableFrom(roots: readonly DescMessage[]): Set<DescMessage> {
  const reached = new Set<DescMessage>()
  const waiting = [...roots]
  for (let message = waiting.pop(); message !== undefined; message = waiting.pop()) {
    if (reached.has(message) || !isPublic(message)) continue
    reached.add(message)
    for (const field of message.fields) if (field.message !== undefined) waiting.push(field.message)
  }
  return reached
}

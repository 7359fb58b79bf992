import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from "@bufbuild/protobuf"
import { activityTypes } from "../../proto/catalog.ts"
import { queryPaths } from "../../proto/operations.ts"
import { Form, rule as ruleOption } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import type { Kind } from "../../services/terminal-client/names/kinds.ts"
import type { RequestMember } from "../../services/cli/resources/member.ts"
import { type ChangeCommand, isShow, type ShowCommand } from "../../services/cli/resources/resource.ts"
import { RESOURCES } from "../../services/cli/resources/table.ts"
import type { Comments } from "./comments.ts"

/** Members of the requests that commands send, from which their options are made: the catalog itself loads too slowly. */
export function commandMembers(comments: Comments): string {
  const commands = RESOURCES.flatMap(({ commands: own }) => own)
  const entries = commands.map((command) => [keyOf(command), membersOf(command, comments)] as const)
  const lines = [...new Map(entries)].map(
    ([key, members]) => `  ${key}: \`${members.map((member) => `\n${lineOf(member)}`).join("")}\`,`,
  )
  return `// Generated from proto/ by \`npm run generate\`: not edited by hand.
import { type RequestMember, readMembers } from "./member.ts"

/** Members of the parameters of each activity type, and of the request of each query, that resource commands send. */
export const MEMBERS: { readonly [operation: string]: readonly RequestMember[] } = readMembers({
${lines.join("\n")}
})
`
}

/** A member as `readMembers` reads it. */
function lineOf({ name, form, about, ...properties }: RequestMember): string {
  const words = Object.entries(properties).map(([property, value]) =>
    value === true ? property : `${property}=${[value].flat().join(",")}`,
  )
  const line = `${[name, form, ...words].join(" ")}: ${about}`
  if (/[`\\$]/.test(line)) throw new Error(`${line}: no text of a template`)
  return line
}

function keyOf(command: ChangeCommand | ShowCommand): string {
  return isShow(command) ? command.query : command.type
}

function membersOf(command: ChangeCommand | ShowCommand, comments: Comments): RequestMember[] {
  if (isShow(command)) {
    const query = queryPaths.get(command.query)
    if (query === undefined) throw new Error(`there is no query ${command.query}`)
    return query.input.fields
      .filter(({ jsonName }) => jsonName !== "organizationId")
      .map((field) => memberOf(query.input, field, comments))
  }
  const intent = activityTypes.get(command.type)?.intentSchema
  if (intent === undefined) throw new Error(`there is no activity type ${command.type}`)
  const { within, beside = [] } = command
  if (within === undefined) return intent.fields.map((field) => memberOf(intent, field, comments))
  const item = intent.fields.find(({ jsonName }) => jsonName === within)?.message
  if (item === undefined) throw new Error(`${command.type} has no list ${within}`)
  const outer = intent.fields.filter(({ jsonName }) => beside.includes(jsonName))
  return [
    ...item.fields.map((field) => memberOf(item, field, comments)),
    ...outer.map((field) => memberOf(intent, field, comments)),
  ]
}

function memberOf(message: DescMessage, field: DescField, comments: Comments): RequestMember {
  const rule = hasOption(field, ruleOption) ? getOption(field, ruleOption) : undefined
  const refers = rule?.form === Form.UUID ? referenceOf(field.jsonName) : undefined
  const comment = comments.get(`${message.typeName}.${field.name}`) ?? ""
  return {
    name: field.jsonName,
    form: formOf(field),
    about: comment.split(/(?<=[.;])\s/)[0]?.replace(/[.;]$/, "") ?? "",
    ...(field.fieldKind === "list" && { list: true }),
    ...(rule?.required && { required: true }),
    ...(rule?.required && field.fieldKind === "list" && rule.minItems === 0 && { mayBeEmpty: true }),
    ...(field.enum && {
      values: field.enum.values.filter(({ number }) => number !== 0).map(({ name }) => name),
    }),
    ...(rule && rule.in.length > 0 && { texts: [...rule.in] }),
    ...(refers && { refers }),
  }
}

function formOf(field: DescField): RequestMember["form"] {
  if (field.fieldKind === "map" || field.message !== undefined) return "object"
  if (field.enum !== undefined) return "word"
  if (field.scalar === ScalarType.BOOL) return "boolean"
  return field.scalar === ScalarType.INT32 || field.scalar === ScalarType.UINT32 ? "number" : "text"
}

/** Kinds of resources whose ids members with these endings have. */
const REFERENCES: readonly (readonly [ending: RegExp, kind: Kind])[] = [
  [/userTag(?:Id)?s?$/i, "tag"],
  [/privateKeyTag(?:Id)?s?$/i, "private-key-tag"],
  [/privateKeyIds?$/i, "private-key"],
  [/sessionProfileIds?$/i, "session-profile"],
  [/smartContractInterfaceIds?$/i, "interface"],
  [/walletAccountIds?$/i, "account"],
  [/walletIds?$/i, "wallet"],
  [/mfaPolicyIds?$/i, "mfa-policy"],
  [/policyIds?$/i, "policy"],
  [/velocityControlIds?$/i, "velocity-control"],
  [/invitationIds?$/i, "invitation"],
  [/oauth2CredentialIds?$/i, "oauth2-credential"],
  [/onRampCredentialIds?$/i, "on-ramp-credential"],
  [/^templateId$/, "email-template"],
  [/apiKeyIds?$/i, "key"],
  [/authenticatorIds?$/i, "passkey"],
  [/userIds?$/i, "user"],
]

function referenceOf(name: string): Kind | undefined {
  return REFERENCES.find(([ending]) => ending.test(name))?.[1]
}

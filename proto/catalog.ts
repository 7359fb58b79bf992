import type { DescEnumValue, DescField, DescMessage } from "@bufbuild/protobuf"
import { getOption, hasOption } from "@bufbuild/protobuf"
import { maxBodyBytes, requirePath } from "./declared-operations.ts"
import { ActivityTypeSchema, IntentSchema, ResultSchema } from "./gen/countersign/api/v1/activities_pb.ts"
import {
  activity as activityOption,
  Authority,
  type AuthProxyUse,
  Consequence,
  type Fact,
  type FactSource,
  type ResultSize,
} from "./gen/countersign/api/v1/options_pb.ts"

/** The declaration of one activity type. */
export type ActivityEntry = {
  /** Wire name: `ACTIVITY_TYPE_CREATE_USERS_V2`. */
  readonly type: string
  /** Number in ActivityType. */
  readonly number: number
  /** Last segment of /public/v1/submit/<path>. */
  readonly path: string
  /** Member of Intent that carries the parameters: the field, its message, its JSON name. */
  readonly intentField: DescField
  readonly intentSchema: DescMessage
  readonly intentName: string
  /** Member of Result: the field, its message, its JSON name; undefined for votes. */
  readonly resultField: DescField | undefined
  readonly resultSchema: DescMessage | undefined
  readonly resultName: string | undefined
  /** activity.resource, activity.action and activity.kind of the policy language; "": policies do not apply. */
  readonly resource: string
  readonly action: string
  readonly kind: string
  readonly authority: Authority
  readonly consequence: Consequence
  /** True if this release serves the activity. */
  readonly served: boolean
  /** The reason why it is not served; "": none is declared. */
  readonly whyNotServed: string
  /** Largest body, bytes. */
  readonly maxBodyBytes: number
  /** Body that is taken whatever the operator's own bound is, bytes; 0: none. */
  readonly promisedBodyBytes: number
  /** True if it sends a transaction. */
  readonly sends: boolean
  readonly resultSize: ResultSize
  /** Organization in which the auth proxy's user may submit it. */
  readonly authProxyUse: AuthProxyUse
  /** True if a user of the parent may submit it in a sub-organization. */
  readonly isOpenToParent: boolean
  /** Facts that conditions read besides `activity`. */
  readonly facts: readonly DeclaredFact[]
  /** True if members that no activity has are ignored; else they are refused. */
  readonly ignoresUnknownMembers: boolean
}

/** Facts of an activity. `parameter`, `form`: names of members of its parameters as they are read; "": none. */
export type DeclaredFact = { readonly fact: Fact; readonly parameter: string; readonly form: string }

/** Every activity type by its wire name. */
export const activityTypes: ReadonlyMap<string, ActivityEntry> = new Map(
  ActivityTypeSchema.values
    .filter(({ number }) => number !== 0)
    .map(readActivity)
    .map((entry) => [entry.type, entry]),
)

/** @throws TypeError when a module is loaded: the proto contradicts itself */
function readActivity(value: DescEnumValue): ActivityEntry {
  const type = value.name
  if (!hasOption(value, activityOption)) throw new TypeError(`${type} declares nothing`)
  const { path, intent, result, ...declared } = getOption(value, activityOption)
  const { resource, action, kind, authority, consequence, served, whyNotServed } = declared
  const { maxBodyKib, promisedBodyKib, sends, resultSize } = declared
  const { authProxyUse, parentLinks, facts, ignoresUnknownMembers } = declared
  requirePath(path, type)
  if (authority === Authority.UNSPECIFIED || consequence === Consequence.UNSPECIFIED)
    throw new TypeError(`${type} declares no authority or no consequence`)
  const intentField = requireMember(IntentSchema, intent, type)
  const resultField = result === "" ? undefined : requireMember(ResultSchema, result, type)
  if ((resource === "") !== (action === "") || (resource === "") !== (kind === ""))
    throw new TypeError(`${type}: resource, action and kind are declared together or not at all`)
  return {
    type,
    number: value.number,
    path,
    intentField,
    intentSchema: intentField.message,
    intentName: intentField.jsonName,
    resultField,
    resultSchema: resultField?.message,
    resultName: resultField?.jsonName,
    resource,
    action,
    kind,
    authority,
    consequence,
    served,
    whyNotServed,
    maxBodyBytes: maxBodyBytes(maxBodyKib),
    promisedBodyBytes: promisedBodyKib * 1024,
    sends,
    resultSize,
    authProxyUse,
    isOpenToParent: authority === Authority.ASSISTED_LOGIN || parentLinks,
    facts: facts.map((source) => readFact(source, intentField.message, type)),
    ignoresUnknownMembers,
  }
}

function readFact({ fact, ...names }: FactSource, intent: DescMessage, type: string): DeclaredFact {
  const memberOf = (name: string): string => {
    const field = intent.fields.find((candidate) => candidate.name === name)
    if (field === undefined && name !== "") throw new TypeError(`${type}: ${intent.name} has no ${name}`)
    return field?.localName ?? ""
  }
  return { fact, parameter: memberOf(names.parameter), form: memberOf(names.form) }
}

function requireMember(
  schema: DescMessage,
  name: string,
  type: string,
): DescField & { message: DescMessage } {
  const field = schema.fields.find((candidate) => candidate.name === name)
  if (field?.fieldKind !== "message" || field.oneof === undefined)
    throw new TypeError(`${type}: ${schema.name} has no alternative ${name}`)
  return field
}

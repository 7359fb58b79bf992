import {
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf"
import { ActivityTypeSchema, IntentSchema, ResultSchema } from "./gen/countersign/api/v1/activities_pb.ts"
import {
  activity as activityOption,
  Authority,
  Consequence,
  obsolete as obsoleteOption,
  operation as operationOption,
} from "./gen/countersign/api/v1/options_pb.ts"
import { AuthProxyService } from "./gen/countersign/api/v1/proxy_pb.ts"
import { QueryService } from "./gen/countersign/api/v1/queries_pb.ts"

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
  /** Whether this release serves the activity. */
  readonly served: boolean
  /** The reason why it is not served; "": none is declared. */
  readonly whyNotServed: string
}

/** The declaration of one query or proxy operation. */
export type OperationEntry = {
  /** Last segment of the path. */
  readonly path: string
  /** Name of the method, lowerCamel. */
  readonly name: string
  readonly input: DescMessage
  readonly output: DescMessage
  /** Whether this release serves the operation. */
  readonly served: boolean
}

/** Every activity type by its wire name. */
export const activityTypes: ReadonlyMap<string, ActivityEntry> = new Map(
  ActivityTypeSchema.values
    .filter(({ number }) => number !== 0)
    .map(readActivity)
    .map((entry) => [entry.type, entry]),
)

/** The types that share a submit path, oldest first. */
export const submitPaths: ReadonlyMap<string, readonly ActivityEntry[]> = Map.groupBy(
  activityTypes.values(),
  ({ path }) => path,
)

/** Types of older clients that the interface no longer has, each with the advice for its sender. */
export const obsoleteTypes: ReadonlyMap<string, string> = new Map(
  getOption(ActivityTypeSchema, obsoleteOption).map(({ type, advice }) => [type, advice]),
)

/** Queries by path. */
export const queryPaths: ReadonlyMap<string, OperationEntry> = readOperations(QueryService)

/** Operations of the auth proxy by path. */
export const proxyPaths: ReadonlyMap<string, OperationEntry> = readOperations(AuthProxyService)

/** @throws TypeError when a module is loaded: the proto contradicts itself */
function readActivity(value: DescEnumValue): ActivityEntry {
  const type = value.name
  if (!hasOption(value, activityOption)) throw new TypeError(`${type} declares nothing`)
  const { path, intent, result, ...declared } = getOption(value, activityOption)
  const { resource, action, kind, authority, consequence, served, whyNotServed } = declared
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
  }
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

function readOperations(service: DescService): ReadonlyMap<string, OperationEntry> {
  const entries = new Map<string, OperationEntry>()
  for (const method of service.methods) {
    if (!hasOption(method, operationOption))
      throw new TypeError(`${service.name}.${method.name} declares nothing`)
    const { path, served } = getOption(method, operationOption)
    requirePath(path, method.name)
    if (method.methodKind !== "unary") throw new TypeError(`${method.name} is not unary`)
    if (entries.has(path)) throw new TypeError(`${service.name}: two operations have the path ${path}`)
    entries.set(path, { path, name: method.localName, input: method.input, output: method.output, served })
  }
  return entries
}

function requirePath(path: string, declarer: string): void {
  if (!/^[a-z0-9]+(?:_[a-z0-9]+)*$/.test(path)) throw new TypeError(`${declarer}: "${path}" is not a path`)
}

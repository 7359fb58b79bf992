// The public interface as an OpenAPI 3.1 document, generated from the proto descriptors at run time.
import { type ActivityEntry, activityTypes } from "../../../proto/catalog.ts"
import {
  ActivityRequestSchema,
  ActivityResponseSchema,
  ActivityTypeSchema,
} from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import { QueryService } from "../../../proto/gen/countersign/api/v1/queries_pb.ts"
import {
  errorResponses,
  errorSchema,
  jsonContent,
  lowerCamel,
  type OpenApiDocument,
  type Operation,
  responses,
  sentence,
} from "./document.ts"
import { withExamples } from "./examples.ts"
import { type Amendments, commentOf, reference, type Schema, type Schemas, schemasOf } from "./schemas.ts"
import type { OperationEntry } from "../../../proto/declared-operations.ts"
import { queryPaths, submitPaths } from "../../../proto/operations.ts"

const STAMPS: Schema[] = [{ apiKeyStamp: [] }, { passkeyStamp: [] }]

export function openApiDocument(): OpenApiDocument {
  return withExamples({
    openapi: "3.1.1",
    info: {
      title: "Countersign",
      summary: "Self-hosted wallet, policy and authentication service",
      description:
        "Every request carries exactly one stamp; a query may carry a read-only session instead. Members sent as null count as absent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      version: "v1",
    },
    servers: [{ url: "/", description: "this service" }],
    security: STAMPS,
    tags: [
      { name: "submit", description: "Activities: operations that change objects or use keys" },
      { name: "query", description: "Operations that only read" },
    ],
    paths: Object.fromEntries([
      ...[...submitPaths].map(([path, entries]) => [
        `/public/v1/submit/${path}`,
        { post: submitOperation(path, entries) },
      ]),
      ...[...queryPaths].map(([path, entry]) => [
        `/public/v1/query/${path}`,
        { post: queryOperation(entry) },
      ]),
    ]),
    components: { schemas: componentSchemas(), responses: errorResponses, securitySchemes },
  })
}

function submitOperation(path: string, entries: readonly ActivityEntry[]): Operation {
  const waiting = entries.filter(({ served }) => !served).map(({ type }) => type)
  const mapping = entries.map((entry) => [entry.type, reference(requestName(entry))["$ref"]])
  return {
    operationId: lowerCamel(path),
    tags: ["submit"],
    summary: sentence(path),
    description: descriptionOf(entries, waiting),
    "x-served": waiting.length < entries.length,
    requestBody: jsonContent(true, {
      oneOf: entries.map((entry) => reference(requestName(entry))),
      discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
    }),
    responses: responses(
      "The activity: completed, pending, or final without result",
      ActivityResponseSchema.name,
    ),
  }
}

/** The comment of the newest type, and the types that this release does not serve. */
function descriptionOf(entries: readonly ActivityEntry[], waiting: readonly string[]): string {
  const newest = entries.at(-1)
  const words = newest === undefined ? "" : commentOf(ActivityTypeSchema, newest.type)
  return waiting.length === 0 ? words : `${words} This release answers 501 to ${waiting.join(", ")}.`
}

function queryOperation({ path, name, input, output, served }: OperationEntry): Operation {
  return {
    operationId: name,
    tags: ["query"],
    summary: sentence(path),
    description: commentOf(QueryService, `${name.charAt(0).toUpperCase()}${name.slice(1)}`),
    "x-served": served,
    security: [...STAMPS, { readOnlySession: [] }],
    requestBody: jsonContent(true, reference(input.name)),
    responses: responses("The requested objects", output.name),
  }
}

function componentSchemas(): Schemas {
  const entries = [...activityTypes.values()]
  const queries = [...queryPaths.values()]
  const made = schemasOf(
    [
      ActivityRequestSchema,
      ...entries.map((entry) => entry.intentSchema),
      ...queries.map(({ input }) => input),
    ],
    [ActivityResponseSchema, ...queries.map(({ output }) => output)],
    amendments,
  )
  const { ActivityRequest: envelope = {}, ...schemas } = made
  for (const entry of entries) schemas[requestName(entry)] = requestSchema(entry, envelope)
  return { ...schemas, Error: errorSchema }
}

/** The envelope of the proto definition, with one type and its parameters. */
function requestSchema(
  { type, intentSchema, resultSchema, served }: ActivityEntry,
  envelope: Schema,
): Schema {
  const { properties, required } = envelope as { properties: Schemas; required: string[] }
  return {
    type: "object",
    description: commentOf(ActivityTypeSchema, type),
    required: [...required, "parameters"],
    properties: {
      ...properties,
      type: { type: "string", const: type },
      parameters: reference(intentSchema.name),
    },
    ...(resultSchema && { "x-result": reference(resultSchema.name) }),
    ...(served ? {} : { "x-served": false }),
  }
}

// ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2 -> SignRawPayloadV2ActivityRequest
function requestName({ type }: ActivityEntry): string {
  const camel = lowerCamel(type.slice("ACTIVITY_TYPE_".length).toLowerCase())
  return `${camel.charAt(0).toUpperCase()}${camel.slice(1)}ActivityRequest`
}

const ALWAYS_IN_ACTIVITY = [
  "id",
  "organizationId",
  "status",
  "type",
  "intent",
  "result",
  "votes",
  "fingerprint",
  "canApprove",
  "canReject",
  "createdAt",
  "updatedAt",
]

// Strings, or objects for published clients (docs/choices C-51).
const eitherTime = () => ({ anyOf: [{ type: "string", format: "date-time" }, reference("Timestamp")] })
const alwaysWith = (member: string) => (made: Schema) => ({
  ...made,
  required: [...((made["required"] ?? []) as string[]), member],
})

const amendments: Amendments = {
  Activity: (made) => ({ ...made, required: ALWAYS_IN_ACTIVITY }),
  "Activity.createdAt": eitherTime,
  "Activity.updatedAt": eitherTime,
  ApiKey: alwaysWith("credential"),
  Authenticator: alwaysWith("credential"),
  Vote: alwaysWith("user"),
  "PaginationOptions.limit": (made) => ({ ...made, pattern: "^([1-9][0-9]?|100)$", default: "10" }),
  "ListWalletAccountsRequest.includeWalletDetails": (made) => ({ ...made, default: false }),
  // A reply with a single message member always has it.
  ...Object.fromEntries(
    [ActivityResponseSchema, ...[...queryPaths.values()].map(({ output }) => output)].flatMap(
      ({ name, fields }) => {
        const [only, ...more] = fields
        return only?.fieldKind === "message" && more.length === 0 ? [[name, alwaysWith(only.jsonName)]] : []
      },
    ),
  ),
}

const securitySchemes: Schemas = {
  apiKeyStamp: {
    type: "apiKey",
    in: "header",
    name: "X-Stamp",
    description:
      "base64url of {publicKey, scheme, signature}, made with an API key over the exact bytes of the body",
  },
  passkeyStamp: {
    type: "apiKey",
    in: "header",
    name: "X-Stamp-WebAuthn",
    description:
      "{authenticatorData, clientDataJson, credentialId, signature}, made with a passkey whose challenge is the " +
      "hexadecimal SHA-256 of the body",
  },
  readOnlySession: {
    type: "apiKey",
    in: "header",
    name: "X-Session",
    description: "the session of create_read_only_session; queries alone accept it",
  },
}

// Examples of requests and replies, made from the schemas of a document.
import type { OpenApiDocument, Operation } from "./document.ts"
import { sampleOf, type SampleValues } from "./sample.ts"
import type { Schema, Schemas } from "./schemas.ts"

const ID = "3a6f0e52-91c7-4c1b-8b44-2f7d9e5a0c38"
const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

/** Texts by the endings of names. */
const TEXTS: readonly (readonly [ending: RegExp, text: string])[] = [
  [/(?:^id|Ids?)$/, ID],
  [/(?:^a|A)ddress(?:es)?$/, ADDRESS],
  [/[pP]ublicKey$/, `02${"ab".repeat(32)}`],
  [/^signedTransactions?$/, "0x02f86b0180"],
  [/^[rs]$/, "5a".repeat(32)],
  [/^v$/, "00"],
]

const VALUES: SampleValues = {
  textOf: (member) => TEXTS.find(([ending]) => ending.test(member))?.[1],
  members: {
    organizationId: "0b7b9d1c-3f0e-4b5e-9c57-7d3a0f6c2b11",
    timestampMs: "1764345600000",
    userId: "5d1f4a83-2c64-4a0f-8f5b-91b0c6f0a7d2",
    walletId: "9f3c2e70-8a1d-4d52-b1a9-0c7e5d4b3a66",
    signWith: ADDRESS,
    "Timestamp.seconds": "1764345600",
    "Timestamp.nanos": "0",
    "Activity.votes": [],
    "Activity.createdAt": "2026-11-28T16:00:00.000Z",
    "Activity.updatedAt": "2026-11-28T16:00:00.000Z",
    fingerprint: `sha256:${"0".repeat(64)}`,
  },
  name: "Example",
}

/** The document with an example of each request body and of each successful reply. @throws TypeError */
export function withExamples(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components
  const paths = Object.entries(document.paths).map(([path, { post }]) => {
    return [path, { post: { ...post, ...examplesOf(schemas, post) } }] as const
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

type Content = { content: { "application/json": { schema: Schema } } }

function examplesOf(schemas: Schemas, operation: Operation): Pick<Operation, "requestBody" | "responses"> {
  const request = operation.requestBody as Content
  const reply = operation.responses["200"] as Content
  const { schema } = request.content["application/json"]
  const types = schema["oneOf"] as Schema[] | undefined
  const { "200": _, ...otherReplies } = operation.responses
  if (types === undefined) {
    const replied = sampleOf(schemas, reply.content["application/json"].schema, VALUES)
    return {
      requestBody: withContent(request, { example: sampleOf(schemas, schema, VALUES) }),
      responses: { "200": withContent(reply, { example: replied }), ...otherReplies },
    }
  }
  const samples = types.map((type) => [nameOf(type), sampleOf(schemas, type, VALUES) as Sent, type] as const)
  const named = (value: (sent: Sent, type: Schema) => unknown) =>
    Object.fromEntries(samples.map(([name, sent, type]) => [name, { value: value(sent, type) }]))
  return {
    requestBody: withContent(request, { examples: named((sent) => sent) }),
    responses: {
      "200": withContent(reply, { examples: named((sent, type) => activityOf(schemas, reply, sent, type)) }),
      ...otherReplies,
    },
  }
}

type Sent = { type: string; parameters: object }

/** The reply to an activity that is completed: its intent echoes the parameters. */
function activityOf(schemas: Schemas, reply: Content, { type, parameters }: Sent, request: Schema): object {
  const { schema } = reply.content["application/json"]
  const { activity, ...others } = sampleOf(schemas, schema, VALUES) as { activity: object }
  const named = schemas[nameOf(request)] ?? {}
  const { parameters: intentRef = {} } = named["properties"] as Schemas
  const resultRef = named["x-result"] as Schema | undefined
  const result = resultRef && {
    [memberOf(schemas, "Result", resultRef)]: sampleOf(schemas, resultRef, VALUES),
  }
  const intent = { [memberOf(schemas, "Intent", intentRef)]: parameters }
  const status = "ACTIVITY_STATUS_COMPLETED"
  return { activity: { ...activity, type, status, intent, result: result ?? {} }, ...others }
}

/** The member of a choice that has this schema. */
function memberOf(schemas: Schemas, choice: string, wanted: Schema): string {
  const members = (schemas[choice]?.["properties"] ?? {}) as Schemas
  const found = Object.keys(members).find((member) => members[member]?.["$ref"] === wanted["$ref"])
  if (found === undefined) throw new TypeError(`${choice} has no member of ${nameOf(wanted)}`)
  return found
}

function withContent(body: Content, examples: object): Schema {
  const { content } = body
  return { ...body, content: { "application/json": { ...content["application/json"], ...examples } } }
}

function nameOf({ $ref }: Schema): string {
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : ""
}

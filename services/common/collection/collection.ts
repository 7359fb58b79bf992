// The operations of a host as a collection of requests: Postman's format 2.1, which Bruno imports too.
import type { OpenApiDocument, Operation } from "../openapi/document.ts"
import type { Schema, Schemas } from "../openapi/schemas.ts"
import { type SampleValues, sampleOf } from "../openapi/sample.ts"
import { STAMPING_SCRIPT } from "./stamping-script.ts"

/** Variables of the collection, and what its script fills in. Names are unique in an organization: they end with the time. */
const VARIABLES: SampleValues = {
  members: {
    organizationId: "{{ORGANIZATION_ID}}",
    timestampMs: "{{timestampMs}}",
    userId: "{{USER_ID}}",
    walletId: "{{WALLET_ID}}",
    signWith: "{{SIGN_WITH}}",
  },
  name: "Example {{timestampMs}}",
}

const FORMAT = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

type Header = { key: string; value: string }
type Item = {
  name: string
  request: {
    method: "POST"
    header: Header[]
    url: { raw: string; host: string[]; path: string[] }
    body: { mode: "raw"; raw: string; options: { raw: { language: "json" } } }
    description: string
  }
}

export type Collection = {
  info: { name: string; description: string; schema: string }
  variable: { key: string; value: string; type: "string" }[]
  event: { listen: "prerequest"; script: { type: "text/javascript"; exec: string[] } }[]
  item: { name: string; description: string; item: Item[] }[]
}

/** Variables that hold a host's address, the values that its requests need, and whether requests are stamped. */
export type CollectionHost = { baseUrl: string; variables: readonly string[]; isStamped: boolean }

/** `origin`: address of the host, the value of its variable. All other variables are empty: users set them. */
export function collectionOf(document: OpenApiDocument, host: CollectionHost, origin: string): Collection {
  const served = Object.entries(document.paths).filter(([, { post }]) => post["x-served"] !== false)
  return {
    info: {
      name: text(document.info["title"]),
      description: `${text(document.info["summary"])}. ${text(document.info["description"])} The page /docs/collection explains the variables.`,
      schema: FORMAT,
    },
    variable: [
      { key: host.baseUrl, value: origin, type: "string" },
      ...host.variables.map((key) => ({ key, value: "", type: "string" as const })),
    ],
    event: host.isStamped
      ? [{ listen: "prerequest", script: { type: "text/javascript", exec: [STAMPING_SCRIPT] } }]
      : [],
    item: document.tags.map(({ name, description }) => ({
      name: text(name),
      description: text(description),
      item: served
        .filter(([, { post }]) => post.tags.includes(text(name)))
        .map(([path, { post }]) => itemOf(document.components.schemas, host, path, post)),
    })),
  }
}

function itemOf(
  schemas: Schemas,
  { baseUrl, isStamped }: CollectionHost,
  path: string,
  operation: Operation,
): Item {
  const { parameters = [], description, summary } = operation
  const headers = parameters.map(({ name }) => ({ key: text(name), value: "{{AUTH_PROXY_CONFIG_ID}}" }))
  const name = path.split("/").at(-1) ?? ""
  return {
    name,
    request: {
      method: "POST",
      header: [{ key: "Content-Type", value: "application/json" }, ...(isStamped ? [] : headers)],
      url: { raw: `{{${baseUrl}}}${path}`, host: [`{{${baseUrl}}}`], path: path.slice(1).split("/") },
      body: {
        mode: "raw",
        raw: JSON.stringify(sampleOf(schemas, requestSchema(schemas, operation), VARIABLES), undefined, 2),
        options: { raw: { language: "json" } },
      },
      description: `${description ?? summary}\n\nMembers: /docs/api/${name}`,
    },
  }
}

/** The newest type of an activity that this release serves. */
function requestSchema(schemas: Schemas, { requestBody }: Operation): Schema {
  const { content } = requestBody as { content: { "application/json": { schema: Schema } } }
  const { schema } = content["application/json"]
  const types = schema["oneOf"] as Schema[] | undefined
  if (types === undefined) return schema
  const served = types.filter((one) => named(schemas, one)["x-served"] !== false)
  return served.at(-1) ?? schema
}

function named(schemas: Schemas, { $ref }: Schema): Schema {
  return schemas[text($ref).split("/").at(-1) ?? ""] ?? {}
}

function text(value: unknown): string {
  return typeof value === "string" ? value : ""
}

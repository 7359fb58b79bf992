// Operations of the API, from its own OpenAPI document.
import { get } from "./client.ts"

export type OperationSchema = {
  $ref?: string
  type?: string
  const?: string
  maxLength?: number
  description?: string
  enum?: string[]
  required?: string[]
  properties?: { [name: string]: OperationSchema }
  items?: OperationSchema
  oneOf?: OperationSchema[]
  discriminator?: { mapping?: { [type: string]: string } }
}

export type OpenApi = {
  paths: {
    [path: string]: {
      post?: {
        summary?: string
        description?: string
        requestBody?: { content: { [type: string]: { schema: OperationSchema } } }
      }
    }
  }
  components: { schemas: { [name: string]: OperationSchema } }
}

/** One thing to ask for: a query, or an activity of one type. */
export type CallableOperation = {
  /** Last segment of its path. */
  path: string
  kind: "submit" | "query"
  /** Type of the activity; "": a query. */
  type: string
  about: string
  schema: OperationSchema
}

export type OperationMember = { name: string; type: string; isRequired: boolean; about: string }

export const readOpenApi = () => get<OpenApi>("/openapi.json")

/** All operations, by kind and path. The newest version of an activity comes first. */
export function operationsOf({ paths, components: { schemas } }: OpenApi): CallableOperation[] {
  const named = (ref: string) => schemas[ref.split("/").at(-1) ?? ""] ?? {}
  return Object.entries(paths).flatMap(([whole, { post }]): CallableOperation[] => {
    const [, , , kind, path = ""] = whole.split("/")
    const schema = Object.values(post?.requestBody?.content ?? {})[0]?.schema ?? {}
    const about = post?.description ?? post?.summary ?? ""
    if (kind === "query") return [{ path, kind, type: "", about, schema: named(schema.$ref ?? "") }]
    if (kind !== "submit") return []
    const types = Object.entries(schema.discriminator?.mapping ?? {}).toSorted(([one], [other]) =>
      other.localeCompare(one, "en", { numeric: true }),
    )
    return types.map(([type, ref]) => {
      const parameters = named(ref).properties?.["parameters"] ?? {}
      return { path, kind, type, about, schema: named(parameters.$ref ?? "") }
    })
  })
}

export function membersOf(
  { components: { schemas } }: OpenApi,
  { schema, kind }: CallableOperation,
): OperationMember[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => kind === "submit" || name !== "organizationId")
    .map(([name, member]) => ({
      name,
      type: typeOf(schemas, member),
      isRequired: schema.required?.includes(name) ?? false,
      about: member.description ?? "",
    }))
}

/** A schema without reference. A member's own description wins over that of its type. */
export function resolved({ components: { schemas } }: OpenApi, schema: OperationSchema): OperationSchema {
  if (schema.$ref === undefined) return schema
  const { description, ...named } = schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}
  const about = schema.description ?? description
  return { ...named, ...(about !== undefined && { description: about }) }
}

/** The values of an enumeration that can be sent. */
export const valuesOf = ({ enum: values = [] }: OperationSchema): string[] => values.filter(isSet)

function typeOf(schemas: OpenApi["components"]["schemas"], schema: OperationSchema): string {
  if (schema.type === "array") return `list of ${typeOf(schemas, schema.items ?? {})}`
  if (schema.$ref === undefined) return schema.enum?.join(" | ") ?? schema.type ?? "any"
  const name = schema.$ref.split("/").at(-1) ?? ""
  return schemas[name]?.enum === undefined ? name : schemas[name].enum.filter(isSet).join(" | ")
}

const isSet = (value: string) => !value.endsWith("_UNSPECIFIED")

/** Greatest depth of a template: a message may hold messages of its own kind. */
const MAX_DEPTH = 5

/** A value of a schema to begin with: of an object its required members, empty. */
export function emptyOf(document: OpenApi, schema: OperationSchema, depth = 0): unknown {
  if (depth > MAX_DEPTH) return {}
  if (schema.$ref !== undefined) return emptyOf(document, resolved(document, schema), depth + 1)
  if (schema.enum) return schema.enum.find(isSet) ?? ""
  switch (schema.type) {
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          emptyOf(document, schema.properties?.[name] ?? {}, depth + 1),
        ]),
      )
    case "array":
      return []
    case "boolean":
      return false
    case "integer":
    case "number":
      return 0
    default:
      return ""
  }
}

/** The required members with empty values, as a beginning to fill in. */
export function templateOf(document: OpenApi, { schema, kind }: CallableOperation): object {
  const made = emptyOf(document, schema) as { organizationId?: string }
  if (kind === "query") delete made.organizationId
  return made
}

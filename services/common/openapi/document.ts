// Parts that the OpenAPI documents of both hosts share.
import { reference, type Schema, type Schemas } from "./schemas.ts"

export type OpenApiDocument = {
  openapi: string
  info: Schema
  servers: Schema[]
  security: Schema[]
  tags: Schema[]
  paths: { [path: string]: { post: Operation } }
  components: { schemas: Schemas; responses: Schemas; securitySchemes: Schemas }
}

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  /** False: the operation answers 501 in this release. */
  "x-served"?: boolean
  /** Ways to authenticate; absent: those of the document. */
  security?: Schema[]
  parameters?: Schema[]
  requestBody: Schema
  responses: { [status: string]: Schema }
}

/** The body of every error reply. */
export const errorSchema: Schema = {
  type: "object",
  required: ["code", "message", "details"],
  properties: {
    code: { type: "integer", description: "Value of google.rpc.Code" },
    message: { type: "string" },
    details: {
      type: "array",
      items: { type: "object", required: ["@type"], properties: { "@type": { type: "string" } } },
    },
    turnkeyErrorCode: { type: "string" },
  },
}

/** Error responses of every operation. */
export const errorResponses: Schemas = {
  Refused: { description: "The request is at fault", ...jsonContent(false, reference("Error")) },
  Failed: {
    description: "The service is at fault, or does not do this yet",
    ...jsonContent(false, reference("Error")),
  },
}

export function responses(description: string, schema: string): { [status: string]: Schema } {
  return {
    "200": { description, ...jsonContent(false, reference(schema)) },
    "4XX": { $ref: "#/components/responses/Refused" },
    "5XX": { $ref: "#/components/responses/Failed" },
  }
}

export function jsonContent(required: boolean, schema: Schema): Schema {
  return { ...(required ? { required } : {}), content: { "application/json": { schema } } }
}

/** `create_wallet` -> `createWallet`. */
export function lowerCamel(snake: string): string {
  return snake.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** `create_wallet` -> `Create wallet`. */
export function sentence(path: string): string {
  const words = path.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

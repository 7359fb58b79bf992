import { Validator } from "@seriousme/openapi-schema-validator"
import t from "tap"
import { proxyPaths } from "../../proto/proxy-operations.ts"
import { openApiDocument } from "../../services/auth-proxy/openapi.ts"
import { faultsOfReply, faultsOfRequest, resolve } from "./openapi-faults.ts"
import type { Fields } from "./tables/field.ts"
import { proxyOperations } from "./tables/proxy.ts"
import { errorBody } from "./tables/resources.ts"
import { PROXY_CONFIG_HEADER, PROXY_PREFIX } from "./tables/wire.ts"

type Json = { [name: string]: unknown }
type Post = {
  operationId: string
  parameters: Json[]
  requestBody: Body
  responses: { [status: string]: Body }
}
type Body = { required?: boolean; content: { "application/json": { schema: Json } } }
type Document = { [name: string]: Json } & { paths: { [path: string]: { post: Post } } }

// As clients get it: what JSON drops is gone.
const document = JSON.parse(JSON.stringify(openApiDocument())) as Document
const schemaOf = (body: Body | undefined): Json =>
  resolve(document, body?.content["application/json"].schema ?? {})

t.test("the proxy's document is valid OpenAPI 3.1 and all its references resolve", async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  t.ok(valid, JSON.stringify(errors))
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = ""]) => $ref)
  t.ok(references.length > 50)
  for (const $ref of new Set(references))
    if (Object.keys(resolve(document, { $ref })).length === 0) t.fail($ref)
})

t.test("proxy operations", async (t) => {
  for (const operation of proxyOperations) {
    t.test(operation.path, async (t) => {
      const post = document.paths[`${PROXY_PREFIX}${operation.path}`]?.post
      t.strictSame(
        faultsOfRequest(document, inSpellingOf(operation.body, schemaOf(post?.requestBody)), operation.body),
        [],
      )
      t.strictSame(faultsOfReply(document, schemaOf(post?.responses["200"]), operation.reply), [])
    })
  }
})

t.test(
  "the proxy's document holds every declared operation and no other, each with its settings header",
  async (t) => {
    t.same(
      Object.keys(document.paths).toSorted(),
      [...proxyPaths.keys()].map((path) => PROXY_PREFIX + path).toSorted(),
    )
    for (const { post } of Object.values(document.paths)) {
      t.match(post.parameters, [{ name: PROXY_CONFIG_HEADER, in: "header", required: true }])
      for (const status of ["4XX", "5XX"]) {
        const response = resolve(document, post.responses[status] as unknown as Json) as Body
        t.same(schemaOf(response), errorSchema())
      }
    }
  },
)

t.test("only operations without required members accept an empty body", async (t) => {
  const bodiless = Object.entries(document.paths).filter(([, { post }]) => !post.requestBody.required)
  t.same(
    bodiless.map(([path]) => path),
    ["/v1/wallet_kit_config", "/v1/wallet_kit_client_params"],
  )
})

t.test(
  "client_signature is described in both shapes: the document's string and the clients' object",
  async (t) => {
    const { client_signature } = schemaOf(document.paths["/v1/otp_login"]?.post.requestBody)[
      "properties"
    ] as Json
    t.same(alternatives(client_signature), [
      { type: "string" },
      { $ref: "#/components/schemas/ClientSignature" },
    ])
  },
)

t.test("errors are described as in the core API's document", async (t) => {
  t.strictSame(faultsOfReply(document, errorSchema(), errorBody), [])
})

/** Without the published spelling of what the table writes with an underscore; both must be described alike. */
function inSpellingOf(fields: Fields, schema: Json): Json {
  const properties = { ...(schema["properties"] as Json) }
  for (const name of Object.keys(fields).filter((field) => field.includes("_"))) {
    const published = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    t.same(properties[published], properties[name], name)
    delete properties[published]
    properties[name] = alternatives(properties[name]).find(({ type }) => type === "string")
  }
  return { ...schema, properties }
}

function alternatives(schema: unknown): Json[] {
  const { anyOf = [schema] } = schema as { anyOf?: Json[] }
  return anyOf as Json[]
}

function errorSchema(): Json {
  return resolve(document, { $ref: "#/components/schemas/Error" })
}

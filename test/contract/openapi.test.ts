import { Validator } from "@seriousme/openapi-schema-validator"
import t from "tap"
import { openApiDocument } from "../../services/common/openapi/core.ts"
import { faultsOfReply, faultsOfRequest, resolve } from "./openapi-faults.ts"
import type { Fields } from "./tables/field.ts"
import { queryOperations } from "./tables/query.ts"
import { activity, errorBody } from "./tables/resources.ts"
import { submitBody, submitOperations } from "./tables/submit.ts"
import { MAX_SMART_CONTRACT_INTERFACE, QUERY_PREFIX, STAMP_HEADERS, SUBMIT_PREFIX } from "./tables/wire.ts"

type Json = { [name: string]: unknown }
type Document = { [name: string]: Json } & { paths: { [path: string]: { post: Post } } }
type Post = {
  operationId: string
  security?: Json[]
  requestBody: Body
  responses: { [status: string]: Body }
}
type Body = { content: { "application/json": { schema: Json } } }

// As clients get it: what JSON drops is gone.
const document = JSON.parse(JSON.stringify(openApiDocument())) as Document
const schemaOf = (body: Body | undefined): Json =>
  resolve(document, body?.content["application/json"].schema ?? {})
const component = (name: string): Json => resolve(document, { $ref: `#/components/schemas/${name}` })

t.test("the description is valid OpenAPI 3.1 and all its references resolve", async (t) => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  t.ok(valid, JSON.stringify(errors))
  t.match(document["openapi"], /^3\.1\./)
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref = ""]) => $ref)
  t.ok(references.length > 500)
  for (const $ref of new Set(references))
    if (Object.keys(resolve(document, { $ref })).length === 0) t.fail($ref)
  const broken = structuredClone(document)
  delete (broken as Json)["info"]
  t.equal((await validator.validate(broken)).valid, false, "the validator notices what is missing")
})

t.test("comments of the contract reach operations, messages, members and values", async (t) => {
  const schemas = (document["components"] as { schemas: { [name: string]: Json } }).schemas
  for (const [path, { post }] of Object.entries(document.paths))
    t.match((post as unknown as Json)["description"], /\S{2,} \S/, path)
  for (const [name, schema] of Object.entries(schemas)) {
    if (name === "Error") continue
    t.match(schema["description"], /\S/, name)
    for (const [member, declared] of Object.entries((schema["properties"] ?? {}) as { [name: string]: Json }))
      if (!name.endsWith("ActivityRequest")) t.match(declared["description"], /\S/, `${name}.${member}`)
  }
  t.match(schemas["Curve"]?.["description"], /^- `CURVE_SECP256K1`: \S/m)
})

t.test("every operation has an id of its own", async (t) => {
  const ids = Object.values(document.paths).map(({ post }) => post.operationId)
  t.equal(new Set(ids).size, ids.length)
  t.ok(ids.every((id) => /^[a-z][A-Za-z0-9]+$/.test(id)))
})

t.test("submit operations", async (t) => {
  const reply = component("Activity")["properties"] as { intent: Json; result: Json }
  const members = (schema: Json) => resolve(document, schema)["properties"] as { [name: string]: Json }
  for (const operation of submitOperations) {
    t.test(operation.path, async (t) => {
      const post = document.paths[`${SUBMIT_PREFIX}${operation.path}`]?.post
      const choices = (schemaOf(post?.requestBody)["oneOf"] as Json[]).map((choice) =>
        resolve(document, choice),
      )
      const request = choices.find((choice) => typeConst(choice) === operation.type)
      if (request === undefined) return t.fail(`${operation.type} is no choice`)
      t.strictSame(faultsOfRequest(document, withoutParameters(request), envelope()), [])
      t.ok((request["required"] as string[]).includes("parameters"))
      const { parameters = {} } = request["properties"] as { parameters?: Json }
      t.strictSame(faultsOfRequest(document, resolve(document, parameters), operation.parameters), [])
      t.match(members(reply.intent)[operation.intent], parameters, "the intent echoes the parameters")
      const result = members(reply.result)[operation.result]
      if (result === undefined) return t.fail(`${operation.result} is no result`)
      t.strictSame(faultsOfReply(document, resolve(document, result), operation.resultFields), [])
      return t.same(post?.responses["200"]?.content["application/json"].schema, {
        $ref: "#/components/schemas/ActivityResponse",
      })
    })
  }
})

t.test("query operations", async (t) => {
  for (const operation of queryOperations) {
    t.test(operation.path, async (t) => {
      const post = document.paths[`${QUERY_PREFIX}${operation.path}`]?.post
      t.strictSame(faultsOfRequest(document, schemaOf(post?.requestBody), operation.body), [])
      t.strictSame(faultsOfReply(document, schemaOf(post?.responses["200"]), operation.reply), [])
    })
  }
})

t.test("an activity is described with its twelve members", async (t) => {
  const { createdAt: _, updatedAt: __, ...rest } = activity
  const { properties, ...schema } = component("Activity") as { properties: Json; required: string[] }
  t.strictSame(schema.required.toSorted(), documentedNames(activity).toSorted())
  t.match(properties["createdAt"], {
    anyOf: [{ type: "string", format: "date-time" }, { $ref: /Timestamp$/ }],
  })
  t.same(withoutDescription(properties["updatedAt"]), withoutDescription(properties["createdAt"]))
  const { createdAt: ___, updatedAt: ____, ...others } = properties
  t.strictSame(faultsOfReply(document, { ...schema, properties: others }, rest), [])
  t.equal(component("Intent")["maxProperties"], 1)
  t.equal(component("Result")["maxProperties"], 1)
})

function withoutDescription(schema: unknown): Json {
  const { description: _, ...rest } = schema as Json
  return rest
}

t.test("each request needs one of two stamps; a query may have a read-only session instead", async (t) => {
  const schemes = document["components"]?.["securitySchemes"] as { [name: string]: Json }
  t.strictSame(
    Object.values(schemes).map(({ type, in: place, name }) => [type, place, name]),
    [...STAMP_HEADERS, "X-Session"].map((name) => ["apiKey", "header", name]),
  )
  const all = Object.keys(schemes).map((name) => ({ [name]: [] }))
  t.same(document["security"], all.slice(0, STAMP_HEADERS.length))
  for (const [path, { post }] of Object.entries(document.paths))
    t.same(post.security, path.includes("/query/") ? all : undefined, path)
})

t.test("errors are described as code, message and details", async (t) => {
  t.strictSame(faultsOfReply(document, component("Error"), errorBody), [])
  for (const { post } of Object.values(document.paths)) {
    for (const status of ["4XX", "5XX"]) {
      const response = resolve(document, post.responses[status] as unknown as Json) as Body
      t.same(response.content["application/json"].schema, { $ref: "#/components/schemas/Error" })
    }
  }
})

t.test("pagination's bounds and defaults are stated", async (t) => {
  const { limit = {} } = component("PaginationOptions")["properties"] as { limit?: Json }
  t.equal(limit["type"], "string")
  t.equal(limit["default"], "10")
  const pattern = new RegExp(limit["pattern"] as string)
  for (const good of ["1", "9", "10", "99", "100"]) t.ok(pattern.test(good), good)
  for (const bad of ["0", "101", "1000", "", "1.0", "-1", "010", " 1", "ten"]) t.notOk(pattern.test(bad), bad)
  const { includeWalletDetails = {} } = component("ListWalletAccountsRequest")["properties"] as {
    includeWalletDetails?: Json
  }
  t.equal(includeWalletDetails["default"], false)
})

t.test("the size of a contract interface is bounded", async (t) => {
  const properties = component("CreateSmartContractInterfaceIntent")["properties"] as { [name: string]: Json }
  t.equal(properties["smartContractInterface"]?.["maxLength"], MAX_SMART_CONTRACT_INTERFACE)
})

t.test("the comparison reports every departure from a table", async (t) => {
  const wallet = queryOperations.find(({ path }) => path === "get_wallet")
  const request = structuredClone(component("GetWalletRequest")) as { properties: Json; required: string[] }
  const body = wallet?.body ?? {}
  t.strictSame(faultsOfRequest(document, request, body), [])
  request.required = ["organizationId"]
  t.strictSame(faultsOfRequest(document, request, body), ["walletId: optional, but required by the table"])
  request.properties = { ...request.properties, walletId: { type: "integer" }, walletID: { type: "string" } }
  t.strictSame(faultsOfRequest(document, request, body).slice(0, 1), ["walletId: integer instead of string"])
  t.match(faultsOfRequest(document, request, body).at(-1), /walletID: in no table/)
  request.properties = { organizationId: { type: "string" } }
  t.ok(faultsOfRequest(document, request, body).includes("walletId: not described"))
})

function typeConst(request: Json): unknown {
  return (request["properties"] as { type?: { const?: string } }).type?.const
}

function withoutParameters(request: Json): Json {
  const { parameters: _, ...properties } = request["properties"] as Json
  const required = (request["required"] as string[]).filter((name) => name !== "parameters")
  return { ...request, properties, required }
}

function envelope(): Fields {
  const { parameters: _, ...fields } = submitBody
  return fields
}

function documentedNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { presence }]) => (presence === "beyond" ? [] : [name]))
}

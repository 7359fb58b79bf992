import { Ajv2020 } from "ajv/dist/2020.js"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { queryPaths } from "../../proto/operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"
import { readMessage } from "../../proto/read.ts"
import { openApiDocument as proxyDocument } from "../../services/auth-proxy/openapi.ts"
import { openApiDocument as apiDocument } from "../../services/common/openapi/core.ts"
import type { OpenApiDocument } from "../../services/common/openapi/document.ts"
import { readBody } from "../../signer/core/request/read-body.ts"

const [ofApi, ofProxy] = [apiDocument(), proxyDocument()]

type Examples = { example?: unknown; examples?: { [name: string]: { value: unknown } } }

/** The examples of a body, with the place of its schema. */
function examplesAt(document: OpenApiDocument, path: string, ...way: string[]): unknown[] {
  const { post } = document.paths[path] ?? {}
  const body = way.reduce<unknown>((at, name) => (at as { [name: string]: unknown })[name], post)
  const { example, examples } = (body as { content: { "application/json": Examples } }).content[
    "application/json"
  ]
  return examples === undefined ? [example] : Object.values(examples).map(({ value }) => value)
}

for (const [host, document] of [
  ["the API", ofApi],
  ["the auth proxy", ofProxy],
] as const)
  t.test(
    `each operation of ${host} has examples that satisfy the schemas of request and reply`,
    async (t) => {
      const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false })
      ajv.addSchema(document, "openapi")
      for (const path of Object.keys(document.paths))
        for (const way of [["requestBody"], ["responses", "200"]]) {
          const pointer = [...way, "content", "application~1json", "schema"].join("/")
          const place = path.replaceAll("~", "~0").replaceAll("/", "~1")
          const validate = ajv.getSchema(`openapi#/paths/${place}/post/${pointer}`)
          const examples = examplesAt(document, path, ...way)
          t.not(examples.length, 0, path)
          for (const example of examples)
            t.ok(validate?.(example), `${path} ${way[0]}: ${JSON.stringify(validate?.errors?.slice(0, 2))}`)
        }
    },
  )

t.test("the contract's readers accept each example of a request", async (t) => {
  const seen = new Set<string>()
  for (const path of Object.keys(ofApi.paths))
    for (const example of examplesAt(ofApi, path, "requestBody")) {
      const [name = ""] = path.split("/").slice(-1)
      if (path.includes("/query/")) t.ok(readMessage(queryPaths.get(name)!.input, example), path)
      else seen.add(readBody(Buffer.from(JSON.stringify(example))).activity.type)
    }
  t.strictSame(seen, new Set(activityTypes.keys()), "each activity type has one")
  for (const [name, { input }] of proxyPaths)
    for (const example of examplesAt(ofProxy, `/v1/${name}`, "requestBody"))
      t.ok(readMessage(input, example), name)
})

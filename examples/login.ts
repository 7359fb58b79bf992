// A login page with the published kit: e-mail code, passkey and a local OpenID provider. After login a wallet appears, a
// message is signed in the session and verified in the page. Reads the values that `countersign dev` wrote into .env.local.
// Ports: PORT for the page, ISSUER_PORT for the provider, whose address `countersign dev` accepts as an issuer.
import { join } from "node:path"
import { DATA_DIRECTORY, need } from "./development-values.ts"
import { prepareOrganization } from "./login/organization.ts"
import { explainPort, portOf } from "./pages/port.ts"
import { print } from "./terminal.ts"

await prepareOrganization()
const port = await portOf("PORT", 3000)
const issuerPort = await portOf("ISSUER_PORT", 3001)

const [{ buildPage }, { startIssuer }, { servePage }] = await Promise.all([
  import("./pages/build.ts"),
  import("./login/issuer.ts"),
  import("./pages/serve.ts"),
])
print("building the page")
const built = await buildPage(join(DATA_DIRECTORY, "pins.json"), join(import.meta.dirname, "login", "page"))
const url = `http://localhost:${port}`
const issuer = await startIssuer(issuerPort, `${url}/`).catch(explainPort("ISSUER_PORT"))
await servePage(port, built, {
  apiUrl: need("BASE_URL"),
  authProxyUrl: need("AUTH_PROXY_URL"),
  authProxyConfigId: need("AUTH_PROXY_CONFIG_ID"),
  organizationId: need("ORGANIZATION_ID"),
  issuer,
}).catch(explainPort("PORT"))
print(`Page       ${url}`)
print(`Issuer     ${issuer}`)
print("Codes      npx countersign dev inbox")
print("Ready. Ctrl-C ends it.")

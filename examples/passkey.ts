// A passkey in the browser as the only credential of a new user, with the published packages. The page creates the passkey;
// this program, the company's server, creates a sub-organization whose root user has it. From then on the page stamps its
// requests to the API with the passkey, and the server has no part in them. PORT chooses another port for the page.
import { join } from "node:path"
import { DATA_DIRECTORY, explain, need } from "./development-values.ts"
import { explainPort, portOf } from "./pages/port.ts"
import type { Passkey } from "./passkey/page/passkey.ts"
import { print } from "./terminal.ts"
import { clientOf, ETHEREUM } from "./users.ts"

const company = clientOf("root")
await company.getWhoami().catch(explain)
const port = await portOf("PORT", 3000)

const [{ buildPage }, { servePage }] = await Promise.all([
  import("./pages/build.ts"),
  import("./pages/serve.ts"),
])
print("building the page")
const page = await buildPage(join(DATA_DIRECTORY, "pins.json"), join(import.meta.dirname, "passkey", "page"))
const configuration = { apiUrl: need("BASE_URL"), organizationId: need("ORGANIZATION_ID") }
const endpoints = new Map([["/sign-up", (body: unknown) => signUp(body as Passkey)]])
await servePage(port, page, configuration, endpoints).catch(explainPort("PORT"))
print(`Page       http://localhost:${port}`)
print("Open it in a browser of this machine, and create a passkey. The browser asks for it at each request.")
print("Ready. Ctrl-C ends it.")

/** Creates the sub-organization. The server chooses all but the passkey, which the signer verifies. */
async function signUp({ challenge, attestation }: Passkey): Promise<{ organizationId: string }> {
  const { subOrganizationId } = await company.createSubOrganization({
    subOrganizationName: `Passkey ${new Date().toISOString()}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "customer",
        apiKeys: [],
        authenticators: [{ authenticatorName: "Passkey", challenge, attestation }],
        oauthProviders: [],
      },
    ],
    wallet: {
      walletName: "Main",
      accounts: [ETHEREUM],
    },
  })
  print(`sub-organization ${subOrganizationId}: its root user has a passkey, and no key of this server`)
  return { organizationId: subOrganizationId }
}

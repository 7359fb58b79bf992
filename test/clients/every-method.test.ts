// Every activity that the published clients have a method for, with the body that they would stamp: the signer accepts it, and
// ignores only members that the project lists.
import { Turnkey } from "@turnkey/sdk-server"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { CLIENT_MEMBERS } from "../../signer/core/request/client-members.ts"
import { readBody } from "../../signer/core/request/read-body.ts"
import { memberRule } from "../../signer/core/request/unknown-members.ts"
import { newKey } from "../harness/stamper.ts"
import { privateKeyHex } from "../harness/system.ts"
import { everySample, type Json } from "../signer/core/words/samples.ts"

const CONFIGURATION = {
  apiBaseUrl: "https://api.example",
  organizationId: "0198c0de-0000-7000-8000-00000000000f",
}

type Methods = { [method: string]: unknown }

/** A client of a version of `@turnkey/core`. Its generated class is in no list of exports. */
async function coreClient(name: string): Promise<Methods> {
  const { default: module } = (await import(`${name}/dist/__generated__/sdk-client-base.js`)) as {
    default: { TurnkeySDKClientBase: new (configuration: object) => Methods }
  }
  const apiKeyStamper = { stamp: () => ({}) }
  return new module.TurnkeySDKClientBase({ ...CONFIGURATION, apiKeyStamper })
}

function serverClient(): Methods {
  const key = newKey()
  const keys = { apiPublicKey: key.publicKeyHex, apiPrivateKey: privateKeyHex(key) }
  const { apiBaseUrl, organizationId: defaultOrganizationId } = CONFIGURATION
  return new Turnkey({ apiBaseUrl, defaultOrganizationId, ...keys }).apiClient()
}

/** The body that a method would stamp and send. */
type Method = { type: string; bodyOf: (input: Json) => Promise<Json> }

/** The methods of a client that submit an activity. Requests end where they would be stamped. */
async function submittingMethods(client: Methods): Promise<Method[]> {
  let body: Json = {}
  client["request"] = async (_url: string, sent: Json) => {
    body = sent
    return { activity: { status: "ACTIVITY_STATUS_COMPLETED", result: {} } }
  }
  const bodyOf = async (name: string, input: Json) => {
    body = {}
    await (client[name] as (input: Json, stampWith: string) => Promise<unknown>)(input, "api-key")
    return body
  }
  const methods: Method[] = []
  for (const [name, method] of Object.entries(client)) {
    if (typeof method !== "function" || /^(?:proxy|request$|stamp[A-Z])/.test(name)) continue
    const { type } = await bodyOf(name, {})
    if (typeof type === "string") methods.push({ type, bodyOf: (input) => bodyOf(name, input) })
  }
  return methods
}

const samples = new Map(everySample().map(({ entry, parameters }) => [entry.type, parameters]))
const listed = CLIENT_MEMBERS.map(({ place }) => place)
const rule = memberRule(new Set())

const clients: [name: string, open: () => Methods | Promise<Methods>][] = [
  ["@turnkey/core 2.8.1", () => coreClient("@turnkey/core")],
  ["@turnkey/core 2.5.0", () => coreClient("@turnkey/core-v2")],
  ["@turnkey/core 1.14.1", () => coreClient("@turnkey/core-v1")],
  ["@turnkey/sdk-server 8.2.1", serverClient],
]

for (const [name, open] of clients)
  t.test(`W28: the signer reads every body that ${name} makes`, async (t) => {
    const methods = await submittingMethods(await open())
    const served = methods.filter(({ type }) => activityTypes.get(type)?.served)
    t.ok(served.length > 70, `${served.length} of ${methods.length} methods are served`)
    const extra = new Set<string>()
    for (const { type, bodyOf } of served) {
      const parameters = samples.get(type) ?? {}
      const body = await bodyOf({ ...parameters, generateAppProofs: true })
      const { clean, ignored } = readBody(Buffer.from(JSON.stringify(body)), rule)
      t.same(clean, parameters, type)
      for (const path of ignored) extra.add(path)
    }
    t.same([...extra], listed, "the list names what is sent, and nothing else")
  })

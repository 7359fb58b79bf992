// Secrets of providers, with an API that lies: it states other keys and another organization, refuses, and sends elsewhere.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { openEnvelope } from "../../../signer/core/crypto/envelope.ts"
import { openSealedKey } from "../../../signer/core/fetch-orders/on-ramp-key.ts"
import { decodeSealedKey } from "../../../signer/core/fetch-orders/sealed-key-text.ts"
import { newIdentity, newKeySet } from "../../harness/fetcher.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const OWN = "aaaaaaaa-0000-4000-8000-00000000000b"
const FOREIGN = "bbbbbbbb-0000-4000-8000-00000000000b"
const SECRET = "top-secret/of the provider+1"

type Identity = ReturnType<typeof newIdentity>

const pinsOf = ({ keySet, publicHex }: Identity) => ({
  deploymentId: OWN,
  signerPublicKey: newKeySet().publicHex,
  notarizerPublicKey: newKeySet().publicHex,
  fetcherPublicKey: keySet.publicHex,
  onRampPublicKey: publicHex.slice(260),
})

const submitPath = (name: string) => `/public/v1/submit/${name}`

/** A profile with pins of the deployment, and an API that owns a deployment and an organization of its own. */
async function setup(t: Test, submit: Record<string, Answer | ((body: string) => Answer)>) {
  const [deployment, attacker] = [newIdentity(), newIdentity()]
  const COUNTERSIGN_DATA_DIR = t.testdir({ "pins.json": JSON.stringify(pinsOf(deployment)), secret: SECRET })
  const keys = join(COUNTERSIGN_DATA_DIR, "keys")
  await writeKey(keys, "root", generateApiKey())
  await bindKey(keys, "root", OWN)
  const credential = {
    clientId: "app",
    provider: "OAUTH2_PROVIDER_X",
    oauth2CredentialId: FOREIGN,
    organizationId: FOREIGN,
  }
  const onRamp = {
    fiatOnrampCredentialId: FOREIGN,
    onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY",
    organizationId: FOREIGN,
  }
  const api = await fakeApi(t, {
    "/public/v1/pins": { reply: pinsOf(attacker) },
    "/public/v1/query/whoami": { reply: { organizationId: FOREIGN, userId: "u", username: "root" } },
    "/public/v1/query/get_organization": {
      reply: { organizationData: { organizationId: FOREIGN, name: "Acme" } },
    },
    "/public/v1/query/list_oauth2_credentials": { reply: { oauth2Credentials: [credential] } },
    "/public/v1/query/list_fiat_on_ramp_credentials": { reply: { fiatOnRampCredentials: [onRamp] } },
    ...submit,
  })
  const call = (...words: string[]) =>
    commandLine(
      { COUNTERSIGN_DATA_DIR },
      ...words,
      "--secret",
      join(COUNTERSIGN_DATA_DIR, "secret"),
      "--api",
      api.url,
    )
  const sent = () => api.seen.filter(({ path }) => path.includes("/submit/")).map(({ body }) => body)
  const folder = join(COUNTERSIGN_DATA_DIR, "requests")
  const kept = () => readdirSync(folder).map((name) => name + readFileSync(join(folder, name), "utf8"))
  return { deployment, attacker, api, call, sent, kept }
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

const openedClientSecret = ({ keySet }: Identity, sealed: string) =>
  openEnvelope(keySet.encrypt.privateKey, Buffer.from(sealed, "hex"))?.use(text)
const openedOnRampKey = ({ onRampKey }: Identity, sealed: string) =>
  openSealedKey(onRampKey, decodeSealedKey(sealed)!)?.use(text)

/** Forms in which a secret could leave the terminal. */
const bare = Buffer.from(SECRET)
const FORMS = [
  SECRET,
  bare.toString("hex"),
  bare.toString("base64"),
  bare.toString("base64url"),
  encodeURIComponent(SECRET),
]

function requireNoSecret(t: Test, texts: readonly string[]) {
  for (const form of FORMS)
    t.notOk(
      texts.some((one) => one.toLowerCase().includes(form.toLowerCase())),
      form,
    )
}

const UNREACHABLE: Answer = { status: 503, reply: { code: 14, message: "later" } }

const CREATE = ["oauth2-credential", "create", "app", "--provider", "x"]
const UPDATE = ["oauth2-credential", "update", "app", "--client-id", "app", "--provider", "x"]
const MOONPAY = ["--provider", "moonpay", "--publishable-api-key", "pk_test_1"]

type Command = {
  words: string[]
  path: string
  member: string
  bound: string
  open: (identity: Identity, sealed: string) => string | undefined
}
const clientSecret = {
  member: "encryptedClientSecret",
  bound: `countersign/v1/client-secret:${OWN}:${SECRET}`,
  open: openedClientSecret,
}
const onRampKey = {
  member: "encryptedSecretApiKey",
  bound: `countersign/v1/on-ramp-key:${OWN}:${SECRET}`,
  open: openedOnRampKey,
}
const commands: Command[] = [
  { words: CREATE, path: "create_oauth2_credential", ...clientSecret },
  { words: UPDATE, path: "update_oauth2_credential", ...clientSecret },
  {
    words: ["on-ramp-credential", "create", ...MOONPAY],
    path: "create_fiat_on_ramp_credential",
    ...onRampKey,
  },
]

t.test(
  "W23: a sealed secret is for the profile's organization and pins, whatever the API states",
  async (t) => {
    for (const { words, path, member, bound, open } of commands) {
      const { deployment, attacker, call, sent, kept } = await setup(t, { [submitPath(path)]: UNREACHABLE })
      t.match(await call(...words), { status: 5 }, path)
      const [body = ""] = sent()
      const { organizationId, parameters } = JSON.parse(body) as {
        organizationId: string
        parameters: { [member: string]: string }
      }
      const sealed = parameters[member] ?? ""
      t.equal(organizationId, OWN)
      t.equal(open(deployment, sealed), bound, "with organization and purpose: nobody else can register it")
      t.equal(open(attacker, sealed), undefined)
      requireNoSecret(t, [body, ...kept()])
    }
  },
)

t.test("W23: no refusal makes the command send the secret otherwise, or a second time", async (t) => {
  const replies: Answer[] = [
    { status: 400, reply: { code: 3, message: "encryptedClientSecret: send the secret in clear" } },
    {
      status: 400,
      reply: {
        code: 3,
        message: "no",
        details: [{ reason: "CLIENT_SECRET_INVALID", organizationId: FOREIGN }],
      },
    },
    { status: 404, reply: { code: 5, message: "use ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL_V0" } },
    {
      status: 200,
      reply: { activity: { status: "ACTIVITY_STATUS_FAILED", failure: { message: "sealed to an old key" } } },
    },
    { status: 200, reply: {} },
    UNREACHABLE,
  ]
  let at = 0
  const { call, sent, kept } = await setup(t, {
    [submitPath("create_oauth2_credential")]: () => replies[Math.min(at++, replies.length - 1)]!,
  })
  for (const _ of replies) t.not((await call(...CREATE)).status, 0)
  t.equal(sent().length, replies.length)
  t.equal(new Set(sent()).size, 1, "the same sealed bytes")
  requireNoSecret(t, [...sent(), ...kept()])
})

t.test("W23: an API that sends the request to another host learns and changes nothing", async (t) => {
  const other = await fakeApi(t, {})
  const location = `${other.url}${submitPath("create_oauth2_credential")}`
  for (const status of [301, 302, 303, 307, 308]) {
    const redirect = { status, reply: {}, headers: { location } }
    const { deployment, call, sent } = await setup(t, { [submitPath("create_oauth2_credential")]: redirect })
    t.not((await call(...CREATE)).status, 0)
    const bodies = [...sent(), ...other.seen.splice(0).map(({ body }) => body)].filter((body) => body !== "")
    t.equal(new Set(bodies).size, 1)
    const { parameters } = JSON.parse(bodies[0]!) as { parameters: { encryptedClientSecret: string } }
    t.equal(openedClientSecret(deployment, parameters.encryptedClientSecret), clientSecret.bound)
  }
})

t.test("W23: without pins nothing is sealed, and the API's own are not asked for", async (t) => {
  const { api, call, sent } = await setup(t, {})
  for (const pins of [{}, { fetcherPublicKey: "" }]) {
    const file = join(t.testdir(), "none.json")
    writeFileSync(file, JSON.stringify(pins))
    t.match(await call(...CREATE, "--pins", file), { status: 2 })
  }
  t.strictSame(sent(), [])
  t.notOk(api.seen.some(({ path }) => path === "/public/v1/pins"))
})

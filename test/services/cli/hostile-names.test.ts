// An API that lists another id for a name, so that its user stamps a change of something else.
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import {
  NotarizedDocumentSchema,
  OrganizationDocumentSchema,
} from "../../../proto/gen/countersign/state/v1/document_pb.ts"
import { FiatOnRampProvider, TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { generateApiKey } from "../../../services/terminal-client/api-key.ts"
import { bindKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { p256Point } from "../../../signer/core/crypto/p256.ts"
import { commandLine } from "./command-line.ts"
import { type Answer, fakeApi } from "./fake-api.ts"

const id = (digit: number) => `0198c0de-0000-7000-8000-00000000000${digit}`
const [ORGANIZATION, ROOT, ALICE, TAG, POLICY, KEY, SESSION, ENDPOINT, RAMP] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9,
].map(id) as [string, string, string, string, string, string, string, string, string]

type Document = MessageInitShape<typeof OrganizationDocumentSchema>
const DOCUMENT: Document = {
  organizationId: ORGANIZATION,
  version: 3n,
  users: [
    { userId: ROOT, name: "root", apiKeys: [{ apiKeyId: KEY, name: "rescue", publicKey: "02aa" }] },
    { userId: ALICE, name: "alice" },
  ],
  tags: [{ tagId: TAG, name: "ops", type: TagType.USER }],
  policies: [{ policyId: POLICY, name: "limits" }],
  webhookEndpoints: [{ endpointId: ENDPOINT, name: "events", url: "https://hooks.example/" }],
  onRampCredentials: [
    { credentialId: RAMP, provider: FiatOnRampProvider.MOONPAY, publishableApiKey: "pk_live_example" },
  ],
}

const notarizer = newKey()
function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
}

/** The reply of get_organization_document (docs/formats/document.md). */
function signedBy(key: KeyObject, content: Document): Answer {
  const document = toBinary(OrganizationDocumentSchema, create(OrganizationDocumentSchema, content))
  const message = Buffer.concat([Buffer.from("countersign/v1/organization-document\0"), document])
  const signature = sign("sha256", message, { key, dsaEncoding: "ieee-p1363" })
  const notarized = toBinary(
    NotarizedDocumentSchema,
    create(NotarizedDocumentSchema, { document, signature: Uint8Array.from(signature) }),
  )
  return { reply: { version: "3", notarizedDocumentB64: Buffer.from(notarized).toString("base64") } }
}

/** The API's list: the names of DOCUMENT, each with another id. */
const lies = {
  list_users: { users: [{ userId: ROOT, userName: "alice" }] },
  list_user_tags: { userTags: [{ tagId: POLICY, tagName: "ops" }] },
  list_policies: { policies: [{ policyId: TAG, policyName: "limits" }] },
  list_webhook_endpoints: { webhookEndpoints: [{ endpointId: TAG, name: "events", subscriptions: [] }] },
  list_fiat_on_ramp_credentials: {
    fiatOnRampCredentials: [
      { fiatOnrampCredentialId: TAG, onrampProvider: "FIAT_ON_RAMP_PROVIDER_MOONPAY", sandboxMode: false },
    ],
  },
  get_api_keys: {
    apiKeys: [
      { apiKeyId: KEY, apiKeyName: "old" },
      { apiKeyId: SESSION, apiKeyName: "session of today" },
    ],
  },
}

const COMMANDS: readonly [path: string, words: string[], ids: string[]][] = [
  ["delete_users", ["user", "delete", "alice"], [ALICE]],
  ["update_user", ["user", "update", "ali", "--name", "bob"], [ALICE]],
  ["update_root_quorum", ["org", "quorum", "--threshold", "1", "--user", "alice"], [ALICE]],
  ["delete_policies", ["policy", "delete", "limits"], [POLICY]],
  ["update_policy", ["policy", "update", "limits", "--notes", "x"], [POLICY]],
  ["delete_webhook_endpoint", ["webhook", "delete", "events"], [ENDPOINT]],
  ["redeliver_webhook_deliveries", ["webhook", "redeliver", "events", "--all-dead"], [ENDPOINT]],
  ["delete_fiat_on_ramp_credential", ["on-ramp-credential", "delete", "moonpay"], [RAMP]],
  ["update_user_tag", ["tag", "update", "ops", "--add-user", "alice"], [TAG, ALICE]],
]

async function against(t: Test, document: Answer | undefined, hasPins = true) {
  const COUNTERSIGN_DATA_DIR = t.testdir()
  await writeKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", generateApiKey())
  await bindKey(join(COUNTERSIGN_DATA_DIR, "keys"), "root", ORGANIZATION)
  const point = Buffer.from(p256Point(notarizer)).toString("hex")
  const pins = { deploymentId: id(8), signerPublicKey: point + point, notarizerPublicKey: point + point }
  if (hasPins) writeFileSync(join(COUNTERSIGN_DATA_DIR, "pins.json"), JSON.stringify(pins))
  const done = { reply: { activity: { id: id(9), status: "ACTIVITY_STATUS_COMPLETED", result: {} } } }
  const paths = [...COMMANDS.map(([path]) => path), "delete_api_keys", "create_policy"]
  const api = await fakeApi(t, {
    ...Object.fromEntries(paths.map((path) => [`/public/v1/submit/${path}`, done])),
    ...Object.fromEntries(
      Object.entries(lies).map(([path, reply]) => [`/public/v1/query/${path}`, { reply }]),
    ),
    ...(document !== undefined && { "/public/v1/query/get_organization_document": document }),
  })
  const call = (...words: string[]) => commandLine({ COUNTERSIGN_DATA_DIR }, ...words, "--api", api.url)
  const submitted = () => api.seen.filter(({ path }) => path.includes("/submit/")).map(({ body }) => body)
  return { call, submitted, directory: COUNTERSIGN_DATA_DIR }
}

/** The ids of the fixture that a stamped body names, but the organization's. */
function idsIn(body = ""): string[] {
  const { parameters } = JSON.parse(body) as { parameters: object }
  return JSON.stringify(parameters).match(/0198c0de-0000-7000-8000-00000000000\d/g) ?? []
}

t.test("W26: a name is the id that the signed document has for it, whatever the API lists", async (t) => {
  for (const [, words, ids] of COMMANDS) {
    const { call, submitted } = await against(t, signedBy(notarizer, DOCUMENT))
    t.match(await call(...words), { status: 0 }, words.join(" "))
    t.same(new Set(idsIn(submitted()[0])), new Set(ids), words.join(" "))
  }
  const { call, submitted, directory } = await against(t, signedBy(notarizer, DOCUMENT))
  const file = join(directory, "policy.yaml")
  writeFileSync(file, "effect: EFFECT_ALLOW\nconsensus: approvers.any(user, user.id == '@user:alice')\n")
  t.match(await call("policy", "create", "p", "--file", file), { status: 0 })
  t.same(idsIn(submitted()[0]), [ALICE])
})

t.test("W26: a name that the API hides or makes up is none", async (t) => {
  const { call, submitted } = await against(t, signedBy(notarizer, DOCUMENT))
  t.match(await call("user", "delete", "mallory"), { status: 2, log: /there is root, alice/ })
  t.match(await call("key", "delete", "old", "--user", "root"), { status: 2, log: /no API key “old”/ })
  t.same(submitted(), [])
  t.match(await call("key", "delete", "session of today", "--user", "root"), { status: 0 })
  t.same(new Set(idsIn(submitted()[0])), new Set([ROOT, SESSION]), "sessions are in no document")
})

t.test(
  "W26: without a document of the pinned signer and this organization no name is looked up",
  async (t) => {
    const faulty = [
      signedBy(newKey(), DOCUMENT),
      signedBy(notarizer, { ...DOCUMENT, organizationId: id(9) }),
      { reply: {} },
      { reply: { notarizedDocumentB64: "AAAA" } },
      { status: 500, reply: { code: 13, message: "internal" } },
      undefined,
    ]
    for (const document of faulty)
      for (const [, words] of COMMANDS) {
        const { call, submitted } = await against(t, document)
        t.not((await call(...words)).status, 0)
        t.same(submitted(), [])
      }
    const other = await against(t, faulty[0])
    t.match(await other.call("user", "delete", "alice"), { status: 6, log: /Nothing was stamped/ })
  },
)

t.test(
  "W26: what remains: without pins a name is what the API lists, and ids are the user's word",
  async (t) => {
    const { call, submitted } = await against(t, undefined, false)
    t.match(await call("user", "delete", "alice"), { status: 0 })
    t.match(await call("user", "delete", ALICE), { status: 0 })
    t.same(submitted().map(idsIn), [[ROOT], [ALICE]])
  },
)

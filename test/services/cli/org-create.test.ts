import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { create, toBinary } from "@bufbuild/protobuf"
import t, { type Test } from "tap"
import { SetupCodeSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import {
  dangerouslyRevealPrivateKey,
  generateApiKey,
  readApiKey,
} from "../../../services/terminal-client/api-key.ts"
import { readKey, writeKey } from "../../../services/terminal-client/key-folder.ts"
import { pinsDigest } from "../../../signer/core/proof/verify/trusted-pins.ts"
import { readStamp } from "../../../signer/core/stamp/read-stamp.ts"
import { verifyStamp } from "../../../signer/core/stamp/verify.ts"
import { commandLine } from "./command-line.ts"
import { fakeApi } from "./fake-api.ts"

const pins = {
  deploymentId: "99999999-9999-4999-8999-999999999999",
  signerPublicKey: "04aa",
  notarizerPublicKey: "04bb",
}
const organizationId = "11111111-1111-4111-8111-111111111111"
const SUBMIT = "/public/v1/submit/create_organization"

function setupCode(publicKey: string, changes: { expiresAtMs?: number; digest?: Uint8Array } = {}) {
  const { expiresAtMs = Date.now() + 60_000, digest = Buffer.from(pinsDigest(pins as never), "hex") } =
    changes
  const mac = Buffer.alloc(32, 7)
  const init = { organizationId, publicKey, pinsDigest: digest, expiresAtMs: BigInt(expiresAtMs), mac }
  return Buffer.from(toBinary(SetupCodeSchema, create(SetupCodeSchema, init))).toString("base64url")
}

/** An API that creates the organization and answers with `stated`. */
async function setUp(t: Test, status = "ACTIVITY_STATUS_COMPLETED", stated = organizationId) {
  const directory = t.testdir()
  const key = generateApiKey()
  await writeKey(join(directory, "keys"), "founder", key)
  const result = { createOrganizationResult: { organizationId: stated, userId: "u-1", apiKeyIds: ["k-1"] } }
  const activity = { id: "a", status, result }
  const { url, seen } = await fakeApi(t, {
    "/public/v1/pins": { reply: pins },
    [SUBMIT]: { reply: { activity } },
    "/public/v1/query/whoami": { reply: { organizationId: stated, userId: "u-1", username: "root" } },
  })
  const call = (...words: string[]) =>
    commandLine(
      { COUNTERSIGN_DATA_DIR: directory },
      "org",
      "create",
      "Acme",
      "--user-name",
      "root",
      "--api",
      url,
      ...words,
    )
  const login = (setupCode: string) => {
    const words = [
      "--setup-code",
      setupCode,
      "--organization-name",
      "Acme",
      "--user-name",
      "root",
      "--api",
      url,
    ]
    return commandLine({ COUNTERSIGN_DATA_DIR: directory }, "login", "acme", ...words)
  }
  return { directory, key, seen, call, login }
}

t.test("a dry run of org create prints the request and sends nothing", async (t) => {
  const { key, seen, call } = await setUp(t)
  const code = setupCode(key.publicKey)
  const { status, out, log } = await call("--setup-code", code, "--dry-run")
  t.equal(status, 0)
  t.match(JSON.parse(out), { type: "ACTIVITY_TYPE_CREATE_ORGANIZATION", parameters: { setupCode: code } })
  t.match(log, /would stamp and send this to .*create_organization; nothing was sent/)
  t.notOk(seen.some(({ path }) => path === SUBMIT))
})

t.test("org create sends the setup code in an activity stamped by the code's key", async (t) => {
  const { key, seen, call } = await setUp(t)
  const code = setupCode(key.publicKey)
  const rootKey = generateApiKey().publicKey
  const { status, out } = await call("--setup-code", code, "--api-public-key", rootKey, "--json")
  t.equal(status, 0)
  t.same(JSON.parse(out), { organizationId, userId: "u-1", apiPublicKey: rootKey })
  const sent = seen.find(({ path }) => path === SUBMIT)
  t.match(JSON.parse(sent?.body ?? ""), {
    type: "ACTIVITY_TYPE_CREATE_ORGANIZATION",
    timestampMs: /^\d{13}$/,
    organizationId,
    parameters: {
      setupCode: code,
      organizationName: "Acme",
      rootUser: {
        userName: "root",
        apiKeys: [{ apiKeyName: "root", publicKey: rootKey, curveType: "API_KEY_CURVE_P256" }],
      },
    },
  })
  const stamp = readStamp(sent?.stamp ?? "")
  t.equal(stamp.publicKeyHex, key.publicKey)
  t.ok(verifyStamp(stamp, Buffer.from(sent?.body ?? "")))
})

t.test("org create prints a key that it made once, and stores it nowhere", async (t) => {
  const { directory, key, seen, call } = await setUp(t)
  const { out } = await call("--setup-code", setupCode(key.publicKey), "--json")
  const { apiPublicKey, apiPrivateKey } = JSON.parse(out)
  t.equal(readApiKey(apiPrivateKey)?.publicKey, apiPublicKey)
  t.notMatch(JSON.stringify(seen), apiPrivateKey)
  for (const name of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (name.isFile()) t.notMatch(readFileSync(join(name.parentPath, name.name), "utf8"), apiPrivateKey)
  }
})

t.test("org create binds the organization to root's key in the folder, and to no other", async (t) => {
  const { directory, key, call } = await setUp(t)
  const folder = join(directory, "keys")
  const code = setupCode(key.publicKey)
  await call("--setup-code", code)
  t.equal((await readKey(folder, "founder")).organizationId, undefined)
  await call("--setup-code", code, "--api-public-key", key.publicKey)
  t.equal((await readKey(folder, "founder")).organizationId, organizationId)
})

t.test("W23: an organization that the API makes up is neither a key's nor a profile's", async (t) => {
  const attacker = "22222222-2222-4222-8222-222222222222"
  const { directory, key, call, login } = await setUp(t, "ACTIVITY_STATUS_COMPLETED", attacker)
  const code = setupCode(key.publicKey)
  const refused = {
    status: 6,
    out: "",
    log: new RegExp(
      `makes organization ${organizationId}, but the API answers with ${attacker}: nothing was stored`,
    ),
  }
  t.match(await call("--setup-code", code, "--api-public-key", key.publicKey), refused)
  t.match(await login(code), refused)
  t.equal((await readKey(join(directory, "keys"), "founder")).organizationId, undefined)
  t.strictSame(readdirSync(directory).toSorted(), ["keys", "profiles"])
  t.strictSame(readdirSync(join(directory, "profiles")), [])
  const honest = await setUp(t)
  t.match(await honest.login(setupCode(honest.key.publicKey)), { status: 0, out: new RegExp(organizationId) })
})

t.test("org create stores the verified pins", async (t) => {
  const { directory, key, call } = await setUp(t)
  await call("--setup-code", setupCode(key.publicKey))
  t.same(JSON.parse(readFileSync(join(directory, "pins.json"), "utf8")), pins)
})

t.test("org create keeps replaced pins with the end of their validity", async (t) => {
  const { directory, key, call } = await setUp(t)
  const stored = (name: string) => JSON.parse(readFileSync(join(directory, name), "utf8")) as unknown
  const oldest = { ...pins, notarizerPublicKey: "04cc", validUntil: "2026-01-01T00:00:00.000Z" }
  const older = { ...pins, fetcherPublicKey: "04dd" }
  writeFileSync(join(directory, "pins.json"), JSON.stringify(older))
  writeFileSync(join(directory, "former-pins.json"), JSON.stringify([oldest]))
  const { log } = await call("--setup-code", setupCode(key.publicKey))
  t.match(log, /replaced the pins in .*pins\.json; former ones verify older proofs/)
  t.same(stored("pins.json"), pins)
  t.match(stored("former-pins.json"), [{ ...older, validUntil: /^\d{4}-.*Z$/ }, oldest])
  await call("--setup-code", setupCode(key.publicKey))
  t.equal((stored("former-pins.json") as []).length, 2, "the same pins again replace nothing")
})

t.test("org create sends nothing to an API with other pins than the code's", async (t) => {
  const { directory, key, seen, call } = await setUp(t)
  const { status, log } = await call("--setup-code", setupCode(key.publicKey, { digest: Buffer.alloc(32) }))
  t.equal(status, 6)
  t.match(log, /Nothing was sent/)
  t.same(
    seen.map(({ path }) => path),
    ["/public/v1/pins"],
  )
  t.notOk(readdirSync(directory).includes("pins.json"))
})

t.test("org create reads the stamping key from a file", async (t) => {
  const { directory, seen, call } = await setUp(t)
  const other = generateApiKey()
  const file = join(directory, "other.key")
  writeFileSync(file, `${dangerouslyRevealPrivateKey(other)}\n`)
  const { status } = await call("--setup-code", setupCode(other.publicKey), "--stamp-key", file)
  t.equal(status, 0)
  t.equal(readStamp(seen.at(-1)?.stamp ?? "").publicKeyHex, other.publicKey)
})

t.test("org create names the next step if the stamping key is missing, wrong or unreadable", async (t) => {
  const { directory, key, seen, call } = await setUp(t)
  const absent = generateApiKey().publicKey
  const nowhere = await call("--setup-code", setupCode(absent))
  t.equal(nowhere.status, 2)
  t.match(nowhere.log, new RegExp(`${absent}.*--stamp-key FILE`))
  const file = join(directory, "keys", "founder.private")
  const wrong = await call("--setup-code", setupCode(absent), "--stamp-key", file)
  t.match(wrong, {
    status: 2,
    log: new RegExp(`on the signer's host: countersign-signer setup-code --for ${key.publicKey}`),
  })
  const missing = await call("--setup-code", setupCode(key.publicKey), "--stamp-key", "/nowhere")
  t.match(missing, { status: 2, log: /\/nowhere \(ENOENT\)/ })
  t.same(seen, [])
})

t.test(
  "org create refuses an expired or malformed code, and names the command that issues one",
  async (t) => {
    const { key, seen, call } = await setUp(t)
    const expired = await call("--setup-code", setupCode(key.publicKey, { expiresAtMs: 1 }))
    t.match(expired, { status: 3, log: /expired.*On the signer's host: countersign-signer setup-code --for/ })
    for (const code of ["hello", "AAAA", "", "!"]) {
      t.match(await call("--setup-code", code), { status: 2, log: /not a setup code/ })
    }
    t.same(seen, [])
  },
)

t.test("org create refuses a public key of unknown form", async (t) => {
  const { key, call } = await setUp(t)
  const code = setupCode(key.publicKey)
  t.match(await call("--setup-code", code, "--api-public-key", "04aa"), {
    status: 2,
    log: /--api-public-key/,
  })
})

t.test("org create has an exit status for each answer other than completion", async (t) => {
  for (const [activityStatus, expected] of [
    ["ACTIVITY_STATUS_CONSENSUS_NEEDED", 4],
    ["ACTIVITY_STATUS_FAILED", 3],
  ] as const) {
    const { key, call } = await setUp(t, activityStatus)
    t.equal((await call("--setup-code", setupCode(key.publicKey))).status, expected)
  }
})

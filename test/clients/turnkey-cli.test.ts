// Key files of our command line and of the published one, `turnkey` (github.com/tkhq/tkcli): each reads those of the other.
import { spawnSync } from "node:child_process"
import { createPublicKey, ECDH, verify } from "node:crypto"
import { accessSync, constants, mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import t, { type Test } from "tap"
import { generateApiKey, readApiKey, stamp as stampOf } from "../../services/terminal-client/api-key.ts"
import { bindKey, readKey, writeKey } from "../../services/terminal-client/key-folder.ts"
import { sharedSystem } from "../harness/shared-system.ts"
import { privateKeyHex } from "../harness/system.ts"

const ORGANIZATION = "019b76da-a800-7000-8000-000000000001"
const BODY = JSON.stringify({ organizationId: ORGANIZATION })

const skip = isInPath("turnkey") ? false : "not run: there is no turnkey in PATH"

t.test("the published command line stamps with key files of ours", { skip }, async (t) => {
  const { folder, turnkey } = setup(t)
  const { publicKey } = await writeKey(folder, "alice", generateApiKey())
  await bindKey(folder, "alice", ORGANIZATION)
  const words = ["--path", "/public/v1/query/whoami", "--body", BODY, "--no-post", "--key-name", "alice"]
  requireStamp(t, turnkey("request", ...words)["stamp"], publicKey)
})

t.test("our command line stamps with key files of the published one", { skip }, async (t) => {
  const { folder, turnkey } = setup(t)
  const made = turnkey("generate", "api-key", "--organization", ORGANIZATION, "--key-name", "bob")
  const key = await readKey(folder, "bob")
  t.match(key, { name: "bob", organizationId: ORGANIZATION, publicKey: made["publicKey"] })
  requireStamp(t, stampOf(key, BODY), String(made["publicKey"]))
})

t.test("the published command line asks and changes a running service", { skip }, async (t) => {
  const { folder, turnkey } = setup(t)
  const system = await sharedSystem()
  const { organizationId, root, rootUserId } = await system.createOrganization()
  await writeKey(folder, "root", readApiKey(privateKeyHex(root))!)
  await bindKey(folder, "root", organizationId)
  // It speaks http with `localhost` and a port alone.
  const host = `localhost:${new URL(system.url).port}`
  const request = (path: string, body: object, name = "root") =>
    turnkey("request", "--host", host, "--path", path, "--body", JSON.stringify(body), "--key-name", name)
  const whoami = (name?: string) => request("/public/v1/query/whoami", { organizationId }, name)
  t.match(whoami(), { organizationId, userId: rootUserId })
  const body = {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { userTagName: "agents", userIds: [rootUserId] },
  }
  const created = request("/public/v1/submit/create_user_tag", body)
  t.match(created, { activity: { status: "ACTIVITY_STATUS_COMPLETED", result: { createUserTagResult: {} } } })
  t.match(request("/public/v1/query/list_user_tags", { organizationId }), {
    userTags: [{ tagName: "agents" }],
  })
  turnkey("generate", "api-key", "--organization", organizationId, "--key-name", "stranger")
  t.throws(() => whoami("stranger"), { message: /could not find public key in organization/ })
})

/** A keys folder, and the published program on it. Its other folders are below the test's own. */
function setup(t: Test) {
  const home = t.testdir()
  const folder = join(home, "keys")
  mkdirSync(folder, { mode: 0o700 })
  const env = { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: join(home, ".config") }
  const turnkey = (...words: string[]) => {
    const options = { env, encoding: "utf8" } as const
    const { status, stdout } = spawnSync("turnkey", [...words, "--keys-folder", folder], options)
    if (status !== 0) throw new Error(stdout)
    return JSON.parse(stdout) as { [member: string]: unknown }
  }
  return { folder, turnkey }
}

/** The stamp is one of this key, over the body. */
function requireStamp(t: Test, text: unknown, publicKey: string): void {
  const stamp = JSON.parse(Buffer.from(String(text), "base64url").toString())
  t.match(stamp, { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256" })
  const point = ECDH.convertKey(publicKey, "prime256v1", "hex", undefined, "uncompressed") as Buffer
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"))
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" } })
  t.ok(verify("sha256", Buffer.from(BODY), key, Buffer.from(stamp.signature, "hex")))
}

function isInPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

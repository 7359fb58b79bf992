// The collection of requests at /docs/collection.json, run by newman and by Bruno, whose own converter imports it.
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import t, { type Test } from "tap"
import { type Hex, keccak256, recoverAddress, serializeSignature, stringToHex } from "viem"
import { wallet } from "../e2e/wallets.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { sharedProxiedSystem } from "../harness/shared-system.ts"
import { type Json, privateKeyHex } from "../harness/system.ts"

/** scripts/test-programs.ts installs these programs. */
const JUDGES = join(import.meta.dirname, "..", "..", "node_modules", ".collection-judges")
const NEWMAN = join(JUDGES, "node_modules/newman/bin/newman.js")
const BRUNO = join(JUDGES, "node_modules/@usebruno/cli/bin/bru.js")
const isInstalled = existsSync(join(JUDGES, "installed-lock.json"))
const skip = isInstalled ? false : "needs newman and Bruno: node scripts/test-programs.ts"

const HASH = keccak256(stringToHex("pay the supplier"))

/** Results of a program: status and body of each request, in order. */
type Replies = { operation: string; status: number; body: Json }[]
type Signature = { r: string; s: string; v: string }
type Variables = { [name: string]: string }

const REQUESTS = ["whoami", "create_wallet", "sign_raw_payload"]

t.test("the collections of both hosts:", { skip }, async (t) => {
  const { system, proxyUrl } = await sharedProxiedSystem()
  const acme = await system.createOrganization()
  const { organizationId, root } = acme
  const address = await wallet(system, acme, "First")
  const variables = {
    ORGANIZATION_ID: organizationId,
    API_PRIVATE_KEY: privateKeyHex(root),
    SIGN_WITH: address,
  }
  const file = await saved(t, system.url)

  const requireSigned = async (t: Test, replies: Replies) => {
    t.strictSame(
      replies.map(({ operation, status }) => [operation, status]),
      REQUESTS.map((operation) => [operation, 200]),
    )
    const [whoami, created, signed] = replies.map(({ body }) => body)
    t.match(whoami, { organizationId, username: "root" })
    t.match(created, { activity: { status: "ACTIVITY_STATUS_COMPLETED" } })
    const { activity } = signed as { activity: { result: { signRawPayloadResult: Signature } } }
    t.equal(await signerOf(activity.result.signRawPayloadResult), address)
  }

  t.test("newman, with Postman's own runtime, asks, creates a wallet and signs", async (t) => {
    await requireSigned(t, await newman(t, file, REQUESTS, variables))
  })

  t.test("Bruno imports it and does the same, in its safe mode and in the other", async (t) => {
    const folder = await folderOf(t)
    await ended("-e", [IMPORT, file, folder, ...IMPORTERS])
    for (const sandbox of casesOf(1, ["safe", "developer"]))
      await requireSigned(t, await bruno(t, folder, REQUESTS, variables, sandbox))
  })

  // The runs above fail if the script finds no key.
  if (isLong)
    t.test(
      "without a key the script says which variable is missing, and the API names the stamp",
      async (t) => {
        const { API_PRIVATE_KEY: _, ...others } = variables
        const [reply] = await newman(
          t,
          file,
          ["whoami"],
          others,
          /the variable API_PRIVATE_KEY is not an API key/,
        )
        t.match(reply?.body, { turnkeyErrorCode: "SIGNATURE_MISSING" })
      },
    )

  t.test("the auth proxy's collection names its configuration and is not stamped", async (t) => {
    const submit = (type: string, parameters: object) =>
      system.submit(type.toLowerCase(), system.body(type, organizationId, parameters), root)
    await submit("ENABLE_AUTH_PROXY", {})
    const { result } = (await submit("UPDATE_AUTH_PROXY_CONFIG", {})) as {
      result: { updateAuthProxyConfigResult: { configId: string } }
    }
    const proxyFile = await saved(t, proxyUrl)
    const { configId } = result.updateAuthProxyConfigResult
    const [reply] = await newman(t, proxyFile, ["wallet_kit_config"], { AUTH_PROXY_CONFIG_ID: configId })
    t.match(reply, { status: 200, body: { organizationId } })
  })
})

async function saved(t: Test, url: string): Promise<string> {
  const reply = await fetch(`${url}/docs/collection.json`)
  t.match(reply.headers.get("content-disposition"), /^attachment/)
  const file = join(await folderOf(t), "collection.json")
  await writeFile(file, await reply.text())
  return file
}

async function folderOf(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cs-collection-"))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const asOptions = (variables: Variables) =>
  Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`])

/** `says`: what newman has to print. */
async function newman(
  t: Test,
  file: string,
  requests: readonly string[],
  variables: Variables,
  says = /executed/,
): Promise<Replies> {
  const report = join(await folderOf(t), "report.json")
  const folders = requests.flatMap((name) => ["--folder", name])
  const reporters = ["--reporters", "cli,json", "--reporter-json-export", report]
  const { stdout } = await ended(NEWMAN, ["run", file, ...folders, ...reporters, ...asOptions(variables)])
  t.match(stdout, says)
  const { run } = JSON.parse(await readFile(report, "utf8")) as { run: { executions: Execution[] } }
  const replies = run.executions.map(({ item, response }) => ({
    operation: item.name,
    status: response.code,
    body: JSON.parse(Buffer.from(response.stream.data).toString()) as Json,
  }))
  return inOrder(replies, requests)
}

type Execution = { item: { name: string }; response: { code: number; stream: { data: number[] } } }

async function bruno(
  t: Test,
  folder: string,
  requests: readonly string[],
  variables: Variables,
  sandbox: string,
): Promise<Replies> {
  const report = join(await folderOf(t), "report.json")
  const paths = requests.map((name) => `${name === "whoami" ? "query" : "submit"}/${name}.bru`)
  await ended(
    BRUNO,
    ["run", ...paths, "--sandbox", sandbox, "--reporter-json", report, ...asOptions(variables)],
    folder,
  )
  const [{ results = [] } = {}] = JSON.parse(await readFile(report, "utf8")) as { results?: BrunoResult[] }[]
  const replies = results.map(({ request, response }) => ({
    operation: request.url.split("/").at(-1) ?? "",
    status: response.status,
    body: response.data,
  }))
  return inOrder(replies, requests)
}

type BrunoResult = { request: { url: string }; response: { status: number; data: Json } }

/** Bruno's converter, and the module that writes a collection's folder. */
const IMPORTERS = ["@usebruno/converters", "@usebruno/cli/src/utils/collection.js"].map((path) =>
  join(JUDGES, "node_modules", path),
)

/** Bruno's import of a file of Postman, which its window does, into a folder that its command line runs. */
const IMPORT = `
const { readFileSync } = require("node:fs")
const [file, folder, converters, collections] = process.argv.slice(1)
const { postmanToBruno } = require(converters)
const { createCollectionFromBrunoObject } = require(collections)
postmanToBruno(JSON.parse(readFileSync(file, "utf8")))
  .then(({ collection, ...made }) => createCollectionFromBrunoObject(collection ?? made, folder, { format: "bru" }))`

/** Both programs run requests in the order of the file. */
function inOrder(replies: Replies, requests: readonly string[]): Replies {
  return replies.toSorted((a, b) => requests.indexOf(a.operation) - requests.indexOf(b.operation))
}

/** Runs a program of the judges. It ends with another status than 0 where a script fails, which the caller looks at. */
async function ended(program: string, args: readonly string[], cwd = JUDGES): Promise<{ stdout: string }> {
  const env = { PATH: process.env["PATH"], HOME: JUDGES, NO_COLOR: "1" }
  const run = promisify(execFile)(process.execPath, ["--no-deprecation", program, ...args], { cwd, env })
  return run.catch((error: unknown) => error as { stdout: string })
}

function signerOf({ r, s, v }: Signature): Promise<Hex> {
  const signature = serializeSignature({ r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) })
  return recoverAddress({ hash: HASH, signature })
}

// Each image's folder, built as the Dockerfile says, with its own packages only: its program starts and serves.
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import { IMAGE_PACKAGES } from "../../scripts/generators/image-packages.ts"
import { buildDashboard } from "../../services/dev/build-dashboard.ts"
import { BUILD } from "../../services/dev/built-dashboard.ts"
import { freshDatabase } from "../harness/database.ts"
import { logSigner } from "../harness/signer-log.ts"
import { buildImage, stagesOf } from "../harness/dockerfile.ts"
import { writeNoteKey } from "../../signer/core/log/note-key.ts"
import { isLong } from "../harness/long.ts"
import { freePort } from "../harness/free-port.ts"
import { patienceMs } from "../harness/patience.ts"

const HOOK = join(import.meta.dirname, "..", "harness", "loaded-packages.mjs")
const PATIENCE_MS = patienceMs(60_000)
const POLL_MS = 50

/** All packages that the signer's process loads: what an auditor reads beside this repository and Node. */
const SIGNER_LOADS = [
  "@bufbuild/protobuf",
  "@grpc/grpc-js",
  "@js-sdsl/ordered-map",
  "@noble/ciphers",
  "@noble/curves",
  "@noble/hashes",
  "@scure/base",
  "@scure/bip39",
  "node-gyp-build",
  "secp256k1",
  "shamir-secret-sharing",
]

/** In place of the options of the test run: a cache of compiled code for the second start of a program in its folder. */
const OWN_OPTIONS = { NODE_OPTIONS: "", NODE_COMPILE_CACHE: mkdtempSync(join(tmpdir(), "cs-compiled-")) }
t.teardown(() => rmSync(OWN_OPTIONS.NODE_COMPILE_CACHE, { recursive: true, force: true }))

/** Folders of images, `/app` in a container, without the packages of this checkout above them. Each is built once. */
const folders = new Map<string, string>()

/** Folders that other stages have built, by the stage. */
type Built = { [stage: string]: string }

function folderOf(name: string, built: Built): string {
  const key = [name, ...Object.keys(built)].join(" with ")
  const known = folders.get(key)
  if (known !== undefined) return known
  const home = mkdtempSync(join(tmpdir(), "cs-image-"))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, "app")
  buildImage(name, folder, built)
  folders.set(key, folder)
  return folder
}

/** A container of an image: the image's folder, and a data directory of its own. */
class Image {
  readonly name: string
  readonly folder: string
  readonly data: string
  /** Settings of programs that operators run. */
  environment: NodeJS.ProcessEnv = {}
  readonly #home = mkdtempSync(join(tmpdir(), "cs-container-"))
  readonly #loaded = join(this.#home, "loaded")
  #output = ""

  constructor(t: Test, name: string, data?: string, built: Built = {}) {
    this.name = name
    this.folder = folderOf(name, built)
    this.data = data ?? join(this.#home, "data")
    t.teardown(() => rmSync(this.#home, { recursive: true, force: true }))
  }

  /** Starts the image's command and waits until it is up. */
  async start(
    t: Test,
    isUp: (output: string) => unknown,
    environment: NodeJS.ProcessEnv = {},
    words = stagesOf(this.name).at(-1)?.command.slice(1) ?? [],
  ): Promise<void> {
    const child = spawn(process.execPath, ["--import", HOOK, ...words], {
      cwd: this.folder,
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: this.data,
        LOADED_PACKAGES: this.#loaded,
        ...OWN_OPTIONS,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    t.teardown(() => end(child))
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (this.#output += chunk.toString()))
    const giveUp = performance.now() + PATIENCE_MS
    while (!(await Promise.resolve(isUp(this.#output)).catch(() => false))) {
      if (child.exitCode !== null || performance.now() > giveUp)
        throw new Error(`${this.name} did not start:\n${this.#output}`)
      await pause(POLL_MS)
    }
  }

  /** Runs one program of the image to its end, as operators do. */
  run(...words: string[]): { status: number | null; stdout: string } {
    const env = {
      PATH: process.env["PATH"],
      COUNTERSIGN_DATA_DIR: this.data,
      ...OWN_OPTIONS,
      ...this.environment,
    }
    return spawnSync(process.execPath, words, { cwd: this.folder, env, encoding: "utf8" })
  }

  /** Packages that its process has loaded so far. */
  get loaded(): string[] {
    const text = existsSync(this.#loaded) ? readFileSync(this.#loaded, "utf8") : ""
    return [...new Set(text.split("\n").filter((name) => name !== ""))].toSorted()
  }
}

/** The folder `/app` of the stage that bundles the dashboard's pages. */
function buildPages(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "cs-image-pages-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  buildImage("dashboard-build", folder)
  // In the short form it finds this checkout's build, and bundles if its own sources differ.
  if (!isLong) cpSync(BUILD, join(folder, "services", "dashboard", "dist"), { recursive: true })
  const built = spawnSync(process.execPath, ["scripts/build-dashboard.ts"], { cwd: folder, encoding: "utf8" })
  t.equal(built.status, 0, built.stderr)
  return folder
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  await exited
}

/** The packages that the image declares and its process has not loaded, by name. */
function unusedIn({ name, loaded }: Image): string[] {
  return (IMAGE_PACKAGES[name] ?? []).filter((declared) => !loaded.includes(declared))
}

/** Data of a deployment that its operator has created. No signer has run on it. */
const deployment = join(mkdtempSync(join(tmpdir(), "cs-deployment-")), "data")
t.teardown(() => rmSync(dirname(deployment), { recursive: true, force: true }))

/** The signer's image beside a copy of the deployment. */
function newSigner(t: Test): Image {
  const signer = new Image(t, "signer")
  if (!existsSync(deployment)) {
    const { status } = signer.run("signer/operator/main.ts", "init")
    if (status !== 0) throw new Error(`init of the signer's image ended with ${status}`)
    cpSync(signer.data, deployment, { recursive: true })
  } else cpSync(deployment, signer.data, { recursive: true })
  return signer
}

const isSignerUp = (output: string) => output.includes("signer is up")

/** A running signer for all tests that need one beside their image. */
const signer = newSigner(t)
await signer.start(t, isSignerUp)

t.test("the signer's image starts, and its process loads exactly the agreed packages", async (t) => {
  t.strictSame(signer.loaded, SIGNER_LOADS)
  t.strictSame(
    unusedIn(signer),
    ["tiny-secp256k1", "uqr"],
    "the engine of hosts without the addon, and what only a ceremony loads",
  )
  const { status, stdout } = signer.run("signer/operator/main.ts", "status", "--json")
  t.equal(status, 0)
  t.match(JSON.parse(stdout), { phase: "READY" })
})

// test/signer/enclave/keys/engine.test.ts has both engines.
if (isLong)
  t.test("without the addon the signer loads its WebAssembly build instead, never both", async (t) => {
    const signer = newSigner(t)
    const addon = join(signer.folder, "node_modules", "secp256k1", "prebuilds")
    const aside = `${signer.folder}-prebuilds`
    renameSync(addon, aside)
    t.teardown(() => renameSync(aside, addon))
    await signer.start(t, (output) => isSignerUp(output) && output.includes('"libsecp256k1-wasm"'))
    const others = ["tiny-secp256k1", "uint8array-tools"]
    t.strictSame(signer.loaded, [...SIGNER_LOADS, ...others].toSorted())
  })

t.test(
  "the fetcher's image starts, and uses every package that it declares but the words of keys and shares",
  async (t) => {
    const fetcher = new Image(t, "fetcher")
    t.equal(fetcher.run("signer/fetcher/main.ts", "init").status, 0)
    await fetcher.start(t, (output) => output.includes("fetcher is up"))
    const rest = ["@scure/bip39", "nodemailer"]
    t.strictSame(unusedIn(fetcher), rest, "what only commands of an operator, and settings of mail, load")
  },
)

t.test("the witness's image starts without any package", async (t) => {
  const witness = new Image(t, "witness")
  const settings = {
    COUNTERSIGN_WITNESS_NAME: "witness.example/1",
    COUNTERSIGN_WITNESS_LISTEN: `127.0.0.1:${await freePort()}`,
  }
  witness.environment = settings
  t.match(witness.run("signer/witness/main.ts", "init"), { status: 0, stdout: /^witness\.example\/1\+/ })
  writeFileSync(join(witness.data, "witness", "logs"), writeNoteKey(logSigner("countersign/log/1").key))
  await witness.start(t, (output) => output.includes("witness is up"), settings)
  t.strictSame(witness.loaded, [])
})

t.test("the API's image is ready beside the signer's, and uses every package that it declares", async (t) => {
  const api = new Image(t, "api", signer.data)
  const url = `http://127.0.0.1:${await freePort()}`
  const environment = {
    DATABASE_URL: (await freshDatabase(t)).url,
    COUNTERSIGN_API_LISTEN: new URL(url).host,
    COUNTERSIGN_API_METRICS_LISTEN: String(await freePort()),
  }
  await api.start(t, async () => (await fetch(`${url}/readyz`)).ok, environment)
  const rest = ["@scure/bip39", "marked", "minisearch"]
  t.strictSame(unusedIn(api), rest, "for the words of a request for a certificate, and for the guides")
  await servesGuides(t, url)
  // test/e2e/join.test.ts joins hosts, without images.
  if (!isLong) return
  const { status, stdout } = api.run("services/node/main.ts", "join", "api", "--json")
  t.equal(status, 0)
  const { request, words } = JSON.parse(stdout) as { request: string; words: string }
  t.equal(signer.run("signer/operator/main.ts", "certificate", "signer.internal:7443").status, 0)
  const pair = ["pair", "api", "--join", request, "--words", words]
  t.match(signer.run("signer/operator/main.ts", ...pair), { status: 0, stdout: /^countersign-join-answer/ })
})

async function servesGuides(t: Test, url: string): Promise<void> {
  for (const [path, words] of [
    ["/docs", '<h1 id="countersign"'],
    ["/docs/concepts", "Concepts"],
    ["/docs/formats/stamp", "Stamp"],
    ["/docs/search.json", "/docs/concepts#"],
    ["/docs/overview.svg", "<svg"],
    ["/llms.txt", "# Countersign"],
    ["/docs/errors/STAMP_INVALID", "STAMP_INVALID"],
  ] as const) {
    const reply = await fetch(url + path, { headers: { accept: "text/html, */*;q=0.1" } })
    t.equal(reply.status, 200, path)
    t.ok((await reply.text()).includes(words), path)
  }
}

// The short form has the guides above; test/services/node/programs.test.ts starts a process by countersign-node there.
if (isLong)
  t.test("the API's image, started by countersign-node, serves the guides and their search", async (t) => {
    const api = new Image(t, "api", signer.data)
    const url = `http://127.0.0.1:${await freePort()}`
    const environment = {
      DATABASE_URL: (await freshDatabase(t)).url,
      COUNTERSIGN_API_LISTEN: new URL(url).host,
    }
    const isUp = async () => (await fetch(`${url}/readyz`)).ok
    await api.start(t, isUp, environment, ["--disable-sigusr1", "services/node/main.ts", "serve", "api"])
    await servesGuides(t, url)
    const { status, stdout } = api.run("services/node/main.ts", "doctor", "--json")
    t.not(status, 2, "no setting of the image has a fault")
    t.match(stdout, /settings of the api/)
  })

t.test("the auth proxy's image answers, and uses every package that it declares", async (t) => {
  const proxy = new Image(t, "auth-proxy")
  const url = `http://127.0.0.1:${await freePort()}`
  const environment = {
    COUNTERSIGN_AUTH_PROXY_LISTEN: new URL(url).host,
    COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: String(await freePort()),
  }
  await proxy.start(t, async () => (await fetch(`${url}/livez`)).ok, environment)
  t.strictSame(unusedIn(proxy), ["@scure/bip39"], "for the words of its seed, which only its commands read")
})

t.test(
  "the worker's image is ready beside the API's tables, and uses every package that it declares",
  async (t) => {
    const worker = new Image(t, "worker")
    const url = `http://127.0.0.1:${await freePort()}`
    const environment = {
      DATABASE_URL: (await freshDatabase(t)).url,
      COUNTERSIGN_WORKER_LISTEN: new URL(url).host,
      COUNTERSIGN_WORKER_METRICS_LISTEN: String(await freePort()),
    }
    await worker.start(t, async () => (await fetch(`${url}/readyz`)).ok, environment)
    t.strictSame(unusedIn(worker), [])
  },
)

t.test(
  "the dashboard's image serves the pages that its stage builds, the same as npm run build:dashboard",
  async (t) => {
    const here = await buildDashboard()
    const pages = buildPages(t)
    const dashboard = new Image(t, "dashboard", undefined, { "dashboard-build": pages })
    const url = `http://127.0.0.1:${await freePort()}`
    const environment = {
      COUNTERSIGN_DASHBOARD_LISTEN: new URL(url).host,
      COUNTERSIGN_API_PUBLIC_URL: "https://wallet.example",
    }
    await dashboard.start(t, async () => (await fetch(`${url}/readyz`)).ok, environment)
    t.strictSame(unusedIn(dashboard), [])
    const page = await (await fetch(`${url}/approvals`)).text()
    const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)
    t.ok(scripts.length > 1, page)
    for (const path of scripts) t.equal((await fetch(url + path)).status, 200, path)
    t.match(await (await fetch(`${url}/config.json`)).json(), { apiUrl: "https://wallet.example" })
    const filesOf = (folder: string) =>
      Object.fromEntries(
        globSync("**/*.*", { cwd: folder })
          .filter((path) => path !== "sources.sha256")
          .toSorted()
          .map((path) => [
            path,
            createHash("sha256")
              .update(readFileSync(join(folder, path)))
              .digest("hex"),
          ]),
      )
    t.strictSame(filesOf(join(pages, "services", "dashboard", "dist")), filesOf(here))
    if (!isLong) return
    const { status, stdout } = dashboard.run("services/node/main.ts", "config", "dashboard")
    t.equal(status, 0)
    t.match(stdout, /^dashboard$/m)
  },
)

// A process that cannot start says why in one sentence, and exits with the status of docs/ERRORS.md.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { freshDatabase } from "../harness/database.ts"
import { casesOf, isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { RunningBoundary } from "../harness/running-boundary.ts"
import { RunningFetcher } from "../harness/running-fetcher.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const API = "services/api/main.ts"
const FETCHER = "signer/fetcher/main.ts"
const SIGNER = "signer/enclave/main.ts"

/** The start does not wait for a database. */
const AT_ONCE = { COUNTERSIGN_DATABASE_WAIT_SECONDS: "0" }

type Ended = { status: number | null; out: string; lines: string[] }

/** Runs a program to its end. `lines`: what it printed on standard error. */
async function run(file: string, words: string[], environment: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, file), ...words], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs(60_000),
  })
  let [out, errors] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
  const [status] = (await once(child, "close")) as [number | null]
  return { status, out, lines: errors.trim().split("\n") }
}

/** The process ended with this status, and its only line says this, without a place in the code. */
function saysWhy(t: Test, { status, lines }: Ended, expected: number, sentence: RegExp): void {
  t.equal(status, expected, lines.join("\n"))
  t.equal(lines.length, 1)
  t.match(lines[0], sentence)
  t.notMatch(lines[0], /\.ts:|\.js:|"stack"/)
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "cs-start-"))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

t.test("a port that another process has", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1")
  await once(taken, "listening")
  t.teardown(() => taken.close())
  const address = `127.0.0.1:${(taken.address() as { port: number }).port}`
  const inUse = new RegExp(`${address} is in use: another process listens there`)
  const { url } = await freshDatabase(t)
  const api = await run(API, [], {
    DATABASE_URL: url,
    COUNTERSIGN_API_LISTEN: address,
    COUNTERSIGN_LOG_LEVEL: "error",
  })
  saysWhy(t, api, 5, inUse)
  if (!isLong) return
  const proxy = { COUNTERSIGN_AUTH_PROXY_LISTEN: address }
  saysWhy(t, await run("services/auth-proxy/main.ts", [], proxy), 5, inUse)
})

t.test("a database that refuses, or is not there", async (t) => {
  const { url } = await freshDatabase(t)
  const start = (change: (to: URL) => void, file = API) => {
    const to = new URL(url)
    change(to)
    return run(file, [], { DATABASE_URL: to.href, ...AT_ONCE, COUNTERSIGN_DATA_DIR: folder(t) })
  }
  const refused = /the database refuses this login: .*; correct DATABASE_URL/
  saysWhy(t, await start((to) => (to.username = "nobody_of_this_name")), 3, refused)
  if (isLong) saysWhy(t, await start((to) => (to.pathname = "/no_database_of_this_name")), 3, refused)
  const gone = "postgres://nobody:hidden@127.0.0.1:9/nothing"
  const away =
    /the database cannot be reached at 127\.0\.0\.1:9 \(ECONNREFUSED\).*is DATABASE_URL its address/
  for (const program of casesOf(1, ["services/worker/main.ts", API])) {
    const ended = await start((to) => (to.href = gone), program)
    saysWhy(t, ended, 5, away)
    t.notMatch(ended.lines[0], /hidden/)
  }
  if (!isLong) return
  const absent = await run(API, [], { ...AT_ONCE, COUNTERSIGN_DATA_DIR: folder(t) })
  saysWhy(t, absent, 5, /at the socket \S+\.s\.PGSQL\.5432 \(ENOENT\), and DATABASE_URL is not set/)
  const unknown = "postgres://nobody@database.invalid/nothing"
  saysWhy(t, await start((to) => (to.href = unknown)), 5, /the database's host database\.invalid is unknown/)
})

t.test("a word that the API does not know", async (t) => {
  const { status, lines } = await run(API, ["mend"], {})
  t.equal(status, 2)
  t.match(lines.join("\n"), /^Usage: node services\/api\/main\.ts \[heal/)
})

t.test("a second signer on the same ledger, or on the same socket", async (t) => {
  const boundary = await RunningBoundary.start()
  t.teardown(() => boundary.close())
  const home = join(boundary.directory, "data")
  const second = { COUNTERSIGN_DATA_DIR: home, COUNTERSIGN_SIGNER_LISTEN: `unix:${home}/2` }
  saysWhy(t, await run(SIGNER, [], second), 5, /another process has this ledger open/)
  if (isLong) {
    const socket = join(home, "operator", "operator.sock")
    const other = { COUNTERSIGN_DATA_DIR: folder(t), COUNTERSIGN_SIGNER_OPERATOR_SOCKET: socket }
    saysWhy(t, await run(SIGNER, [], other), 5, new RegExp(`another process answers on ${socket}`))
  }
  t.match(await boundary.createSetupCode(`02${"11".repeat(32)}`).catch(String), /\w/, "the first one answers")
})

t.test("a fetcher without a word, and a second one", async (t) => {
  const fetcher = new RunningFetcher()
  t.teardown(() => fetcher.stop())
  await fetcher.start()
  const environment = { COUNTERSIGN_DATA_DIR: fetcher.directory }
  if (isLong) {
    const bare = await run(FETCHER, [], environment)
    t.equal(bare.status, 2)
    t.match(bare.lines.join("\n"), /Usage: countersign-fetcher <command>/)
  }
  saysWhy(t, await run(FETCHER, ["serve"], environment), 5, /codes\.sqlite is in use: another fetcher runs/)
  const { call, close } = fetcher.client()
  const refusal = await call.fetch({}).catch(String)
  close()
  t.match(refusal, /no order|pair|signer/i, "the first one still answers on its socket")

  await t.test("a socket that a crash left behind is replaced", async (t) => {
    await fetcher.kill()
    await t.resolves(fetcher.start())
  })
})

t.test(
  "a fetcher whose volume is empty creates no seed, and an operator's word creates one once",
  async (t) => {
    const directory = folder(t)
    const environment = { COUNTERSIGN_DATA_DIR: directory }
    const missing = /fetcher\/seed is missing: restore .* countersign-fetcher init/
    saysWhy(t, await run(FETCHER, ["serve"], environment), 1, missing)
    if (isLong) saysWhy(t, await run(FETCHER, ["public-key"], environment), 1, missing)
    t.notOk(existsSync(join(directory, "fetcher", "seed")))
    const created = await run(FETCHER, ["init"], environment)
    t.match(created, { status: 0, out: /^04[0-9a-f]{324}\n$/ })
    if (isLong) t.equal((await run(FETCHER, ["public-key"], environment)).out, created.out)
    for (const words of casesOf(1, [["init"], ["serve", "--init"]]))
      saysWhy(t, await run(FETCHER, words, environment), 1, /fetcher\/seed is a seed already/)
    t.equal((await run(FETCHER, ["public-key"], environment)).out, created.out, "the key stays")
  },
)

t.test("a folder that cannot be used", async (t) => {
  for (const [file, words] of casesOf(1, [
    [FETCHER, ["init"]],
    [FETCHER, ["serve", "--init"]],
    [SIGNER, ["--init"]],
  ] as const))
    saysWhy(
      t,
      await run(file, [...words], { COUNTERSIGN_DATA_DIR: "/dev/null" }),
      1,
      /\/dev\/null\/.* cannot be used/,
    )
})

t.test("a process whose certificates would not be verified", async (t) => {
  const off = { NODE_TLS_REJECT_UNAUTHORIZED: "0" }
  for (const file of casesOf(2, [
    "signer/operator/main.ts",
    "services/auth-proxy/main.ts",
    FETCHER,
    API,
    SIGNER,
    "services/worker/main.ts",
  ]))
    saysWhy(t, await run(file, [], off), 78, /^NODE_TLS_REJECT_UNAUTHORIZED=0 accepts every certificate/)
})

t.test("a reader of help that goes away leaves no fault", async (t) => {
  for (const file of casesOf(1, [FETCHER, "signer/operator/main.ts"])) {
    const words = [join(ROOT, file), "help"].map((word) => `'${word}'`).join(" ")
    const child = spawn("sh", ["-c", `'${process.execPath}' ${words} | true`], {
      stdio: ["ignore", "ignore", "pipe"],
    })
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    await once(child, "close")
    t.equal(errors, "", file)
  }
})

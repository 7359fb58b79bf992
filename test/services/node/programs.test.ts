// The program of the untrusted hosts, and the checks of each zone's program, as processes.
import { spawnSync } from "node:child_process"
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { buildDashboard } from "../../../services/dev/build-dashboard.ts"
import { freshDatabase } from "../../harness/database.ts"
import { runCommandLine } from "../../harness/commands.ts"
import { freePort } from "../../harness/free-port.ts"
import { hasOpenssl, OpensslAuthority } from "../../harness/openssl-authority.ts"
import { patienceMs } from "../../harness/patience.ts"
import { Program } from "../../harness/program.ts"
import { System } from "../../harness/system.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"
import { dataDirectory, devEnvironment, runProgram as startProgram } from "../cli/dev-process.ts"
import { casesOf, isLong } from "../../harness/long.ts"

const NODE = "services/node/main.ts"
const CLI = "services/cli/main.ts"

const runWith = (environment: NodeJS.ProcessEnv, program: string, words: readonly string[]) =>
  runCommandLine({ program, words, environment: { PATH: process.env["PATH"], ...environment }, input: "" })

/** `countersign` starts other programs, so it is started itself. */
function runProgram(directory: string, file: string, ...words: string[]) {
  if (file === CLI) return startProgram(directory, file, ...words)
  return runWith(devEnvironment(directory), file, words)
}

t.test("countersign-node explains itself, and names what was probably meant", async (t) => {
  const directory = dataDirectory(t)
  for (const words of casesOf(1, [
    ["db", "plan", "-h"],
    ["help"],
    ["--help"],
    ["db", "--help"],
    ["serve", "--help"],
  ]))
    t.match(await runProgram(directory, NODE, ...words), { status: 0, out: /serve api\|proxy\|worker/ })
  t.match(await runProgram(directory, NODE, "--version"), { status: 0, out: /^\d+\.\d+/ })
  const { status, out } = await runProgram(directory, NODE, "proxy", "help")
  t.equal(status, 0)
  t.match(out, /^Usage: countersign-node proxy <command>$[^]*change-daily .*ways of the sealed key/m)
  t.notMatch(out, /main\.ts|serve/, "C-1898: no other spelling, and no word that is refused")
  t.match(await runProgram(directory, NODE, "proxy", "--version"), { status: 0, out: /^\d+\.\d+/ })
  const faults: [string[], RegExp][] = [
    [["serve", "wroker"], /did you mean worker\?/],
    [[], /no command/],
    [["proxy"], /proxy takes unlock, status, change-daily or public-key/],
    [["proxy", "--"], /proxy takes unlock, status, change-daily or public-key/],
    [["proxy", "serve"], /proxy takes unlock/],
    [["proxy", "serv"], /^countersign-node: no command "serv": countersign-node proxy --help lists/],
    [["proxy", "unlock", "--wait", "soon"], /--wait: write a whole number of seconds/],
    [["proxy", "public-key", "--json"], /--json belongs to unlock, status and change-daily/],
    [["serv"], /did you mean serve\?/],
    [["serve"], /serve takes one of api, proxy, worker/],
    [["db", "drop"], /db takes plan, migrate, prune, cut or erase/],
    [["doctor", "now"], /"now" is not expected/],
  ]
  for (const [words, log] of casesOf(7, faults))
    t.match(await runProgram(directory, NODE, ...words), { status: 2, out: "", log }, words.join(" "))
})

/** Every program, with a command line that prints. */
const PRINTING = [
  [CLI, "nonsense"],
  ["services/worker/main.ts"],
  ["signer/operator/main.ts", "--help"],
  [CLI, "help"],
  [NODE, "help"],
  ["services/api/main.ts"],
  ["services/auth-proxy/main.ts"],
  ["services/dashboard-host/main.ts"],
  ["signer/enclave/main.ts"],
  ["signer/fetcher/main.ts", "--help"],
  ["signer/witness/main.ts", "nonsense"],
] as const

t.test("C-1872: no program writes codes of a terminal into a file, though FORCE_COLOR is set", async (t) => {
  const directory = dataDirectory(t)
  // A process that serves ends at a setting that it does not know.
  const env = { ...devEnvironment(directory), FORCE_COLOR: "3", COUNTERSIGN_NONSENSE: "1" }
  for (const [index, words] of casesOf(3, PRINTING).entries()) {
    const file = join(t.testdirName, `${index}.txt`)
    mkdirSync(t.testdirName, { recursive: true })
    const output = openSync(file, "w")
    spawnSync(process.execPath, [...words], {
      env,
      cwd: packageRoot,
      stdio: ["ignore", output, output],
      timeout: patienceMs(20_000),
    })
    closeSync(output)
    const text = readFileSync(file, "utf8")
    t.not(text, "", words.join(" "))
    t.notOk(text.includes("\u001b"), words.join(" "))
  }
})

t.test(
  "C-1898: a process that countersign-node serves says faults of its settings by that name",
  async (t) => {
    const environment = { COUNTERSIGN_DATA_DIR: dataDirectory(t), COUNTERSIGN_NONSENSE: "1" }
    const settings = "the settings cannot be used:\n  "
    const link = join(t.testdir(), "countersign-node")
    symlinkSync(join(packageRoot, NODE), link)
    const [worker, ...others] = ["worker", "api", "proxy", "dashboard"].map((name) => [NODE, "serve", name])
    for (const [expected, words] of [
      ...[worker, ...casesOf(1, others)].map((each = []) => ["countersign-node", each] as const),
      ["countersign-node", [link, "serve", "worker"]],
      ["worker", ["services/worker/main.ts"]],
      ["countersign-signer", ["signer/operator/main.ts", "serve"]],
      ["countersign-signer", ["signer/enclave/main.ts"]],
    ] as const) {
      const { status, stderr } = spawnSync(process.execPath, [...words], {
        cwd: packageRoot,
        env: { ...environment, PATH: process.env["PATH"] },
        encoding: "utf8",
        timeout: patienceMs(20_000),
      })
      t.match({ status, stderr }, { status: 2, stderr: `${expected}: ${settings}` }, words.join(" "))
      t.ok(stderr.startsWith(expected))
    }
    const json = await runWith(environment, NODE, ["db", "plan", "--json"])
    t.match(JSON.parse(json.log), { error: { exitStatus: 2, message: settings } })
  },
)

t.test("faults of the words are JSON under --json, of every program", async (t) => {
  const directory = dataDirectory(t)
  const programs = [
    NODE,
    "services/auth-proxy/main.ts",
    "signer/operator/main.ts",
    "signer/fetcher/main.ts",
    CLI,
  ]
  for (const file of casesOf(2, programs)) {
    const { status, out, log } = await runProgram(directory, file, "nonsense", "--json")
    t.match({ status, out }, { status: 2, out: "" }, file)
    t.match(JSON.parse(log), { error: { exitStatus: 2, message: /nonsense/ } }, file)
  }
})

t.test("countersign runs the programs of the other zones", async (t) => {
  const directory = dataDirectory(t)
  const main = CLI
  if (isLong) {
    t.match(await runProgram(directory, main, "node", "help"), { status: 0, out: /Usage: countersign-node/ })
    t.match(await runProgram(directory, main, "signer", "help"), {
      status: 0,
      out: /Usage: countersign-signer/,
    })
  }
  t.match(await runProgram(directory, main, "fetcher", "nonsense"), {
    status: 2,
    log: /no command "nonsense"/,
  })
})

t.test("db plan lists what db migrate applies", async (t) => {
  const { url } = await freshDatabase(t, { migrated: false })
  const environment = { DATABASE_URL: url, COUNTERSIGN_DATA_DIR: dataDirectory(t) }
  const run = async (...words: string[]) => {
    const { status, out, log } = await runWith(environment, NODE, words)
    return { status, output: out + log }
  }
  t.match(await run("db", "plan"), { status: 0, output: /^pending {2}0001_init\.sql$/m })
  const { output } = await run("db", "plan", "--json")
  const { migrations } = JSON.parse(output) as { migrations: { name: string; state: string }[] }
  t.match(await run("db", "migrate", "--json"), {
    status: 0,
    output: JSON.stringify({ applied: migrations.map(({ name }) => name) }),
  })
  t.match(await run("db", "plan"), { status: 0, output: /^applied {2}0001_init\.sql$/m })
  if (isLong) t.match(await run("db", "migrate"), { status: 0, output: "0 migrations applied" })
})

t.test("db says that no database answers", async (t) => {
  const environment = {
    DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
    COUNTERSIGN_DATA_DIR: dataDirectory(t),
  }
  t.match(await runWith(environment, NODE, ["db", "plan"]), {
    status: 5,
    log: /^countersign-node: the database cannot be reached/,
  })
  const { log } = await runWith(environment, NODE, ["db", "plan", "--json"])
  t.match(JSON.parse(log), { error: { exitStatus: 5, message: /^the database cannot be reached/ } })
})

t.test("doctors of a running system, and of a host with faults", async (t) => {
  const { url } = await freshDatabase(t)
  const system = await System.start(url)
  t.teardown(() => system.stop())
  const worker = await freePort()
  const environment = {
    DATABASE_URL: url,
    COUNTERSIGN_DATA_DIR: system.directory,
    COUNTERSIGN_API_LISTEN: new URL(system.url).host,
    COUNTERSIGN_AUTH_PROXY_LISTEN: `127.0.0.1:${await freePort()}`,
    COUNTERSIGN_WORKER_LISTEN: `127.0.0.1:${worker}`,
    COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: "",
  }
  const run = async (file: string, words: string[], more: NodeJS.ProcessEnv = {}) => {
    const { status, out, log } = await runWith({ ...environment, ...more }, file, words)
    return { status, output: out + log }
  }
  const signer = "signer/operator/main.ts"
  t.match(await run(signer, ["doctor"]), { status: 0, output: /^ok {6}root seed: .*\n[^]*^ok {6}process: /m })
  const seed = join(system.directory, "signer", "root-seed")
  chmodSync(seed, 0o644)
  t.match(await run(signer, ["doctor"]), {
    status: 1,
    output: /^FAULT {3}root seed: .*set its mode to 0600/m,
  })
  chmodSync(seed, 0o600)
  if (hasOpenssl()) {
    const authority = new OpensslAuthority(join(system.directory, "authority"))
    const checksWith = async (days: number) => {
      const { certificateFile, keyFile, caFile } = authority.issue("api", {
        toMs: Date.now() + (days + 0.5) * 24 * 3600 * 1000,
      })
      return run(NODE, ["doctor"], {
        COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: certificateFile,
        COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: keyFile,
        COUNTERSIGN_SIGNER_CA_FILE: caFile,
      })
    }
    t.match(
      (await checksWith(3)).output,
      /^FAULT {3}certificate to the signer: .* \(api\) 3 days left: renew it now; no list of revoked certificates /m,
    )
    if (isLong) {
      t.match(
        (await checksWith(12)).output,
        /^warn {4}certificate to the signer: .*12 days left: renew it soon; no list of revoked /m,
      )
      t.match(
        (await checksWith(90)).output,
        /^ok {6}certificate to the signer: .*90 days left; no list of revoked /m,
      )
    }
  }
  const json = await run(NODE, ["doctor", "--json"])
  const { checks } = JSON.parse(json.output) as {
    checks: { name: string; state: string; sentence: string }[]
  }
  const stateOf = (name: string) => checks.find((check) => check.name === name)?.state
  t.equal(stateOf("api"), "ok", json.output)
  t.equal(stateOf("database"), "ok")
  t.match(checks.find(({ name }) => name === "certificates")?.sentence, "the API has none")
  t.equal(stateOf("worker"), "DOWN")
  t.equal(json.status, 5)
  t.equal(stateOf("dashboard"), undefined, "none is configured")
  if (isLong) {
    const served = { COUNTERSIGN_DASHBOARD_LISTEN: `127.0.0.1:${await freePort()}` }
    const dark = await run(NODE, ["doctor"], served)
    t.match(dark, {
      status: 5,
      output: /^ok {6}settings of the dashboard: [^]*^DOWN {4}dashboard: no answer from/m,
    })
    const dashboard = new Program({
      file: NODE,
      words: ["serve", "dashboard"],
      environment: { ...environment, ...served },
    })
    await buildDashboard()
    await dashboard.until(/listening/)
    t.match((await run(NODE, ["doctor"], served)).output, /^ok {6}dashboard: ready, http:/m)
    await dashboard.stop()
  }
  const faulty = await run(NODE, ["doctor"], { COUNTERSIGN_LOG_LEVEL: "loud" })
  t.match(faulty, { status: 2, output: /^FAULT {3}settings of the api: .*LOG_LEVEL/m })
})

t.test("the fetcher's doctor names a missing seed, and a process that does not listen", async (t) => {
  const directory = dataDirectory(t)
  mkdirSync(join(directory, "fetcher"), { recursive: true })
  const fetcher = "signer/fetcher/main.ts"
  t.match(await runProgram(directory, fetcher, "doctor"), {
    status: 1,
    out: /^FAULT {3}seed: .*countersign-fetcher init, or restore it$/m,
  })
  writeFileSync(join(directory, "fetcher", "seed"), "", { mode: 0o600 })
  const json = await runProgram(directory, fetcher, "doctor", "--json")
  t.equal(json.status, 5)
  t.match(JSON.parse(json.out), {
    checks: [
      { name: "settings", state: "ok" },
      { name: "seed", state: "ok" },
    ],
  })
})

/** The test of `serve dashboard` stops a process in the short form. */
const inLongForm = isLong ? false : "long form: npm run test:long -- test/services/node/programs.test.ts"

t.test("countersign-node serve runs the process until it is stopped", { skip: inLongForm }, async (t) => {
  const { url } = await freshDatabase(t)
  const port = await freePort()
  const program = new Program({
    file: NODE,
    words: ["serve", "worker"],
    environment: { DATABASE_URL: url, COUNTERSIGN_WORKER_LISTEN: `127.0.0.1:${port}` },
  })
  t.teardown(() => program.stop())
  await program.until(/listening/)
  t.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  process.kill(program.pid, "SIGTERM")
  t.equal(await program.endedBefore(/never/), 0)
})

t.test(
  "W10: countersign-node serve dashboard serves the build, without pins, until it is stopped",
  async (t) => {
    await buildDashboard()
    const [port, api] = [await freePort(), "https://api.example"]
    const environment = {
      COUNTERSIGN_DASHBOARD_LISTEN: `127.0.0.1:${port}`,
      COUNTERSIGN_API_PUBLIC_URL: api,
      COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: "https://login.example",
      COUNTERSIGN_DASHBOARD_STOP_GRACE_SECONDS: "0",
    }
    const program = new Program({ file: NODE, words: ["serve", "dashboard"], environment })
    t.teardown(() => program.stop())
    await program.until(/listening/)
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    const page = await ask("/approvals")
    t.match(await page.text(), /<!doctype html>/i)
    const policy = page.headers.get("content-security-policy") ?? ""
    t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[A-Za-z0-9+/=]+';/)
    t.match(policy, /connect-src 'self' https:\/\/api\.example https:\/\/login\.example;/)
    t.strictSame(await (await ask("/config.json")).json(), {
      apiUrl: api,
      authProxyUrl: "https://login.example",
    })
    t.strictSame(await (await ask("/readyz")).json(), { ready: true })
    t.equal((await ask("/livez")).status, 200)
    t.equal((await ask("/.env.local")).status, 404)
    process.kill(program.pid, "SIGTERM")
    t.equal(await program.endedBefore(/never/), 0)
  },
)

t.test("serve dashboard refuses plain HTTP beyond the loopback", async (t) => {
  const environment = { COUNTERSIGN_DASHBOARD_LISTEN: "0.0.0.0:8082" }
  const program = new Program({ file: NODE, words: ["serve", "dashboard"], environment })
  t.equal(await program.endedBefore(/listening/), 2)
  t.match(program.output, /COUNTERSIGN_DASHBOARD_LISTEN: plain HTTP.*COUNTERSIGN_DASHBOARD_BEHIND_PROXY=true/)
  await program.stop()
})

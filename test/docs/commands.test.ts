import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { globSync } from "node:fs"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import t, { type Test } from "tap"
import { startAnvil } from "../harness/anvil.ts"
import { runCommandLine } from "../harness/commands.ts"
import { freePort } from "../harness/free-port.ts"
import { isLong } from "../harness/long.ts"
import { type Block, blocksOf, documents, ROOT, textOf } from "./markdown.ts"
import { patienceMs } from "../harness/patience.ts"

/** Blocks that cannot be run here, by their first line, each with its reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  "countersign-signer audit verify audit.jsonl --pins pins.json --head checkpoint":
    "needs files of an auditor; test/signer/operator/audit.test.ts runs it",
  "python3 -m venv .venv && .venv/bin/pip install turnkey-http==0.2.2":
    "installs from the network; test/clients/quickstarts.test.ts runs the program where the package is",
  "cargo run --locked --manifest-path examples/quickstart/rust/Cargo.toml":
    "compiles for minutes; test/clients/quickstarts.test.ts runs the program where it is built",
  "go run examples/quickstart/first.go": "needs Go; test/clients/quickstarts.test.ts runs it where Go is",
  "# On the signer's host": "needs a host; test/release/hosts.test.ts makes one and runs it",
  "# On the API's host": "needs a host; test/release/hosts.test.ts makes one and runs it",
  "# On both hosts": "needs two hosts; test/release/hosts.test.ts makes them and runs it",
  "# On the only host": "changes the host; test/docs/self-hosting.test.ts runs it in a folder",
  "npx --yes newman@6.2.2 run collection.json --folder whoami \\":
    "installs from the network; test/clients/collection.test.ts runs the installed newman",
  "tar xf countersign-*-linux-x64.tar.gz && cd countersign-*-linux-x64 && ./countersign dev":
    "needs an archive of a release; test/release/start.test.ts builds one and runs it",
  "npm ci && npm start": "the packages are installed; `npm start` is what this test starts",
  "npm test": "this is part of it",
  "npm test -- test/hostile/ledger.test.ts": "is run by itself",
  "npm run example:login": "runs until it is stopped; test/clients/login-page.test.ts starts it and logs in",
  "npm run example:passkey":
    "runs until it is stopped; test/clients/passkey-page.test.ts starts it and signs",
  "npx countersign pins apply --project .":
    "changes packages of a project; test/services/cli/pins-apply.test.ts does it to a copy",
  "# 1. On the signer's host: its name leaves the ledger.":
    "needs a deleted organization; test/e2e/activity-export.test.ts runs it",
  "npm run promise": "writes to proto/; test/architecture/promises.test.ts does it to a copy",
  "COUNTERSIGN_SIGNER_LISTEN=signer.internal:7443 \\":
    "needs two hosts; test/e2e/two-hosts.test.ts starts it so",
  "COUNTERSIGN_SIGNER_ADDRESS=signer.internal:7443 COUNTERSIGN_SIGNER_CA_FILE=ca.crt \\":
    "needs two hosts; test/e2e/two-hosts.test.ts starts it so",
  'npx countersign-signer pair api --join "$REQUEST"':
    "asks at a terminal for words of another host; test/e2e/join.test.ts runs it so",
  'npx countersign-node join api --answer "$ANSWER"':
    "asks at a terminal for words of another host; test/e2e/join.test.ts runs it so",
  "docker compose run --rm signer node signer/operator/main.ts init": "needs Docker",
  'signer() { docker compose --file docker-compose.signer.yml run --rm signer node signer/operator/main.ts "$@"; }':
    "needs Docker",
  'api() { docker compose --file docker-compose.api.yml run --rm --no-deps api node services/node/main.ts "$@"; }':
    "needs Docker",
  "docker compose run --rm fetcher node signer/fetcher/main.ts public-key": "needs Docker",
}

/** Blocks that a healthy system refuses, each with its reason. */
const REFUSED: Readonly<Record<string, string>> = {
  "npx countersign-signer init": "the deployment exists; test/e2e/lost-volume.test.ts creates one",
  "npx countersign-fetcher init": "the seed exists; test/e2e/start-faults.test.ts creates one",
  "npx countersign-signer accept-clock": "nothing is in doubt about the clock",
  "npx countersign-signer accept-ledger": "nothing is in doubt about the ledger",
}

/** Blocks that run here in the long form alone, because another test runs the same: each with that test. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  "npm run build:dashboard": "test/services/cli/dashboard.test.ts",
  "npm run example:delegated": "test/e2e/dev-running.ts",
  "npm run example:onboard": "test/e2e/dev-running.ts",
  "npm run example:policies": "test/e2e/dev-running.ts",
  "npm run example:quickstart": "test/e2e/dev-running.ts",
  "npm run example:treasury": "test/e2e/dev-running.ts",
  "npm run example:verify": "test/e2e/dev-running.ts",
  'for recipe in examples/policies/cookbook/*.json; do npx countersign policy test "$recipe"; done':
    "test/docs/cookbook.test.ts",
}

const LANGUAGES = ["shell", "ts", "go", "python", "rust", "json", "text", "yaml", "ini", "nginx"]

/** Programs that test/clients/quickstarts.test.ts runs: blocks in these languages are parts of them. */
const PROGRAMS: Readonly<Record<string, string>> = {
  go: "examples/quickstart/first.go",
  python: "examples/quickstart/first.py",
  rust: "examples/quickstart/rust/src/main.rs",
}

const READY_MS = patienceMs(120_000)

/** The local chain of examples/send.ts; its address is in COUNTERSIGN_CHAINS of every command. */
let chainUrl = ""

/** `standIn`: a folder whose `npx` runs installed programs, without npm's start of most of a second. */
type System = { checkout: string; environment: NodeJS.ProcessEnv; start: ChildProcess; standIn: string }

const shell = documents.flatMap(blocksOf).filter(({ language }) => language === "shell")

t.test("every code block names its language", async (t) => {
  const languages = new Set(documents.flatMap(blocksOf).map(({ language }) => language))
  t.strictSame(
    [...languages].filter((language) => !LANGUAGES.includes(language)),
    [],
  )
  const begun = new Set(shell.map(firstLine))
  t.strictSame(
    [NOT_RUN, REFUSED, RUN_ELSEWHERE].flatMap(Object.keys).filter((line) => !begun.has(line)),
    [],
  )
})

t.test("an example that another test runs is the program of its npm script", async (t) => {
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> }
  for (const [line, test] of Object.entries(RUN_ELSEWHERE)) {
    const [, name] = /^npm run (example:\w+)$/.exec(line) ?? []
    if (name === undefined) continue
    const [file = ""] = /examples\/\w+\.ts$/.exec(scripts[name] ?? "") ?? []
    t.ok(file !== "" && textOf(test).includes(`"${file}"`), `${test} runs ${name}`)
  }
})

t.test("every command of the documents works as it is written", async (t) => {
  chainUrl = (await startAnvil(t)).url
  const system = await startSystem(t)
  t.teardown(() => stopSystem(system))
  for (const [name, text] of savedPrograms()) await writeFile(join(system.checkout, name), text)
  const ran = new Set<string>()
  for (const block of inOrder(shell)) {
    const line = firstLine(block)
    if (Object.hasOwn(NOT_RUN, line)) continue
    const commands = commandsIn(block)
    const isRepeated = commands.length > 0 && commands.every((command) => ran.has(command))
    if (!isLong && (isRepeated || Object.hasOwn(RUN_ELSEWHERE, line))) continue
    // npm's own npx runs the first block that names it, and those that give it options.
    const isFirst = Array.from(ran).every((command) => !command.startsWith("npx "))
    const { code, output } = await run(block, system, isLong || isFirst || block.text.includes("npx -"))
    for (const command of commands) ran.add(command)
    const isRefused = Object.hasOwn(REFUSED, line)
    t.equal(code !== 0, isRefused, `${block.file}:${block.line}: ${line}`, { code, output })
  }
})

t.test("every program in the documents is run, or is part of one that is", async (t) => {
  const saved = new Map(savedPrograms().map(([name, text]) => [text, name]))
  t.ok(saved.size > 1)
  const examples = globSync("examples/*.ts", { cwd: ROOT }).map(textOf)
  for (const { file, line, language, text } of documents.flatMap(blocksOf)) {
    if (language === "yaml") t.ok(textOf("examples/organization.yaml").includes(text), `${file}:${line}`)
    const program = PROGRAMS[language]
    if (program !== undefined) t.ok(textOf(program).includes(text), `${file}:${line}`)
    if (language !== "ts") continue
    const isRun = saved.has(text) || examples.some((example) => `\n${example}`.includes(`\n${text}`))
    t.ok(isRun, `${file}:${line}`)
  }
})

/** Programs that a reader saves: file names and texts. */
function savedPrograms(): [string, string][] {
  return ["README.md", "docs/clients.md"].flatMap((file) => {
    const names = [...textOf(file).matchAll(/[Ss]ave this as `([\w.]+)`/g)].map(([, name = ""]) => name)
    const programs = blocksOf(file).filter(({ language }) => language === "ts")
    return programs.map(({ text }, index): [string, string] => [names[index] ?? "", text])
  })
}

/** README first, as a new user reads. */
function inOrder(blocks: readonly Block[]): Block[] {
  return blocks.toSorted((a, b) => Number(b.file === "README.md") - Number(a.file === "README.md"))
}

/** Commands of a block that start a script of npm or a program, each to its end. */
function commandsIn({ text }: Block): string[] {
  return [...text.matchAll(/\b(?:npm run|npx) [^\n|;()]*/g)].map(([command]) => command.trim())
}

function firstLine({ text }: Block): string {
  return text.split("\n")[0] ?? ""
}

async function run({ text }: Block, { checkout, environment, standIn }: System, isByNpm: boolean) {
  const PATH = [...(isByNpm ? [] : [standIn]), environment["PATH"]].join(delimiter)
  const child = spawn("bash", ["-euc", text], {
    cwd: checkout,
    env: { ...environment, PATH },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const [code] = (await once(child, "close")) as [number | null]
  return { code, output }
}

/** A development system of its own, and a folder that looks like a checkout beside which it wrote `.env.local`. */
async function startSystem(t: Test): Promise<System> {
  const home = await mkdtemp(join(tmpdir(), "cs-docs-"))
  // PostgreSQL, which refuses to run as root, passes through it as another user.
  await chmod(home, 0o711)
  const [checkout, data, cache] = [join(home, "checkout"), join(home, "data"), join(home, "npm")]
  const standIn = join(home, "bin")
  await mkdir(checkout)
  await mkdir(standIn)
  await writeFile(join(standIn, "npx"), standInOf(checkout, standIn, await startCommandServer(t)))
  await chmod(join(standIn, "npx"), 0o755)
  for (const entry of await readdir(ROOT)) {
    if (!entry.startsWith(".")) await symlink(join(ROOT, entry), join(checkout, entry))
  }
  await symlink(join(data, ".env.local"), join(checkout, ".env.local"))
  const environment = {
    ...newTerminal(),
    PATH: [join(ROOT, "node_modules", ".bin"), process.env["PATH"]].join(delimiter),
    npm_config_cache: cache,
    npm_config_update_notifier: "false",
    COUNTERSIGN_DATA_DIR: data,
    COUNTERSIGN_API_LISTEN: `localhost:${await freePort()}`,
    COUNTERSIGN_AUTH_PROXY_LISTEN: "localhost:0",
    COUNTERSIGN_DASHBOARD_LISTEN: `localhost:${await freePort()}`,
    COUNTERSIGN_WORKER_LISTEN: "localhost:0",
    COUNTERSIGN_CHAINS: `eip155:31337=${chainUrl}`,
  }
  const start = spawn("npm", ["start"], {
    cwd: checkout,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  })
  const system = { checkout, environment, start, standIn }
  let output = ""
  const ready = new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${why}\n${output}`))
    for (const stream of [start.stdout, start.stderr]) {
      stream.on("data", (chunk) => {
        output += String(chunk)
        if (/^Ready /m.test(output)) resolve()
      })
    }
    start.once("close", (code) => fail(`npm start ended with ${code}`))
    setTimeout(fail, READY_MS, "npm start did not get ready").unref()
  })
  await ready.catch(async (error: unknown) => {
    await stopSystem(system)
    throw error
  })
  return system
}

/**
 * Text of an `npx` that starts each installed program once, and then has the server below run its commands. A command that reads standard input or is of a program that the server has not starts its program.
 */
function standInOf(checkout: string, folder: string, port: number): string {
  return `#!/bin/bash
program="$1"
shift
case "$program $*" in
  "countersign signer "* | "countersign fetcher "* | "countersign node "*) isServed= ;;
  *" - "* | *" -") isServed= ;;
  "countersign "* | "countersign-fetcher "* | "countersign-node "* | "countersign-signer "*) isServed=1 ;;
  *) isServed= ;;
esac
if [ -z "$isServed" ] || ! [ -e "${folder}/started-$program" ]; then
  : > "${folder}/started-$program"
  exec "${join(checkout, "node_modules", ".bin")}/$program" "$@"
fi
call="$(mktemp -d "${folder}/call-XXXXXX")"
{ printf '%s\\0' "$PWD" "$program" "$#" "$@"; env -0; } > "$call/request"
exec 3<> /dev/tcp/127.0.0.1/${port}
echo "$call" >&3
read -r status <&3
cat "$call/out"
cat "$call/log" >&2
exit "$status"
`
}

/** Programs whose commands the server runs. */
const SERVED: Readonly<Record<string, string>> = {
  countersign: "services/cli/main.ts",
  "countersign-fetcher": "signer/fetcher/main.ts",
  "countersign-node": "services/node/main.ts",
  "countersign-signer": "signer/operator/main.ts",
}

/**
 * Runs commands of the installed programs in one process (test/harness/commands.ts). A caller connects and sends the name of a
 * folder as a line. Its file `request` has the caller's folder, the program, the number of words, the words and the environment,
 * each ended by a zero byte. The reply is the exit status, once the files `out` and `log` are there.
 *
 * @returns its port
 */
async function startCommandServer(t: Test): Promise<number> {
  const server = createServer((socket) => void answer(socket).catch((error) => t.error(error)))
  t.teardown(() => server.close())
  await once(server.listen(0, "127.0.0.1"), "listening")
  return (server.address() as AddressInfo).port
}

async function answer(socket: Socket): Promise<void> {
  const [call] = (await once(createInterface({ input: socket }), "line")) as [string]
  const request = await readFile(join(call, "request"), "utf8")
  const [folder = "", name = "", count, ...rest] = request.split("\0")
  const words = rest.slice(0, Number(count))
  const settings = rest.slice(words.length).filter((line) => line !== "")
  const environment = Object.fromEntries(
    settings.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  )
  const line = { program: SERVED[name] ?? "", words, environment, input: "", folder }
  const { status, out, log } = await runCommandLine(line)
  await writeFile(join(call, "out"), out)
  await writeFile(join(call, "log"), log)
  socket.end(`${status}\n`)
}

/** Environment without npm's variables: npm may run this test, and child processes would inherit them. */
function newTerminal(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_|^COUNTERSIGN_|^TAP/.test(name)),
  )
}

async function stopSystem({ checkout, start }: System): Promise<void> {
  if (start.exitCode === null && start.signalCode === null) {
    start.kill("SIGTERM")
    await once(start, "close")
  }
  await rm(join(checkout, ".."), { recursive: true, force: true, maxRetries: 10 })
}

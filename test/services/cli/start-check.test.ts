// The first start of a user: `npm start` without an installation, with options that npm takes, and `npx`.
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import t from "tap"
import { casesOf } from "../../harness/long.ts"
import { packageRoot } from "../../../services/terminal-client/settings.ts"

type Manifest = { scripts: Record<string, string>; bin?: unknown }
const { scripts, bin } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as Manifest

/** The environment of a new terminal, without npm's variables. */
const terminal = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

function start(cwd: string, environment: NodeJS.ProcessEnv = {}) {
  const [check = ""] = (scripts["start"] ?? "").split(" && ")
  const { status, stderr, stdout } = spawnSync("sh", ["-c", check], {
    cwd,
    env: { ...terminal, ...environment },
    encoding: "utf8",
  })
  return { status, output: `${stdout}${stderr}` }
}

t.test("npm start without npm ci says so in one sentence", async (t) => {
  const checkout = t.testdir({ scripts: {}, "package.json": '{"type":"module"}' })
  cpSync(join(packageRoot, "scripts/check-start.js"), join(checkout, "scripts/check-start.js"))
  t.strictSame(start(checkout), {
    status: 2,
    output: "countersign: the packages are not installed; run: npm ci\n",
  })
  t.strictSame(start(packageRoot), { status: 0, output: "" })
})

t.test("every script checks the installation before it runs a program of ours", async (t) => {
  const ours = Object.entries(scripts).filter(([name]) => name !== "postinstall" && !name.startsWith("pre"))
  t.ok(ours.length > 10)
  for (const [name, script] of ours)
    t.match(scripts[`pre${name}`] ?? script, /^node scripts\/check-start\.js && /, name)
})

t.test("npm start with a Node that cannot run the system says so in one sentence", async (t) => {
  const file = readFileSync(join(packageRoot, "scripts/check-start.js"), "utf8")
  const checkout = t.testdir({
    scripts: { "check-start.js": file.replaceAll("process.versions.node", '"20.20.2"') },
    node_modules: { commander: { "package.json": "{}" } },
    "package.json": '{"type":"module"}',
  })
  const sentence =
    "Node 20.20.2 cannot run it, and the Node that npm ci installs is missing: run npm ci again"
  t.strictSame(start(checkout), { status: 2, output: `countersign: ${sentence}\n` })
})

t.test("options that npm took for its own are noticed", async (t) => {
  for (const option of ["--reset", "--no-seed"]) {
    const { status, stdout, stderr } = spawnSync("npm", ["start", option], {
      cwd: packageRoot,
      env: { ...terminal, COUNTERSIGN_DATA_DIR: join(t.testdirName, "none") },
      encoding: "utf8",
    })
    t.equal(status, 2)
    t.match(
      `${stdout}${stderr}`,
      `countersign: npm took ${option} for an option of its own: npm start -- ${option}`,
    )
  }
  // npm 11 takes --https for --https-proxy, warns, and leaves it out.
  const env = { ...terminal, npm_lifecycle_event: "start", npm_config_https: "true" }
  const { stderr } = spawnSync(process.execPath, ["scripts/check-start.js"], {
    cwd: packageRoot,
    env,
    encoding: "utf8",
  })
  t.equal(stderr, "countersign: npm took --https for an option of its own: npm start -- --https\n")
})

t.test(
  "C-1899: a program runs by its path with the Node beside it, whatever Node the host has",
  async (t) => {
    const folder = t.testdir({ node: "#!/bin/sh\necho 'node: bad option' >&2\nexit 9\n" })
    chmodSync(join(folder, "node"), 0o755)
    const PATH = [folder, "/usr/bin", "/bin"].join(delimiter)
    const link = join(folder, "linked")
    symlinkSync(join(packageRoot, "services/node/main.ts"), link)
    for (const program of [
      ...casesOf(1, ["services/cli", "signer/operator", "signer/fetcher", "signer/witness"].map(mainOf)),
      link,
    ]) {
      const { status, stdout, stderr } = spawnSync(program, ["--version"], {
        env: { PATH },
        encoding: "utf8",
      })
      t.match({ status, stdout }, { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ }, `${program}: ${stderr}`)
    }
  },
)

const mainOf = (folder: string) => join(packageRoot, folder, "main.ts")

t.test("npx runs the commands for a user who cannot write the checkout", async (t) => {
  t.equal(bin, undefined, "npx would change the modes of its files")
  const home = mkdtempSync(join(tmpdir(), "cs-npx-"))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const [checkout, cache] = [join(home, "checkout"), join(home, "npm")]
  for (const folder of [home, checkout, join(checkout, "scripts"), join(checkout, "node_modules")])
    mkdirSync(folder, { recursive: true, mode: 0o755 })
  mkdirSync(cache)
  chmodSync(home, 0o755)
  chmodSync(cache, 0o777)
  for (const name of ["package.json", "services", "signer", "proto"])
    symlinkSync(join(packageRoot, name), join(checkout, name))
  cpSync(join(packageRoot, "scripts/link-commands.js"), join(checkout, "scripts/link-commands.js"))
  t.equal(
    spawnSync(process.execPath, [join(checkout, "scripts/link-commands.js")], { cwd: checkout }).status,
    0,
  )
  // Only root may run a program as another user; everybody else is one who cannot write here.
  const other = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  for (const name of ["", "scripts", "node_modules/.bin", "node_modules"])
    chmodSync(join(checkout, name), 0o555)
  t.teardown(() => chmodSync(join(checkout, "node_modules/.bin"), 0o755))
  const path = [join(packageRoot, "node_modules/.bin"), process.env["PATH"]].join(delimiter)
  const variables = [
    `PATH=${path}`,
    `HOME=${cache}`,
    `npm_config_cache=${cache}`,
    "npm_config_update_notifier=false",
  ]
  for (const command of ["countersign", "countersign-signer"]) {
    // `env -i`: the runner's own variables would have the other user write its files.
    const words = ["-i", ...variables, "npx", "--no-install", command, "--version"]
    const { status, stdout, stderr } = spawnSync("env", words, { cwd: checkout, encoding: "utf8", ...other })
    t.match({ status, stdout }, { status: 0, stdout: /^\d+\.\d+\.\d+\n$/ }, `${command}: ${stderr}`)
  }
  t.notOk(existsSync(join(cache, "_npx")), "nothing was installed")
})

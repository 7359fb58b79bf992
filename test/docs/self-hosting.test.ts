import { execFileSync, spawnSync } from "node:child_process"
import { X509Certificate } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { parseEnv } from "node:util"
import t from "tap"
import { hasOpenssl } from "../harness/openssl-authority.ts"
import { casesOf } from "../harness/long.ts"
import { blocksOf, ROOT, textOf } from "./markdown.ts"

const FILE = "docs/self-hosting.md"
const UNITS = globSync("examples/systemd/*.service", { cwd: ROOT }).toSorted()
/** The folder of a release that units name. */
const INSTALLED = "/opt/countersign"
/** Tenths of the scale of `systemd-analyze security`, from 0 (confined) to 100 (exposed). */
const MAX_EXPOSURE = 11

/** The same for the signer that listens on a socket file. */
const MAX_EXPOSURE_WITHOUT_NETWORK = 3

/** Settings check of each process, by the name of its file in /etc/countersign. */
const CHECKS: Readonly<Record<string, string>> = {
  signer: "signer/enclave/check-settings.ts",
  fetcher: "signer/fetcher/check-settings.ts",
  api: "services/api/check-settings.ts",
  worker: "services/worker/check-settings.ts",
  "auth-proxy": "services/auth-proxy/check-settings.ts",
}

/** Programs of units whose processes the page does not set up. */
const OTHERS: Readonly<Record<string, string>> = {
  "audit-sender": "signer/operator/main.ts",
  dashboard: "services/dashboard-host/main.ts",
  witness: "signer/witness/main.ts",
}

/** Programs at the top of each archive. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "countersign-signer": "signer/operator/main.ts",
  "countersign-fetcher": "signer/fetcher/main.ts",
  "countersign-node": "services/node/main.ts",
}

/** Eight words, by which lines are compared on two hosts. */
const WORDS = /\b[a-z]+(?:-[a-z]+){7}\b/g

const blocks = blocksOf(FILE)

const withoutOpenssl = hasOpenssl() ? false : "needs OpenSSL 3"

t.test("each process accepts the certificates and settings that the page's commands make", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cs-self-hosting-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const printed = followPage(folder)
  for (const [name, check] of Object.entries(CHECKS)) {
    const text = settingsOf(name)
    const settings = parseEnv(text.replaceAll("/var/lib/", `${folder}/`))
    t.ok(Object.keys(settings).length > 0, name)
    t.match(settings, printed[name] ?? {}, `${name}: the page has the settings that its command prints`)
    const faultsOf = (env: NodeJS.Dict<string>) => {
      const { PATH } = process.env
      return spawnSync(process.execPath, [check], { cwd: ROOT, env: { PATH, ...env }, encoding: "utf8" })
        .stdout
    }
    t.equal(faultsOf(settings).trim(), "[]", name)
    if (!casesOf(1, Object.keys(CHECKS)).includes(name)) continue
    const misspelt = faultsOf({ ...settings, COUNTERSIGN_NO_SUCH_SETTING: "1" })
    t.match(misspelt, /COUNTERSIGN_NO_SUCH_SETTING/, `${name}: the check sees a fault`)
  }
  await t.test("the page's checks by OpenSSL", { skip: withoutOpenssl }, async (t) => {
    const check = ["-verify_hostname signer.internal", "-purpose sslclient api.crt"]
      .map((text) => blockWith(text).replaceAll("/var/lib", folder))
      .join("")
    t.equal(runIn(folder, check), "signer.crt: OK\nfetcher.crt: OK\napi.crt: OK\n")
    t.throws(() =>
      runIn(folder, check.replace("-verify_hostname signer.internal", "-verify_hostname api.internal")),
    )
    t.throws(() => runIn(folder, check.replace("sslclient", "sslserver")))
  })
})

/**
 * Runs the page's commands one by one in a folder instead of /var/lib, as one user. Lines and words go from each to the next, as an
 * operator would carry them. @returns the settings that were printed, by process
 */
function followPage(folder: string): { [process: string]: { [setting: string]: string } } {
  const here = (text: string) =>
    text.replaceAll("/var/lib", folder).replaceAll(/\/opt\/countersign-[a-z-]+\//g, `${archiveIn(folder)}/`)
  const start = `runuser() { shift 3; "$@"; }\n${here(blockWith("as() ("))}`
  const lines = [
    "certificate signer.internal:7443",
    "join api\n",
    "pair api",
    "join api --answer",
    "countersign-signer init",
    "proxy public-key",
  ]
    .flatMap((text) => blockWith(text).trim().split("\n").slice(1))
    .filter((line) => !line.includes(" unlock"))
  const settings: { [process: string]: { [setting: string]: string } } = {}
  let [last, words] = ["", ""]
  for (const line of lines) {
    const [, name = ""] = /^as (\S+)/.exec(line) ?? []
    const isCompared = line.includes("$")
    const script = `${start}${here(line)}${isCompared ? ` --words "$WORDS"` : ""}`
    const env = { ...process.env, REQUEST: last, ANSWER: last, WORDS: words }
    const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-euc", script], {
      cwd: folder,
      env,
      encoding: "utf8",
    })
    if (status !== 0) throw new Error(`${line}: ${stderr}`)
    for (const [, setting = "", value = ""] of stdout.matchAll(/^ {2}(COUNTERSIGN_\w+)=(.*)$/gm))
      (settings[name] ??= {})[setting] = value
    last = stdout.trim()
    words = stderr.match(WORDS)?.at(-1) ?? ""
  }
  return settings
}

/** A folder with the programs of an archive, which run those of the repository. */
function archiveIn(folder: string): string {
  const archive = join(folder, "archive")
  mkdirSync(join(archive, "bin"), { recursive: true })
  for (const [name, file] of Object.entries({ ...PROGRAMS, "bin/node": "" })) {
    const words = [process.execPath, ...(file === "" ? [] : [join(ROOT, file)])].join(" ")
    writeFileSync(join(archive, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 })
  }
  rmSync(join(archive, "services"), { force: true })
  symlinkSync(join(ROOT, "services"), join(archive, "services"))
  return archive
}

function blockWith(text: string): string {
  const found = blocks.find((block) => block.language === "shell" && block.text.includes(text))
  if (found === undefined) throw new Error(`${FILE} has no command with ${text}`)
  return found.text
}

/** The block below the file's name. */
function settingsOf(name: string): string {
  const heading = textOf(FILE).split("\n").indexOf(`\`/etc/countersign/${name}.env\`:`) + 1
  if (heading === 0) throw new Error(`${FILE} has no ${name}.env`)
  return blocks.find(({ line }) => line > heading)?.text ?? ""
}

t.test("the page unpacks an archive for each process, and installs it", async (t) => {
  const folder = t.testdir({ bin: {}, opt: {} })
  const log = join(folder, "log")
  const recorder = (path: string, name: string) => {
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, `#!/bin/sh\necho "${name} $*" >> "${log}"\n`)
    chmodSync(path, 0o755)
  }
  // Commands that would change the host write down how they were called.
  for (const name of ["tar", "ln", "systemctl"]) recorder(join(folder, "bin", name), name)
  for (const name of Object.keys(CHECKS))
    for (const program of Object.keys(PROGRAMS))
      recorder(join(folder, "opt", `countersign-${name}`, program), program)
  for (const text of ["countersign-signer install", "install proxy", "systemctl daemon-reload"])
    runIn(
      folder,
      `export PATH="${folder}/bin:$PATH" VERSION=1.2.3\n${blockWith(text).replaceAll("/opt/", `${folder}/opt/`)}`,
    )
  const unpacked = (name: string) => [
    `tar xf countersign-1.2.3-${name}-linux-x64.tar.gz --directory /opt`,
    `ln -sfn countersign-1.2.3-${name}-linux-x64 /opt/countersign-${name}`,
  ]
  const called = readFileSync(log, "utf8").replaceAll(folder, "").trim().split("\n")
  t.strictSame(called, [
    ...["signer", "fetcher"].flatMap(unpacked),
    "countersign-signer install",
    "countersign-fetcher install",
    ...["api", "worker", "auth-proxy"].flatMap(unpacked),
    ...["api", "worker", "proxy"].map((name) => `countersign-node install ${name}`),
    "systemctl daemon-reload",
  ])
})

/** Runs the commands of docs/OPERATIONS.md that make an authority and certificates. */
function runRecipe(folder: string): void {
  const recipe = blocksOf("docs/OPERATIONS.md").find(({ text }) => text.includes("openssl req -x509"))
  runIn(folder, recipe?.text ?? "")
}

function runIn(folder: string, script: string): string {
  return execFileSync("bash", ["-euc", script], { cwd: folder, stdio: "pipe" }).toString()
}

t.test(
  "`as` runs a command as the process's user, with the settings of its unit and its folder",
  async (t) => {
    const settings =
      "# a comment\nDATABASE_URL=postgres://u:$p@h/d\nCOUNTERSIGN_CHAINS=eip155:1=https://a|https://b c\n"
    const folder = t.testdir({
      "api.env": settings,
      bin: { runuser: '#!/bin/sh\necho "user=$2"\nshift 3\nexec "$@"\n' },
    })
    chmodSync(join(folder, "bin", "runuser"), 0o755)
    const start = blocks.find(({ text }) => text.includes("as() ("))?.text ?? ""
    const definition = start.slice(start.indexOf("as() ("), start.indexOf("\n)\n") + 3)
    const script = definition.replaceAll("/etc/countersign", folder)
    const seen = runIn(folder, `export PATH="${folder}/bin:$PATH"\n${script}as api env`).split("\n")
    for (const line of [
      "user=countersign-api",
      "COUNTERSIGN_DATA_DIR=/var/lib/countersign-api",
      ...settings.trim().split("\n").slice(1),
    ])
      t.ok(seen.includes(line), line)
  },
)

t.test("every unit starts a program of the repository, as its own user, with its own folder", async (t) => {
  t.strictSame(
    UNITS.map((path) => basename(path)),
    [...Object.keys(CHECKS), ...Object.keys(OTHERS)].map((name) => `countersign-${name}.service`).toSorted(),
  )
  for (const path of UNITS) {
    const text = textOf(path)
    const name = basename(path, ".service").slice("countersign-".length)
    const [, node = "", program = ""] =
      /^ExecStart=(\S+) --disable-sigusr1 (?:--\S+ )*(\S+)/m.exec(text) ?? []
    t.ok(existsSync(join(ROOT, program)), program)
    t.equal(node, `${INSTALLED}/bin/node`)
    t.equal(program, CHECKS[name]?.replace("check-settings", "main") ?? OTHERS[name])
    for (const line of [
      `User=countersign-${name}`,
      `Environment=COUNTERSIGN_DATA_DIR=/var/lib/countersign-${name}`,
      `EnvironmentFile=/etc/countersign/${name}.env`,
      `StateDirectory=countersign-${name}`,
      "Restart=on-failure",
      "RestartSec=5",
    ])
      t.ok(text.includes(`\n${line}\n`), line)
    const [unitSection = ""] = text.split("[Service]")
    t.ok(unitSection.includes("\nStartLimitIntervalSec=0\n"), `${path}: systemd never gives up`)
  }
})

t.test(
  "the page's files for one host have settings that the processes accept, and agree on paths",
  async (t) => {
    const folder = t.testdir()
    runIn(
      folder,
      blockWith("socket.conf")
        .replaceAll(/\/opt\/countersign-\$name/g, ROOT)
        .replaceAll("/etc/systemd", `${folder}/systemd`),
    )
    const settings: Record<string, string> = {}
    for (const name of ["signer", "fetcher", "api"]) {
      const path = `systemd/system/countersign-${name}.service.d/socket.conf`
      for (const [, setting = "", value = ""] of readFileSync(join(folder, path), "utf8").matchAll(
        /^Environment=(\w+)=(.*)$/gm,
      )) {
        settings[setting] = value
        const faulty = value === "group" ? "everyone" : "unix:"
        for (const [given, status] of casesOf(name === "signer" ? 2 : 1, [
          [value, 0],
          [faulty, 1],
        ] as const)) {
          const env = { PATH: process.env["PATH"], DATABASE_URL: "postgres://h/d", [setting]: given }
          const { stdout } = spawnSync(process.execPath, [join(ROOT, CHECKS[name] ?? "")], {
            env,
            encoding: "utf8",
          })
          t.equal(stdout.includes(`${setting}: `), status === 1, `${setting}=${given}: ${stdout}`)
        }
      }
    }
    for (const name of ["SIGNER", "FETCHER"])
      t.equal(settings[`COUNTERSIGN_${name}_LISTEN`], settings[`COUNTERSIGN_${name}_ADDRESS`])
  },
)

t.test("the unit on the page is the signer's", async (t) => {
  const shown = blocks.filter(({ language }) => language === "ini").map(({ text }) => text)
  t.strictSame(shown, [textOf("examples/systemd/countersign-signer.service")])
})

t.test("C-1908: a unit that the page has operators write starts the program of an archive", async (t) => {
  const units = blocks.filter(({ language, text }) => language === "text" && text.includes("[Service]"))
  t.equal(units.length, 1)
  for (const { text } of units) {
    const [, zone = "", program = ""] = /^ExecStart=\/opt\/countersign-([a-z-]+)\/(\S+) /m.exec(text) ?? []
    t.ok(CHECKS[zone], zone)
    t.ok(PROGRAMS[program], program)
    t.ok(text.includes(`\nUser=countersign-${zone}\n`))
    t.notMatch(text, /WorkingDirectory/, "a program finds its own folder")
  }
})

const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0
const withoutAnalyze = hasAnalyze ? false : "needs systemd-analyze"

t.test("every unit is valid, and its exposure is low", { skip: withoutAnalyze }, async (t) => {
  const folder = t.testdir()
  const analyze = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync("systemd-analyze", words, { encoding: "utf8" })
    return { status, output: stdout + stderr }
  }
  const exposure = ["security", "--offline=true", `--threshold=${MAX_EXPOSURE}`]
  const isSigner = (path: string) => Number(path.includes("-signer."))
  for (const path of casesOf(
    2,
    UNITS.toSorted((a, b) => isSigner(b) - isSigner(a)),
  )) {
    const dropIns = join(ROOT, `${path}.d`)
    if (existsSync(dropIns))
      cpSync(dropIns, join(folder, "on-socket", `${basename(path)}.d`), { recursive: true })
    const unit = join(folder, basename(path))
    const text = textOf(path)
      .replaceAll(`${INSTALLED}/bin/node`, process.execPath)
      .replaceAll(INSTALLED, ROOT)
    writeFileSync(unit, text)
    t.strictSame(analyze("verify", "--man=no", unit), { status: 0, output: "" }, path)
    const confined = analyze(...exposure, unit)
    t.equal(confined.status, 0, path, confined)
    writeFileSync(unit, text.replace(/^NoNewPrivileges[\s\S]*?(?=\[Install\])/m, ""))
    t.not(analyze(...exposure, unit).status, 0, `${path} without its confinement is exposed`)
    if (!existsSync(dropIns)) continue
    const onSocket = join(folder, "on-socket", basename(path))
    writeFileSync(onSocket, text)
    t.strictSame(analyze("verify", "--man=no", onSocket), { status: 0, output: "" }, `${path} on a socket`)
    const most = path.includes("-signer.") ? MAX_EXPOSURE_WITHOUT_NETWORK : MAX_EXPOSURE
    const walled = analyze("security", "--offline=true", `--threshold=${most}`, onSocket)
    t.equal(walled.status, 0, `${path} on a socket`, walled)
  }
})

t.test(
  "the recipe for an authority of one's own makes certificates that OpenSSL accepts",
  { skip: withoutOpenssl },
  async (t) => {
    const folder = t.testdir()
    runRecipe(folder)
    const read = (name: string) => new X509Certificate(readFileSync(join(folder, `${name}.crt`)))
    for (const name of ["signer", "fetcher", "api"]) {
      const purpose = name === "api" ? "sslclient" : "sslserver"
      const verify = `openssl verify -CAfile ca.crt -purpose ${purpose} -verify_hostname ${name}.internal ${name}.crt`
      t.equal(runIn(folder, verify), `${name}.crt: OK\n`)
      t.throws(() => runIn(folder, verify.replace(`_hostname ${name}`, "_hostname other")))
      t.ok(read(name).verify(read("ca").publicKey))
    }
  },
)

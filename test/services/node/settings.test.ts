// `config` of every program: each setting with its value and source, no secret, all faults at once.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import type { ListedSetting, SettingsListing } from "../../../signer/core/settings/listing.ts"
import { settingNames } from "../../../signer/core/settings/settings.ts"
import { otelNames } from "../../../services/common/tracing/settings.ts"
import { cliSettingNames } from "../../../services/terminal-client/settings.ts"
import { type Ended, runCommandLine, startCommand } from "../../harness/commands.ts"
import { casesOf } from "../../harness/long.ts"

const PROGRAMS = {
  node: "services/node/main.ts",
  signer: "signer/operator/main.ts",
  fetcher: "signer/fetcher/main.ts",
  witness: "signer/witness/main.ts",
} as const

function lineOf(name: keyof typeof PROGRAMS, words: readonly string[], environment: object) {
  return {
    program: PROGRAMS[name],
    words,
    environment: { PATH: process.env["PATH"], ...environment },
    input: "",
  }
}

const run = (name: keyof typeof PROGRAMS, words: readonly string[], environment: object): Promise<Ended> =>
  runCommandLine(lineOf(name, words, environment))

async function listing(name: keyof typeof PROGRAMS, environment: object, words: string[] = ["config"]) {
  const { status, out, log } = await run(name, [...words, "--json"], environment)
  return { status, out, log, ...(JSON.parse(out) as SettingsListing) }
}

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-config-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const find = (settings: readonly ListedSetting[], name: string, process?: string) =>
  settings.find((one) => one.name === name && (process === undefined || one.process === process))

t.test("the programs together list every setting of the system", async (t) => {
  const COUNTERSIGN_DATA_DIR = folder(t)
  const listed = new Set<string>()
  for (const name of ["node", "signer", "fetcher", "witness"] as const)
    for (const setting of (await listing(name, { COUNTERSIGN_DATA_DIR })).settings) listed.add(setting.name)
  // `countersign`, which has no process to configure, reads one setting of its own.
  const expected = [...settingNames, ...otelNames, "DATABASE_URL"].filter(
    (name) => name !== "COUNTERSIGN_PROFILE",
  )
  t.ok(cliSettingNames.includes("COUNTERSIGN_PROFILE"))
  t.strictSame([...listed].toSorted(), expected.toSorted())
})

t.test("a setting has its value, its source, and of a file whether it can be read", async (t) => {
  const directory = folder(t)
  const file = join(directory, "token")
  writeFileSync(file, "the token of the provider")
  const environment = {
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_FETCHER_SMS_TOKEN_FILE: file,
    COUNTERSIGN_FETCHER_MAIL_DOMAINS: "a.example, b.example",
    COUNTERSIGN_FETCHER_OUTBOX: "",
  }
  const { status, settings, faults } = await listing("fetcher", environment)
  t.equal(status, 0)
  t.strictSame(faults, [])
  t.strictSame(find(settings, "COUNTERSIGN_FETCHER_SMS_TOKEN_FILE"), {
    process: "fetcher",
    name: "COUNTERSIGN_FETCHER_SMS_TOKEN_FILE",
    value: file,
    source: "environment",
    file: "readable",
  })
  t.match(find(settings, "COUNTERSIGN_FETCHER_SEED_FILE"), {
    value: join(directory, "fetcher", "seed"),
    source: "default",
    file: "ENOENT",
  })
  t.match(find(settings, "COUNTERSIGN_FETCHER_MAIL_DOMAINS"), { value: "a.example, b.example" })
  t.match(find(settings, "COUNTERSIGN_FETCHER_OUTBOX"), { value: "false", source: "default" })
  t.match(find(settings, "COUNTERSIGN_FETCHER_SMS_FROM"), { value: null, source: "default" })
  t.match(find(settings, "COUNTERSIGN_FETCHER_LISTEN"), {
    value: `unix:${join(directory, "fetcher", "fetcher.sock")}`,
  })
  const { out } = await startCommand(lineOf("fetcher", ["config"], environment))
  t.match(out, /^COUNTERSIGN_FETCHER_SMS_TOKEN_FILE +\S+token +environment, file readable$/m)
  t.match(out, /^COUNTERSIGN_FETCHER_SEED_FILE +\S+seed +default, file not readable: ENOENT$/m)
  t.match(out, /^COUNTERSIGN_FETCHER_SMS_FROM +not set +default$/m)
})

t.test("no program shows a password, a key in a URL or the content of a file", async (t) => {
  const directory = folder(t)
  const file = join(directory, "secret")
  writeFileSync(file, "s3cret-of-the-file")
  chmodSync(file, 0o600)
  const environment = {
    COUNTERSIGN_DATA_DIR: directory,
    DATABASE_URL: "postgres://app:s3cret-1@db.example,other.example/app?sslmode=require&password=s3cret-2",
    COUNTERSIGN_CHAINS:
      "eip155:1=https://node.example/v3/s3cret-3|https://s3cret-4@two.example/?key=s3cret-5",
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: file,
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: "site",
    COUNTERSIGN_FETCHER_SMS_PROVIDER: "json",
    COUNTERSIGN_FETCHER_SMS_URL: "https://sms.example/hooks/s3cret-6?token=s3cret-7",
    COUNTERSIGN_FETCHER_SMS_FROM: "+1",
    COUNTERSIGN_FETCHER_SMS_TOKEN_FILE: file,
    COUNTERSIGN_FETCHER_MOONPAY_URL: "http://user:s3cret-8@moonpay.example",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=s3cret-10",
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector.example/v1/traces?key=s3cret-11",
  }
  for (const name of ["node", "signer", "fetcher", "witness"] as const) {
    for (const words of casesOf(name === "signer" ? 2 : 1, [["config"], ["config", "--json"]])) {
      const { out, log } = await run(name, words, environment)
      t.notMatch(out + log, /s3cret-/, `${name} ${words.join(" ")}`)
    }
  }
  const { out, settings } = await listing("node", environment)
  t.notMatch(out, /s3cret-/, "node config --json")
  t.match(find(settings, "DATABASE_URL"), {
    value: "postgres://app:[hidden]@db.example,other.example/app?sslmode=require&password=[hidden]",
  })
  t.match(find(settings, "COUNTERSIGN_CHAINS"), {
    value: "eip155:1=https://node.example/…|https://two.example/…",
  })
  // A password is refused where it does not belong, and is not shown either.
  const faulty = { COUNTERSIGN_FETCHER_SMTP_URL: "smtp://user:s3cret-9@mail.example:587" }
  const refused = await run("fetcher", ["config"], { COUNTERSIGN_DATA_DIR: directory, ...faulty })
  t.equal(refused.status, 2)
  t.notMatch(refused.out + refused.log, /s3cret-/)
})

t.test("all faults are shown at once, beside the settings that can be read", async (t) => {
  const COUNTERSIGN_DATA_DIR = folder(t)
  const environment = {
    COUNTERSIGN_DATA_DIR,
    COUNTERSIGN_LOG_LEVEL: "loud",
    COUNTERSIGN_API_LISTEN: "0.0.0.0:8080",
    COUNTERSIGN_WORKER_CONFIRMATION: "3",
  }
  const node = await listing("node", environment)
  t.equal(node.status, 2)
  t.match(
    node.faults.toSorted(),
    [
      /^COUNTERSIGN_API_LISTEN: plain HTTP beyond/,
      /^COUNTERSIGN_LOG_LEVEL: write one of/,
      /^COUNTERSIGN_WORKER_CONFIRMATION: .*did you mean COUNTERSIGN_WORKER_CONFIRMATIONS\?/,
    ],
    "a fault that several processes find is shown once",
  )
  t.match(find(node.settings, "COUNTERSIGN_LOG_LEVEL", "worker"), { value: null, source: "environment" })
  t.match(find(node.settings, "COUNTERSIGN_WORKER_CONFIRMATIONS"), { value: "1", source: "default" })
  t.match(JSON.parse(node.log), {
    error: { exitStatus: 2, message: /^the settings cannot be used:(?:\n {2}.*){3}$/ },
  })
  const signer = await run("signer", ["config"], {
    COUNTERSIGN_DATA_DIR,
    COUNTERSIGN_SIGNER_MAX_USERS: "many",
    COUNTERSIGN_SIGNER_MAX_TAG: "1",
    COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: "remark",
  })
  t.equal(signer.status, 2)
  t.match(signer.log, "COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: write each member as ACTIVITY_TYPE_NAME.path")
  t.match(
    signer.log,
    /MAX_TAG: .*did you mean COUNTERSIGN_SIGNER_MAX_TAGS\?[^]*MAX_USERS: write a whole number/,
  )
  t.match(signer.out, /^COUNTERSIGN_SIGNER_MAX_POLICIES +1000 +default$/m)
})

t.test("--print-config of serve is the same listing, and starts nothing", async (t) => {
  const COUNTERSIGN_DATA_DIR = folder(t)
  const environment = { COUNTERSIGN_DATA_DIR }
  for (const name of ["signer", "fetcher"] as const) {
    const { out } = await run(name, ["config"], environment)
    t.match(await run(name, ["serve", "--print-config"], environment), { status: 0, out, log: "" })
  }
  const all = await listing("node", environment)
  t.strictSame(
    [...new Set(all.settings.map(({ process }) => process))],
    ["api", "auth proxy", "worker", "dashboard"],
  )
  for (const name of casesOf(1, ["proxy", "api", "worker", "dashboard"])) {
    const { settings } = await listing("node", environment, ["serve", name, "--print-config"])
    const [first] = settings
    t.strictSame(
      settings,
      all.settings.filter(({ process }) => process === first?.process),
    )
    t.strictSame((await listing("node", environment, ["config", name])).settings, settings)
  }
})

t.test("the help of each command on the database has an example with its own name", async (t) => {
  for (const command of ["prune", "erase", "cut"])
    t.match(await run("node", ["db", command, "--help"], { COUNTERSIGN_DATA_DIR: folder(t) }), {
      status: 0,
      out: new RegExp(
        `\\nExamples?:\n {2}countersign-node db ${command} --?[a-z]|\\nExamples?:\n {2}countersign-node db ${command} [0-9a-f-]{36}`,
      ),
      log: "",
    })
})

t.test("a misspelt command, option or process is suggested, with the place of the list", async (t) => {
  const COUNTERSIGN_DATA_DIR = folder(t)
  const faults: [keyof typeof PROGRAMS, string[], RegExp][] = [
    ["node", ["confg"], /did you mean config\? countersign-node --help lists commands and options\n$/],
    ["node", ["config", "wroker"], /did you mean worker\?/],
    ["node", ["config", "api", "worker"], /config takes one of/],
    ["signer", ["setup-cod"], /no command "setup-cod"; did you mean setup-code\?/],
    [
      "node",
      ["serve", "api", "--print-confg"],
      /did you mean --print-config\? countersign-node --help lists/,
    ],
    ["node", ["config", "--print-config"], /--print-config belongs to serve/],
    ["node", ["doctor", "now"], /"now" is not expected after doctor: countersign-node --help lists/],
    ["node", ["db", "prune", "--older-then", "90d"], /mean --older-than\? countersign-node db prune --help/],
    ["node", ["db", "erase", "--txt", "x"], /mean --text\? countersign-node db erase --help/],
    ["node", ["db", "cut", "now"], /"now" is not expected after db cut: countersign-node db cut --help/],
    ["node", ["join", "api", "--anwser", "x"], /mean --answer\? countersign-node join api --help/],
    ["node", ["join", "--help"], /countersign-node join api --help/],
    ["signer", ["serve", "--print-confg"], /there is no option --print-confg; did you mean --print-config\?/],
    ["signer", ["status", "--print-config"], /--print-config belongs to serve/],
    ["fetcher", ["doctr"], /no command "doctr"; did you mean doctor\?/],
    ["fetcher", ["public-kye"], /did you mean public-key\?/],
    ["fetcher", ["doctor", "--jsn"], /did you mean --json\?/],
    ["fetcher", ["init", "--init"], /belongs to serve and witness-key/],
    ["fetcher", ["public-key", "--json"], /--json belongs to/],
    ["fetcher", ["doctor", "now"], /"now" is not expected after doctor/],
    ["fetcher", [], /no command\n\nUsage/],
  ]
  for (const [name, words, log] of faults)
    t.match(await run(name, words, { COUNTERSIGN_DATA_DIR }), { status: 2, out: "", log }, words.join(" "))
})

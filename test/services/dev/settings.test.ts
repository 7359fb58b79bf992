import { existsSync, writeFileSync } from "node:fs"
import t from "tap"
import { settingNames } from "../../../signer/core/settings/settings.ts"
import { managedSettings, environmentFor } from "../../../services/dev/process-environment.ts"
import { readSystemSettings } from "../../../services/dev/settings.ts"
import { ExitCode } from "../../../services/terminal-client/exit.ts"
import { commandLine } from "../cli/command-line.ts"
import { ANY_PORTS, dataDirectory } from "../cli/dev-process.ts"

/** An unusable value for every setting that has such values and is not refused by its name alone. */
const FAULTY: Readonly<Record<string, string>> = {
  COUNTERSIGN_ACTIVITY_TIMES: "sometimes",
  COUNTERSIGN_API_BEHIND_PROXY: "1",
  COUNTERSIGN_API_BODY_LIMIT_BYTES: "lots",
  COUNTERSIGN_API_IP_ALLOWLISTS_OFF: "everybody",
  COUNTERSIGN_API_LISTEN: "0.0.0.0:8080",
  COUNTERSIGN_API_LOG_PUBLIC: "maybe",
  COUNTERSIGN_API_METRICS_LISTEN: "on",
  COUNTERSIGN_API_PROCESSES: "0",
  COUNTERSIGN_API_PUBLIC_URL: "api.example",
  COUNTERSIGN_API_STOP_GRACE_SECONDS: "soon",
  COUNTERSIGN_API_TRUSTED_PROXIES: "proxy.internal",
  COUNTERSIGN_API_WITNESSES: "http://witness.example",
  COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: "1",
  COUNTERSIGN_AUTH_PROXY_LISTEN: "8081",
  COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: "yes",
  COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: "https://proxy.example/path",
  COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS: "none",
  COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION: "many",
  COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "-1",
  COUNTERSIGN_AUTH_PROXY_TRUSTED_PROXIES: "proxy.example",
  COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: "/dev/null/none",
  COUNTERSIGN_AUTH_PROXY_TURNSTILE_UNREACHABLE: "perhaps",
  COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL: "turnstile",
  COUNTERSIGN_CHAINS: "eip155:1",
  COUNTERSIGN_DASHBOARD_LISTEN: "localhost",
  COUNTERSIGN_DATABASE_WAIT_SECONDS: "soon",
  COUNTERSIGN_FETCHER_COINBASE_URL: "coinbase",
  COUNTERSIGN_FETCHER_DISCORD_URL: "discord",
  COUNTERSIGN_FETCHER_ISSUERS: "issuer",
  COUNTERSIGN_FETCHER_LOCAL_ISSUERS: "*",
  COUNTERSIGN_FETCHER_MAIL_DOMAINS: "acme@example",
  COUNTERSIGN_FETCHER_MAIL_FROM: "nobody",
  COUNTERSIGN_FETCHER_MOONPAY_URL: "ftp://moonpay.example",
  COUNTERSIGN_FETCHER_OUTBOX: "yes",
  COUNTERSIGN_FETCHER_SANDBOX_CONTACTS: "1",
  COUNTERSIGN_FETCHER_SMS_PROVIDER: "pigeon",
  COUNTERSIGN_FETCHER_SMS_TOKEN_FILE: "/dev/null/none",
  COUNTERSIGN_FETCHER_SMS_URL: "ftp://texts.example",
  COUNTERSIGN_FETCHER_SMTP_CA_FILE: "/dev/null/none",
  COUNTERSIGN_FETCHER_SMTP_PASSWORD_FILE: "/dev/null/none",
  COUNTERSIGN_FETCHER_SMTP_URL: "mail.example",
  COUNTERSIGN_FETCHER_WITNESS_NAME: "a name",
  COUNTERSIGN_FETCHER_X_URL: "https://x.example/path",
  COUNTERSIGN_LOG_LEVEL: "loud",
  COUNTERSIGN_SIGNER_ADMITTED_MEMBERS: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2.parameters.payload",
  COUNTERSIGN_SIGNER_FEE_CAPS: "eip155:1=500",
  COUNTERSIGN_SIGNER_GAS_STATIONS: "eip155:1=0x1/0x2/name/1",
  COUNTERSIGN_SIGNER_KEY_CACHE_ENTRIES: "0",
  COUNTERSIGN_SIGNER_KEY_CACHE_SECONDS: "ten",
  COUNTERSIGN_SIGNER_MAX_API_KEYS: "0",
  COUNTERSIGN_SIGNER_MAX_AUTHENTICATORS: "none",
  COUNTERSIGN_SIGNER_MAX_DEADLINE_SECONDS: "0",
  COUNTERSIGN_SIGNER_MAX_EXPIRING_KEYS: "-1",
  COUNTERSIGN_SIGNER_MAX_OAUTH_PROVIDERS: "1.5",
  COUNTERSIGN_SIGNER_MAX_PENDING_HOURS: "87601",
  COUNTERSIGN_SIGNER_MAX_POLICIES: "many",
  COUNTERSIGN_SIGNER_MAX_SECRET_BYTES: "32769",
  COUNTERSIGN_SIGNER_MAX_SESSION_PROFILES: "1e9",
  COUNTERSIGN_SIGNER_MAX_TAGS: "x",
  COUNTERSIGN_SIGNER_MAX_USERS: "all",
  COUNTERSIGN_SIGNER_OIDC_ISSUER: "http://wallet.example",
  COUNTERSIGN_TOKENS: "eip155:1",
  COUNTERSIGN_WORKER_BALANCE_CALLS_PER_SECOND: "0",
  COUNTERSIGN_WORKER_BALANCE_SECONDS: "0",
  COUNTERSIGN_WORKER_CONFIRMATIONS: "0",
  COUNTERSIGN_WORKER_FINALITY: "eip155:1=0",
  COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "perhaps",
  COUNTERSIGN_WORKER_LISTEN: "8083",
  COUNTERSIGN_SIGNER_SEAL_COMMAND: "systemd-creds encrypt",
  COUNTERSIGN_FETCHER_SEAL_COMMAND: "[1]",
  COUNTERSIGN_FETCHER_UNSEAL_COMMAND: "{}",
  COUNTERSIGN_AUTH_PROXY_SEAL_COMMAND: '[""]',
  COUNTERSIGN_AUTH_PROXY_UNSEAL_COMMAND: "tpm2_unseal",
  COUNTERSIGN_SIGNER_TOKEN_LEEWAY_SECONDS: "301",
  COUNTERSIGN_SIGNER_UNSEAL_COMMAND: "[]",
  COUNTERSIGN_TRACES_PERCENT: "101",
  COUNTERSIGN_TRACES_URL: "collector",
  COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "perhaps",
  COUNTERSIGN_WORKER_METRICS_LISTEN: "here",
  COUNTERSIGN_WORKER_STOP_GRACE_SECONDS: "301",
  COUNTERSIGN_WORKER_WEBHOOK_TIMEOUT_SECONDS: "0",
  COUNTERSIGN_SIGNER_AUDIT_WHEN_FULL: "perhaps",
  COUNTERSIGN_SIGNER_WITNESSES: "witness",
  COUNTERSIGN_SIGNER_WITNESS_BEFORE_ANSWER: "yes",
  COUNTERSIGN_SIGNER_WITNESS_THRESHOLD: "33",
  COUNTERSIGN_SIGNER_BYTE_FEES: "100",
  COUNTERSIGN_SIGNER_NATIVE_PRICES_USD: "4000",
  COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY: "$5",
  COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY_SUB_ORGANIZATION: "1e3",
  DATABASE_URL: "mysql://user:hunter2@host/db",
  OTEL_EXPORTER_OTLP_ENDPOINT: "collector",
  OTEL_EXPORTER_OTLP_HEADERS_FILE: "/dev/null/none",
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://user:hunter2@collector.example",
  OTEL_RESOURCE_ATTRIBUTES: "none",
  OTEL_SDK_DISABLED: "1",
  OTEL_TRACES_SAMPLER_ARG: "2",
}

/** Paths at which something may be made, and names that a provider gave: any text is one. */
const ANY_TEXT = [
  "COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY",
  "COUNTERSIGN_FETCHER_CODES_FILE",
  "COUNTERSIGN_FETCHER_SEED_FILE",
  "COUNTERSIGN_FETCHER_SMS_ACCOUNT",
  "COUNTERSIGN_FETCHER_SMS_FROM",
  "COUNTERSIGN_FETCHER_WITNESS_HEADS_FILE",
  "COUNTERSIGN_FETCHER_WITNESS_LOGS_FILE",
  "COUNTERSIGN_PROFILE",
  "COUNTERSIGN_SIGNER_AUDIT_DIRECTORY",
  "COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY",
  "COUNTERSIGN_SIGNER_LEDGER_DIRECTORY",
]

/** Settings of a process that dev does not start: it serves the dashboard itself. */
const OF_DASHBOARD_HOST = ["COUNTERSIGN_DASHBOARD_BEHIND_PROXY", "COUNTERSIGN_DASHBOARD_STOP_GRACE_SECONDS"]

/** Settings of a witness, which runs on a host of its own. */
const OF_WITNESS = settingNames.filter((name) => name.startsWith("COUNTERSIGN_WITNESS_"))

t.test("dev reports the faults of every setting of every process at once, and creates nothing", async (t) => {
  const file = dataDirectory(t)
  writeFileSync(file, "")
  const decided = Object.fromEntries(managedSettings.map((name) => [name, "x"]))
  const faulty = { ...FAULTY, ...decided, COUNTERSIGN_DATA_DIR: file, COUNTERSIGN_FETCHR_ISSUERS: "x" }
  const { status, out, log } = await commandLine({ PATH: process.env["PATH"], ...faulty }, "dev")
  t.equal(status, ExitCode.usage)
  t.equal(out, "")
  const [, ...faults] = log.split("\n")
  t.same(faults.map(nameIn).toSorted(), Object.keys(faulty).toSorted(), "each once")
  const unchecked = [...ANY_TEXT, ...OF_DASHBOARD_HOST, ...OF_WITNESS].toSorted()
  t.same(settingNames.filter((name) => !(name in faulty)).toSorted(), unchecked, "no setting is left out")
  t.match(
    log,
    /COUNTERSIGN_FETCHR_ISSUERS: there is no such setting; did you mean COUNTERSIGN_FETCHER_ISSUERS/,
  )
  t.match(log, /COUNTERSIGN_API_LISTEN: 0\.0\.0\.0:8080 is beyond the loopback/)
  t.notMatch(log, /hunter2/)
})

t.test("a fault of one process's settings stops the start before anything is created", async (t) => {
  const COUNTERSIGN_DATA_DIR = dataDirectory(t)
  for (const name of [
    "COUNTERSIGN_API_BODY_LIMIT_BYTES",
    "COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY",
    "COUNTERSIGN_FETCHER_ISSUERS",
    "COUNTERSIGN_SIGNER_KEY_CACHE_ENTRIES",
  ]) {
    const { status, log } = await commandLine({ COUNTERSIGN_DATA_DIR, [name]: FAULTY[name] }, "dev")
    t.equal(status, ExitCode.usage, name)
    t.match(log, new RegExp(`cannot be used:\n  ${name}: .+$`))
    t.notOk(existsSync(COUNTERSIGN_DATA_DIR), name)
  }
})

t.test("settings that dev decides itself are refused by name, unless empty", async (t) => {
  const COUNTERSIGN_DATA_DIR = dataDirectory(t)
  const given = { COUNTERSIGN_DATA_DIR, COUNTERSIGN_SIGNER_ADDRESS: "signer.internal:7443" }
  await t.rejects(readSystemSettings(given), {
    message: /COUNTERSIGN_SIGNER_ADDRESS: countersign dev sets this itself; leave it unset$/,
  })
  const unset = { COUNTERSIGN_DATA_DIR, COUNTERSIGN_SIGNER_ADDRESS: "" }
  t.match(await readSystemSettings(unset), { dataDirectory: COUNTERSIGN_DATA_DIR, databaseUrl: undefined })
})

t.test("API and auth proxy cannot have one port, unless the system chooses", async (t) => {
  const COUNTERSIGN_DATA_DIR = dataDirectory(t)
  await t.rejects(readSystemSettings({ COUNTERSIGN_DATA_DIR, COUNTERSIGN_API_LISTEN: "127.0.0.1:8081" }), {
    message: /COUNTERSIGN_AUTH_PROXY_LISTEN: port 8081 is also that of COUNTERSIGN_API_LISTEN$/,
  })
  await t.resolves(readSystemSettings({ COUNTERSIGN_DATA_DIR, ...ANY_PORTS }))
})

t.test("dev accepts valid settings of its processes", async (t) => {
  const COUNTERSIGN_DATA_DIR = dataDirectory(t)
  const DATABASE_URL = "postgres://user@localhost:5432/db"
  const settings = await readSystemSettings({
    COUNTERSIGN_DATA_DIR,
    COUNTERSIGN_API_LISTEN: "127.0.0.1:0",
    COUNTERSIGN_API_TRUSTED_PROXIES: "10.0.0.0/8",
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: "http://localhost:4000",
    COUNTERSIGN_LOG_LEVEL: "debug",
    COUNTERSIGN_SIGNER_KEY_CACHE_SECONDS: "60",
    DATABASE_URL,
  })
  t.match(settings, { apiListen: { host: "127.0.0.1", port: 0 }, databaseUrl: DATABASE_URL })
  t.notOk(existsSync(COUNTERSIGN_DATA_DIR))
})

t.test(
  "each process gets its own settings and the machine's; trusted processes get no database's",
  async (t) => {
    const environment = {
      PATH: "/bin",
      PGPASSWORD: "secret",
      DATABASE_URL: "postgres://user:secret@host/db",
      COUNTERSIGN_API_BODY_LIMIT_BYTES: "2048",
      COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: "true",
      COUNTERSIGN_FETCHER_ISSUERS: "*",
      COUNTERSIGN_SIGNER_KEY_CACHE_SECONDS: "60",
      COUNTERSIGN_SIGNER_ADDRESS: "signer.internal:7443",
      COUNTERSIGN_CHAINS: "base=https://node.example",
      COUNTERSIGN_TOKENS: "",
      COUNTERSIGN_TRACES_PERCENT: "5",
      COUNTERSIGN_WORKER_CONFIRMATIONS: "2",
      OTEL_SERVICE_NAME: "wallets",
    }
    t.same(environmentFor("signer", environment), {
      PATH: "/bin",
      COUNTERSIGN_SIGNER_KEY_CACHE_SECONDS: "60",
    })
    t.same(environmentFor("fetcher", environment), { PATH: "/bin", COUNTERSIGN_FETCHER_ISSUERS: "*" })
    t.same(environmentFor("auth-proxy", environment), {
      PATH: "/bin",
      COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: "true",
      COUNTERSIGN_TRACES_PERCENT: "5",
      OTEL_SERVICE_NAME: "wallets",
    })
    t.same(environmentFor("api", environment), {
      PATH: "/bin",
      PGPASSWORD: "secret",
      COUNTERSIGN_API_BODY_LIMIT_BYTES: "2048",
      COUNTERSIGN_CHAINS: "base=https://node.example",
      COUNTERSIGN_TOKENS: "",
      COUNTERSIGN_TRACES_PERCENT: "5",
      OTEL_SERVICE_NAME: "wallets",
    })
    t.same(environmentFor("worker", environment), {
      PATH: "/bin",
      PGPASSWORD: "secret",
      COUNTERSIGN_CHAINS: "base=https://node.example",
      COUNTERSIGN_TOKENS: "",
      COUNTERSIGN_TRACES_PERCENT: "5",
      OTEL_SERVICE_NAME: "wallets",
      COUNTERSIGN_WORKER_CONFIRMATIONS: "2",
    })
  },
)

function nameIn(fault: string): string {
  return fault.slice(0, fault.indexOf(":")).trim()
}

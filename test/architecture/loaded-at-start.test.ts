// A process starts without the packages and the parts of the contract that its settings give it no use for.
import t from "tap"
import { nodeOptionsOf, servingOptionsOf } from "../../services/dev/layout.ts"
import { loadedBy } from "../harness/loaded-modules.ts"

/** With this setting a program reads its code and its settings, and ends. */
const ENDS = { COUNTERSIGN_NO_SUCH_SETTING: "1" }

const METRICS = /^node_modules\/(?:prom-client|@opentelemetry)\//
const CONTRACT =
  /^proto\/(?:gen\/countersign\/api\/v1\/(?:activities|intents|queries|resources)|codec\/orders\.ts)/

const STARTS = [
  ["the API", "services/api/serve.ts", METRICS],
  [
    "the worker",
    "services/worker/main.ts",
    /^(?:node_modules\/(?:prom-client|@opentelemetry|@bufbuild)|proto\/gen)\//,
  ],
  ["the auth proxy", "services/auth-proxy/serve.ts", METRICS],
  ["the fetcher", "signer/fetcher/serve.ts", new RegExp(`^node_modules/nodemailer/|${CONTRACT.source}`)],
  ["the operator's status", "signer/operator/status.ts", CONTRACT],
  [
    "countersign dev",
    "services/dev/dev.ts",
    /^(?:node_modules\/(?:zod|@bufbuild|vite|rolldown)|proto\/gen)\//,
  ],
] as const

for (const [name, file, left] of STARTS) {
  t.test(`C-1920: ${name} starts without modules that only some settings use`, async (t) => {
    const { paths } = loadedBy(file, [], ENDS)
    t.ok(paths.includes(file), "modules are watched")
    t.strictSame(
      paths.filter((path) => left.test(path)),
      [],
    )
  })
}

t.test("C-1920: both ends of the stream of orders bring its codecs", async (t) => {
  for (const file of ["services/api/serve.ts", "signer/enclave/main.ts"])
    t.ok(loadedBy(file, [], ENDS).paths.includes("proto/codec/orders.ts"), file)
})

t.test(
  "C-1921: the heap of each process of a development system has a bound on its young generation",
  async (t) => {
    for (const name of ["api", "signer", "worker", "auth-proxy", "fetcher"]) {
      const own = servingOptionsOf(name).filter((option) => !nodeOptionsOf(name).includes(option))
      t.match(own, [/^--max-semi-space-size=\d{1,2}$/], name)
    }
  },
)

t.test("C-1921: nothing that keeps running loads the bundler of the dashboard's pages", async (t) => {
  for (const file of [
    "services/dev/build-apart.ts",
    "services/dev/dashboard-of-system.ts",
    "services/dev/dev.ts",
  ])
    t.notOk(loadedBy(file, []).paths.includes("services/dev/build-dashboard.ts"), file)
  t.ok(loadedBy("scripts/build-dashboard.ts", []).paths.includes("services/dev/build-dashboard.ts"))
})

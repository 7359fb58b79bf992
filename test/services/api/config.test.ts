import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import { readApiConfig } from "../../../services/api/config.ts"
import { ORGANIZATION_ID } from "./documents.ts"
import { writeIpBlock } from "../../../signer/core/organization/ip-block.ts"

t.test("needs no setting", async (t) => {
  t.match(readApiConfig({ PATH: "/bin" }), {
    listen: { host: "localhost", port: 8080 },
    signer: { address: /^unix:\/.*\/\.countersign\/signer\/signer\.sock$/ },
    database: { connection: { path: /\/\.countersign\/postgres\/run\/\.s\.PGSQL\.5432$/ } },
    activityTimes: "auto",
    bodyLimitBytes: 1_048_576,
    logLevel: "info",
  })
})

t.test("reads the trusted proxies", async (t) => {
  const trusted = (text: string) =>
    readApiConfig({ COUNTERSIGN_API_TRUSTED_PROXIES: text }).trustedProxies.map(writeIpBlock)
  t.same(readApiConfig({}).trustedProxies, [])
  t.same(trusted("10.0.0.7, 10.1.2.3/16,2001:db8::1"), ["10.0.0.7/32", "10.1.0.0/16", "2001:db8::1/128"])
  t.throws(() => trusted("10.0.0.7, proxy.internal"), /COUNTERSIGN_API_TRUSTED_PROXIES: write addresses/)
})

t.test("reads the organizations whose IP allowlists are off", async (t) => {
  const off = (text: string) =>
    readApiConfig({ COUNTERSIGN_API_IP_ALLOWLISTS_OFF: text }).unenforcedAllowlists
  const id = "0b0c0d0e-0000-4000-8000-00000000000a"
  t.same([...readApiConfig({}).unenforcedAllowlists], [])
  t.same([...off(` ${id.toUpperCase()}, ${ORGANIZATION_ID} `)], [id, ORGANIZATION_ID])
  t.throws(() => off("acme"), /COUNTERSIGN_API_IP_ALLOWLISTS_OFF: write ids/)
})

t.test("the API's configuration reports every fault at once", async (t) => {
  const environment = {
    COUNTERSIGN_API_LISTEN: "8080",
    COUNTERSIGN_API_BODY_LIMIT_BYTES: "lots",
    COUNTERSIGN_ACTIVITY_TIMES: "sometimes",
    COUNTERSIGN_SIGNER_ADDRESS: "signer.internal:7443",
    COUNTERSIGN_SIGNER_CA_FILE: "/nowhere/ca.pem",
    COUNTERSIGN_API_LISTN: "x",
    COUNTERSIGN_AUTH_PROXY_LISTEN: "8081",
    COUNTERSIGN_DASHBOARD_LISTEN: "localhost:99999",
    DATABASE_URL: "mysql://user:hunter2@host/db",
  }
  try {
    readApiConfig(environment)
    t.fail("must be refused")
  } catch (error) {
    const { message } = error as Error
    for (const name of Object.keys(environment)) {
      if (name !== "COUNTERSIGN_SIGNER_ADDRESS") t.match(message, new RegExp(`${name}: `), name)
    }
    t.match(message, /did you mean COUNTERSIGN_API_LISTEN\?/)
    t.match(message, /COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: needed/)
    t.notMatch(message, /hunter2/)
  }
})

t.test("addresses of witnesses have no password", async (t) => {
  for (const user of ["u@", "u:p@", ":p@"])
    t.throws(
      () => readApiConfig({ COUNTERSIGN_API_WITNESSES: `https://${user}witness.example/` }),
      /COUNTERSIGN_API_WITNESSES: write URLs of witnesses/,
      user,
    )
})

t.test("reads the certificates for a signer over the network", async (t) => {
  const file = join(mkdtempSync(join(tmpdir(), "countersign-")), "pem")
  writeFileSync(file, "PEM")
  const { signer } = readApiConfig({
    COUNTERSIGN_SIGNER_ADDRESS: "signer.internal:7443",
    COUNTERSIGN_SIGNER_CA_FILE: file,
    COUNTERSIGN_SIGNER_CLIENT_CERTIFICATE_FILE: file,
    COUNTERSIGN_SIGNER_CLIENT_KEY_FILE: file,
  })
  t.same(signer.tls, { ca: file, certificate: file, key: file })
})

t.test("reads the fetcher's settings like the signer's", async (t) => {
  t.match(readApiConfig({ COUNTERSIGN_DATA_DIR: "/data" }).fetcher, {
    address: "unix:/data/fetcher/fetcher.sock",
    tls: undefined,
  })
  t.throws(
    () => readApiConfig({ COUNTERSIGN_FETCHER_ADDRESS: "fetcher.internal:7444" }),
    /COUNTERSIGN_FETCHER_CA_FILE: needed for a fetcher at host:port/,
  )
})

t.test("listens beyond the loopback only behind a declared proxy", async (t) => {
  const listening = (listen: string, behindProxy?: string) =>
    readApiConfig({ COUNTERSIGN_API_LISTEN: listen, COUNTERSIGN_API_BEHIND_PROXY: behindProxy }).listen.host
  for (const host of ["localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) t.ok(listening(`${host}:8080`), host)
  for (const host of ["0.0.0.0", "[::]", "192.0.2.1", "127.example", "api.internal"]) {
    t.throws(
      () => listening(`${host}:8080`),
      /COUNTERSIGN_API_LISTEN: .*COUNTERSIGN_API_BEHIND_PROXY=true/,
      host,
    )
    t.throws(() => listening(`${host}:8080`, "false"), /COUNTERSIGN_API_LISTEN: /, host)
    t.ok(listening(`${host}:8080`, "true"), host)
  }
  t.throws(() => listening("0.0.0.0:8080", "1"), /COUNTERSIGN_API_BEHIND_PROXY: write one of true, false/)
})

t.test("C-1930: the ports for metrics of several processes exist, and none is the API's own", async (t) => {
  const read = (metrics: string, processes = "3") =>
    readApiConfig({
      COUNTERSIGN_API_LISTEN: "localhost:8080",
      COUNTERSIGN_API_METRICS_LISTEN: metrics,
      COUNTERSIGN_API_PROCESSES: processes,
    }).metricsListen?.port
  t.equal(read("8081"), 8081)
  t.equal(read("65535", "1"), 65_535)
  t.throws(() => read("65534"), /ports 65534 to 65536; the highest port is 65535/)
  for (const port of ["8078", "8080"]) t.throws(() => read(port), /and 8080 is the API's own/)
})

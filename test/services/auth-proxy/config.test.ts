import t from "tap"
import { readAuthProxyConfig } from "../../../services/auth-proxy/config.ts"
import { faultsOf } from "../../../signer/core/settings/settings.ts"

t.test("the auth proxy needs no setting, and ignores those of other programs", async (t) => {
  const config = readAuthProxyConfig({ DATABASE_URL: "x", COUNTERSIGN_SIGNER_ADDRESS: "x" })
  t.match(config, {
    listen: { host: "localhost", port: 8081 },
    apiUrl: "http://localhost:8080",
    keyFile: /auth-proxy\/key$/,
    notarizerPublicKey: undefined,
    logLevel: "info",
    limits: { trustedProxies: [], isBehindProxy: false, perAddress: 30, perConfiguration: 500 },
    captcha: undefined,
  })
  t.ok(Object.isFrozen(config))
})

t.test("the auth proxy's configuration reports every fault at once", async (t) => {
  const faulty = {
    COUNTERSIGN_API_LISTEN: "8080",
    COUNTERSIGN_AUTH_PROXY_API_URL: "http://api:8080/public",
    COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: "1",
    COUNTERSIGN_AUTH_PROXY_LISTEN: "8081",
    COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: "04",
    COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_ADDRESS: "0",
    COUNTERSIGN_AUTH_PROXY_REQUESTS_PER_CONFIGURATION: "x",
    COUNTERSIGN_AUTH_PROXY_TRUSTED_PROXIES: "10.0.0.0/33",
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: "/nowhere/secret",
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_UNREACHABLE: "yes",
    COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL: "http://captcha.example/siteverify",
    COUNTERSIGN_DASHBOARD_LISTEN: "8082",
    COUNTERSIGN_AUTHPROXY_LISTEN: "x",
    COUNTERSIGN_LOG_LEVEL: "loud",
  }
  const faults = faultsOf(() => readAuthProxyConfig(faulty))
  t.same(faults.map((fault) => fault.slice(0, fault.indexOf(":"))).toSorted(), Object.keys(faulty).toSorted())
})

t.test("the address of siteverify has no password, which would be printed", async (t) => {
  for (const user of ["u@", "u:p@", ":p@"]) {
    const COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL = `https://${user}captcha.example/siteverify`
    const faults = faultsOf(() => readAuthProxyConfig({ COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL }))
    t.match(faults, [/^COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL: must be the address/], user)
  }
})

t.test("the auth proxy listens beyond the loopback only behind a declared TLS proxy", async (t) => {
  const listening = (behindProxy?: string) => () =>
    readAuthProxyConfig({
      COUNTERSIGN_AUTH_PROXY_LISTEN: "0.0.0.0:8081",
      COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY: behindProxy,
    })
  t.throws(listening(), /COUNTERSIGN_AUTH_PROXY_LISTEN: .*COUNTERSIGN_AUTH_PROXY_BEHIND_PROXY=true/)
  t.doesNotThrow(listening("true"))
})

t.test("a captcha needs site key and secret, and asks the address that is set", async (t) => {
  const siteKey = { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SITE_KEY: "site" }
  const secret = { COUNTERSIGN_AUTH_PROXY_TURNSTILE_SECRET_FILE: import.meta.filename }
  t.match(
    faultsOf(() => readAuthProxyConfig(siteKey)),
    [/TURNSTILE_SECRET_FILE: needed/],
  )
  t.match(
    faultsOf(() => readAuthProxyConfig(secret)),
    [/TURNSTILE_SITE_KEY: needed/],
  )
  t.same(readAuthProxyConfig({ ...siteKey, ...secret }).captcha, {
    siteKey: "site",
    secretFile: import.meta.filename,
    url: "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    allowsUnreachable: true,
  })
})

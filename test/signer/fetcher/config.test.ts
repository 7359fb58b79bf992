import t from "tap"
import { readConfig } from "../../../signer/fetcher/config.ts"
import { faultsOf as faultsIn } from "../../../signer/core/settings/settings.ts"
import { newKeySet } from "../../harness/fetcher.ts"

t.test("by default it has its own directory, knows well-known issuers and runs no order", async (t) => {
  const config = readConfig({ COUNTERSIGN_DATA_DIR: "/data" })
  t.match(config, {
    seedFile: "/data/fetcher/seed",
    publicKeyFile: "/data/fetcher/public-key",
    listen: { kind: "unix", path: "/data/fetcher/fetcher.sock" },
    notarizerPublicKey: undefined,
  })
  t.ok(Object.isFrozen(config))
  t.ok(config.issuers !== "any" && config.issuers.has("https://accounts.google.com"))
  t.equal(config.localIssuers.size, 0)
})

t.test("issuers are a list of URLs, or all of them", async (t) => {
  const listed = readConfig({
    COUNTERSIGN_FETCHER_ISSUERS: "https://a.example, https://b.example/tenant",
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: "http://localhost:4000",
  })
  t.strictSame(listed.issuers, new Set(["https://a.example", "https://b.example/tenant"]))
  t.strictSame(listed.localIssuers, new Set(["http://localhost:4000"]))
  t.equal(readConfig({ COUNTERSIGN_FETCHER_ISSUERS: "*" }).issuers, "any")
})

t.test("all faults are reported at once, by name", async (t) => {
  const faults = faultsOf({
    COUNTERSIGN_FETCHER_LISTEN: "0.0.0.0:7444",
    COUNTERSIGN_FETCHER_ISSUERS: "https://a.example,http://b.example,issuer",
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: "*",
    COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY: newKeySet().publicHex.slice(0, 130),
    COUNTERSIGN_FETCHER_ISSUER: "typo",
  })
  const named = [
    "TLS_CERTIFICATE_FILE",
    "TLS_KEY_FILE",
    "TLS_CA_FILE",
    "LOCAL_ISSUERS",
    "NOTARIZER_PUBLIC_KEY",
    "ISSUER:",
  ]
  for (const name of named) {
    t.ok(
      faults.some((fault) => fault.startsWith(`COUNTERSIGN_FETCHER_${name}`)),
      name,
    )
  }
  t.same(
    faults.filter((fault) => fault.startsWith("COUNTERSIGN_FETCHER_ISSUERS:")),
    [
      "COUNTERSIGN_FETCHER_ISSUERS: entry 2 is plain HTTP, which is for LOCAL_ISSUERS",
      "COUNTERSIGN_FETCHER_ISSUERS: entry 3 is not an issuer's URL",
    ],
    "by their places, for a URL may hold a password",
  )
})

function faultsOf(environment: { [name: string]: string }): readonly string[] {
  return faultsIn(() => readConfig(environment))
}

import { join } from "node:path"
import t from "tap"
import { newKeySet } from "../../harness/fetcher.ts"
import { readConfig } from "../../../signer/enclave/config.ts"
import { faultsOf as faultsIn } from "../../../signer/core/settings/settings.ts"

t.test(
  "without settings all files are in the data directory, and the signer listens on socket files",
  async (t) => {
    const config = readConfig({ COUNTERSIGN_DATA_DIR: "/data" })
    t.match(config, {
      seedFile: "/data/signer/root-seed",
      ledgerDirectory: "/data/signer/ledger",
      listen: { kind: "unix", path: "/data/signer/signer.sock" },
      operatorSocket: "/data/operator/operator.sock",
    })
    t.ok(Object.isFrozen(config))
  },
)

t.test("TCP requires certificates; all faults are reported at once, by name", async (t) => {
  const environment = {
    COUNTERSIGN_SIGNER_LISTEN: "0.0.0.0:7443",
    COUNTERSIGN_SIGNER_LISTNE: "typo",
    COUNTERSIGN_SIGNER_KEY_CACHE_ENTRIES: "0",
  }
  const faults = faultsOf(environment)
  for (const name of ["TLS_CERTIFICATE_FILE", "TLS_KEY_FILE", "TLS_CA_FILE", "LISTNE", "KEY_CACHE_ENTRIES"]) {
    t.ok(
      faults.some((fault) => fault.includes(`COUNTERSIGN_SIGNER_${name}`)),
      name,
    )
  }
})

t.test("a number has one spelling: no leading zero", async (t) => {
  for (const name of ["COUNTERSIGN_SIGNER_KEY_CACHE_ENTRIES", "COUNTERSIGN_SIGNER_KEY_CACHE_SECONDS"]) {
    for (const text of ["0100", "00", "+100", "1e2", " 100"])
      t.match(faultsOf({ [name]: text }), [new RegExp(name)], `${name}=${text}`)
    t.ok(readConfig({ [name]: "100" }))
  }
})

t.test(
  "caps of sponsorship are dollars; a sub-organization's is that of its top-level organization unless set",
  async (t) => {
    const [top, sub] = [
      "COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY",
      "COUNTERSIGN_SIGNER_SPONSORED_USD_A_DAY_SUB_ORGANIZATION",
    ]
    const capsOf = (environment: { [name: string]: string }) => readConfig(environment).sends.sponsorshipCaps
    t.same(capsOf({}), { topLevel: 1_000_000_000n, subOrganization: 1_000_000_000n })
    t.same(capsOf({ [top]: "99.5" }), { topLevel: 99_500_000n, subOrganization: 99_500_000n })
    t.same(capsOf({ [top]: "500", [sub]: "0" }), { topLevel: 500_000_000n, subOrganization: 0n })
    for (const name of [top, sub])
      for (const odd of ["-1", "1e3", "$5", "0.0000001", "1,000", "1000000000001", "eip155:1=5", "none"])
        t.match(faultsOf({ [name]: odd }), [new RegExp(`^${name}: .*write US dollars`)], `${name}=${odd}`)
  },
)

t.test("chains of the OP stack have a fee for bytes, and others where the operator sets one", async (t) => {
  const feesOf = (text: string) => {
    const { byteFee } = readConfig({ COUNTERSIGN_SIGNER_BYTE_FEES: text }).sends
    return ["10", "8453", "1"].map((chain) => byteFee(`eip155:${chain}`))
  }
  t.same(feesOf(""), [100_000_000_000n, 100_000_000_000n, 0n])
  t.same(feesOf("eip155:8453=0, eip155:1=0.5"), [100_000_000_000n, 0n, 500_000_000n])
  t.match(faultsOf({ COUNTERSIGN_SIGNER_BYTE_FEES: "8453=1" }), [/^COUNTERSIGN_SIGNER_BYTE_FEES: /])
})

t.test("the fetcher is paired by its public key set, or there is none", async (t) => {
  const { publicHex } = newKeySet()
  const paired = (key: string) => readConfig({ COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: key }).fetcherPublicKey
  t.equal(paired(publicHex), publicHex)
  t.equal(paired(publicHex.toUpperCase()), publicHex)
  t.equal(paired(""), undefined)
  for (const odd of [publicHex.slice(0, 130), `04${"00".repeat(129)}`, "key"]) {
    const faults = faultsOf({ COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: odd })
    t.match(faults, [/^COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: must be the public form of a key set/])
  }
})

t.test("the auth proxy is paired by its public key, or there is none", async (t) => {
  const key = `02${newKeySet().publicHex.slice(2, 66)}`
  const paired = (text: string) =>
    readConfig({ COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: text }).authProxyPublicKey
  t.equal(paired(key), key)
  t.equal(paired(key.toUpperCase()), key)
  t.equal(paired(""), undefined)
  for (const odd of [key.slice(2), `${key}00`, `02${"f".repeat(64)}`, "key"]) {
    const faults = faultsOf({ COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: odd })
    t.match(faults, [/^COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: must be a compressed public key/])
  }
})

t.test("the service's own issuer is an https URL in its one spelling, or one of this host", async (t) => {
  const name = "COUNTERSIGN_SIGNER_OIDC_ISSUER"
  const issuer = (text: string) => readConfig({ [name]: text }).oidcIssuer
  for (const good of ["https://wallet.example", "https://wallet.example/api", "http://localhost:8080"])
    t.equal(issuer(good), good)
  t.equal(issuer(""), undefined)
  for (const odd of [
    "http://wallet.example",
    "http://localhost.example",
    "https://wallet.example/",
    "https://Wallet.example",
    "https://wallet.example:443",
    "https://user@wallet.example",
    "https://wallet.example?x=1",
    "accounts.google.com",
    "wallet",
  ])
    t.match(faultsOf({ [name]: odd }), [/^COUNTERSIGN_SIGNER_OIDC_ISSUER: must be the API's public URL/], odd)
})

t.test("callers are a list of names", async (t) => {
  const file = join(t.testdir({ pem: "PEM" }), "pem")
  const config = readConfig({
    COUNTERSIGN_SIGNER_LISTEN: "localhost:7443",
    COUNTERSIGN_SIGNER_TLS_CERTIFICATE_FILE: file,
    COUNTERSIGN_SIGNER_TLS_KEY_FILE: file,
    COUNTERSIGN_SIGNER_TLS_CA_FILE: file,
    COUNTERSIGN_SIGNER_CALLERS: "api-1, api-2",
  })
  t.match(config.listen, { kind: "tcp", address: "localhost:7443", callers: ["api-1", "api-2"] })
})

t.test("an impossible server address is refused", async (t) => {
  const listening = (COUNTERSIGN_SIGNER_LISTEN: string) => faultsOf({ COUNTERSIGN_SIGNER_LISTEN })
  t.same(listening(`unix:/${"x".repeat(102)}`), [])
  t.match(listening(`unix:/${"x".repeat(103)}`), [/^COUNTERSIGN_SIGNER_LISTEN: .* 1 byte too long/])
  t.match(faultsOf({ COUNTERSIGN_SIGNER_OPERATOR_SOCKET: `/${"x".repeat(103)}` }), [
    /OPERATOR_SOCKET: .*too long/,
  ])
  for (const odd of ["unix:", "7443", "signer.internal", "signer.internal:99999", "::1:7443"]) {
    t.match(
      listening(odd)[0],
      /^COUNTERSIGN_SIGNER_LISTEN: write it as unix:\/path\/to\/socket or host:port/,
      odd,
    )
  }
})

t.test("a socket file is for its owner or the owner's group; an address of TCP has neither", async (t) => {
  for (const [access, expected] of [
    [{}, "owner"],
    [{ COUNTERSIGN_SIGNER_SOCKET_ACCESS: "group" }, "group"],
  ] as const)
    t.match(readConfig({ COUNTERSIGN_SIGNER_LISTEN: "unix:/run/s.sock", ...access }).listen, {
      access: expected,
    })
  t.match(faultsOf({ COUNTERSIGN_SIGNER_SOCKET_ACCESS: "everyone" }), [
    /SOCKET_ACCESS: must be owner or group$/,
  ])
  t.match(
    faultsOf({ COUNTERSIGN_SIGNER_SOCKET_ACCESS: "group", COUNTERSIGN_SIGNER_LISTEN: "localhost:7443" }),
    [/SOCKET_ACCESS: belongs to a socket file/],
  )
})

t.test("unreadable TLS files are reported before anything starts", async (t) => {
  const faults = faultsOf({
    COUNTERSIGN_SIGNER_LISTEN: "localhost:7443",
    COUNTERSIGN_SIGNER_TLS_CERTIFICATE_FILE: "/nowhere/pem",
    COUNTERSIGN_SIGNER_TLS_KEY_FILE: "/nowhere/pem",
    COUNTERSIGN_SIGNER_TLS_CA_FILE: "/nowhere/pem",
  })
  t.equal(faults.length, 3)
  for (const fault of faults) t.match(fault, /_FILE: the file cannot be read \(ENOENT\)$/)
})

t.test("a misspelt setting stops the signer, a setting of another process does not", async (t) => {
  t.same(faultsOf({ COUNTERSIGN_API_LISTEN: "x", COUNTERSIGN_FETCHER_ISSUERS: "x", PATH: "x" }), [])
  t.same(faultsOf({ COUNTERSIGN_SINGER_LISTEN: "x" }), [
    "COUNTERSIGN_SINGER_LISTEN: there is no such setting; did you mean COUNTERSIGN_SIGNER_LISTEN?",
  ])
})

t.test("no fault shows a value: it may be a secret under the wrong name", async (t) => {
  const secret = `hunter2-${"x".repeat(110)}`
  for (const name of [
    "KEY_CACHE_ENTRIES",
    "KEY_CACHE_SECONDS",
    "AUTH_PROXY_PUBLIC_KEY",
    "FETCHER_PUBLIC_KEY",
    "LISTEN",
    "OPERATOR_SOCKET",
    "TLS_KEY_FILE",
  ]) {
    const others = { COUNTERSIGN_SIGNER_LISTEN: "localhost:7443" }
    const faults = faultsOf({ ...others, [`COUNTERSIGN_SIGNER_${name}`]: secret })
    t.ok(
      faults.some((fault) => fault.startsWith(`COUNTERSIGN_SIGNER_${name}: `)),
      name,
    )
    t.notMatch(faults.join("\n"), "hunter2", name)
  }
})

function faultsOf(environment: { [name: string]: string }): readonly string[] {
  return faultsIn(() => readConfig(environment))
}

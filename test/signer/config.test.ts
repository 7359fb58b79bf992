import t from "tap"
import { newKeySet } from "../harness/fetcher.ts"
import { ConfigFaults, readConfig } from "../../signer/config.ts"

t.test("without settings everything lies in the data directory, behind socket files", async (t) => {
  const config = readConfig({ COUNTERSIGN_DATA_DIR: "/data" })
  t.match(config, {
    seedFile: "/data/signer/root-seed",
    ledgerDirectory: "/data/signer/ledger",
    listen: { kind: "unix", path: "/data/signer/signer.sock" },
    operatorSocket: "/data/operator/operator.sock",
  })
  t.ok(Object.isFrozen(config))
})

t.test("on TCP there is no way without certificates: all faults are told at once, by name", async (t) => {
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

t.test("the fetcher is paired by its public key set, or there is none", async (t) => {
  const { publicHex } = newKeySet()
  const paired = (key: string) => readConfig({ COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: key }).fetcherPublicKey
  t.equal(paired(publicHex), publicHex)
  t.equal(paired(publicHex.toUpperCase()), publicHex)
  t.equal(paired(""), undefined)
  for (const odd of [publicHex.slice(0, 130), `04${"00".repeat(129)}`, "key"]) {
    const faults = faultsOf({ COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: odd })
    t.match(faults, [/^COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY must be the public form of a key set/])
  }
})

t.test("callers are a list of names", async (t) => {
  const file = "/tls/x"
  const config = readConfig({
    COUNTERSIGN_SIGNER_LISTEN: "localhost:7443",
    COUNTERSIGN_SIGNER_TLS_CERTIFICATE_FILE: file,
    COUNTERSIGN_SIGNER_TLS_KEY_FILE: file,
    COUNTERSIGN_SIGNER_TLS_CA_FILE: file,
    COUNTERSIGN_SIGNER_CALLERS: "api-1, api-2",
  })
  t.match(config.listen, { kind: "tcp", address: "localhost:7443", callers: ["api-1", "api-2"] })
})

function faultsOf(environment: { [name: string]: string }): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults
    throw error
  }
}

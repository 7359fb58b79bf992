// COUNTERSIGN_PRODUCTION: what each process refuses with it.
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readApiConfig } from "../../../../services/api/config.ts"
import { readAuthProxyConfig } from "../../../../services/auth-proxy/config.ts"
import { readDashboardHostConfig } from "../../../../services/dashboard-host/config.ts"
import { readWorkerConfig } from "../../../../services/worker/config.ts"
import { SeedOwner } from "../../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { sealSeed } from "../../../../signer/core/sealed-seed/seal.ts"
import { type Environment, faultsOf } from "../../../../signer/core/settings/settings.ts"
import { readConfig, readServingConfig } from "../../../../signer/enclave/config.ts"
import { createDeployment } from "../../../../signer/enclave/create-deployment.ts"
import { readConfig as readFetcherConfig } from "../../../../signer/fetcher/config.ts"
import { doctor } from "../../../../signer/operator/doctor.ts"
import { storeSealedSeed } from "../../../../signer/core/seal-commands/store-sealed.ts"
import { readRootSeed } from "../../../../signer/process/root-seed.ts"
import { random } from "../sealed-seed/sets.ts"

const PRODUCTION = { COUNTERSIGN_PRODUCTION: "true" }

/** Each process with settings of development, and the names that it refuses. */
const PROCESSES: {
  [process: string]: [read: (environment: Environment) => unknown, development: NodeJS.Dict<string>]
} = {
  signer: [
    readServingConfig(),
    {
      COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true",
      COUNTERSIGN_SIGNER_OIDC_ISSUER: "http://localhost:8080",
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
  ],
  fetcher: [
    readFetcherConfig,
    {
      COUNTERSIGN_FETCHER_SANDBOX_CONTACTS: "true",
      COUNTERSIGN_FETCHER_OUTBOX: "true",
      COUNTERSIGN_FETCHER_LOCAL_ISSUERS: "http://localhost:9000",
      COUNTERSIGN_FETCHER_MOONPAY_URL: "http://localhost:1",
      COUNTERSIGN_FETCHER_COINBASE_URL: "http://localhost:2",
      COUNTERSIGN_FETCHER_X_URL: "http://localhost:3",
      COUNTERSIGN_FETCHER_DISCORD_URL: "http://localhost:4",
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
  ],
  api: [
    readApiConfig,
    { COUNTERSIGN_API_PUBLIC_URL: "http://localhost:8080", COUNTERSIGN_EXIT_WITH_PARENT: "1" },
  ],
  "auth proxy": [
    readAuthProxyConfig,
    {
      COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: "http://proxy.example",
      COUNTERSIGN_AUTH_PROXY_API_URL: "http://api.example",
      COUNTERSIGN_AUTH_PROXY_TURNSTILE_URL: "http://localhost:5/siteverify",
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
  ],
  worker: [
    readWorkerConfig,
    { COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true", COUNTERSIGN_EXIT_WITH_PARENT: "1" },
  ],
  dashboard: [
    readDashboardHostConfig,
    {
      COUNTERSIGN_API_PUBLIC_URL: "http://api.example",
      COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: "http://proxy.example",
      COUNTERSIGN_EXIT_WITH_PARENT: "1",
    },
  ],
}

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), "cs-production-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

t.test("W63: in production each process refuses its settings of development, all at once", async (t) => {
  for (const [process, [read, development]] of Object.entries(PROCESSES)) {
    const own = { COUNTERSIGN_DATA_DIR: folder(t) }
    t.strictSame(
      faultsOf(() => read({ ...own, ...development })),
      [],
      `${process} in development`,
    )
    t.strictSame(
      faultsOf(() => read({ ...own, ...PRODUCTION })),
      [],
      `${process} without them`,
    )
    const faults = faultsOf(() => read({ ...own, ...development, ...PRODUCTION }))
    t.strictSame(
      faults.map((fault) => fault.replace(/:.*/s, "")).toSorted(),
      Object.keys(development).toSorted(),
      process,
    )
    for (const fault of faults) t.match(fault, /; COUNTERSIGN_PRODUCTION refuses it$/)
    t.match(
      faultsOf(() => read({ ...own, COUNTERSIGN_PRODUCTION: "yes" })),
      ['COUNTERSIGN_PRODUCTION: write "true", or leave it unset'],
    )
  }
})

t.test("a proxy in production may call an API on its own host in plain HTTP", async (t) => {
  const settings = {
    COUNTERSIGN_DATA_DIR: folder(t),
    COUNTERSIGN_AUTH_PROXY_API_URL: "http://localhost:8080",
  }
  t.strictSame(
    faultsOf(() => readAuthProxyConfig({ ...settings, ...PRODUCTION })),
    [],
  )
})

t.test(
  "W63: in production a signer does not start with a plain root seed, and none is created",
  async (t) => {
    const development = { COUNTERSIGN_DATA_DIR: folder(t) }
    const production = { ...development, ...PRODUCTION }
    t.throws(() => createDeployment(readConfig(production)), {
      message: /would write a plain root seed.*countersign-signer ceremony/,
    })
    t.notOk(existsSync(readConfig(development).seedFile))
    t.notOk(existsSync(readConfig(development).ledgerDirectory))
    const { deploymentId } = createDeployment(readConfig(development))
    const faults = faultsOf(() =>
      readServingConfig()({ ...production, COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" }),
    )
    t.match(faults, [
      /LOCAL_WEBHOOKS/,
      /SEED_FILE: .* is a plain root seed.*ceremony seals it; COUNTERSIGN_PRODUCTION refuses it/,
    ])
    t.match((await doctor(readConfig(production))).lines.join("\n"), /FAULT +production: .*plain root seed/)
    t.strictSame(
      faultsOf(() => readConfig(production)),
      [],
      "commands run, so that it can be sealed",
    )
    const { seedFile } = readConfig(development)
    const options = { owner: SeedOwner.SIGNER, deploymentId, generation: 1, shares: 3, threshold: 2 }
    const { sealed } = await sealSeed(readRootSeed(seedFile), options, {}, random)
    storeSealedSeed(seedFile, sealed)
    t.strictSame(
      faultsOf(() => readServingConfig()(production)),
      [],
    )
  },
)

import { dangerouslyRevealPrivateKey } from "../terminal-client/api-key.ts"
import { type NamedKey, readKey } from "../terminal-client/key-folder.ts"
import type { Settings } from "../terminal-client/settings.ts"
import type { Terminal } from "../terminal-client/terminal.ts"
import type { Seeding } from "./create-dev-org.ts"
import { localUrl } from "../common/settings.ts"
import { enableAuthProxy } from "./enable-auth-proxy.ts"
import { type EnvValues, writeEnvFile } from "./env-file.ts"
import type { Layout } from "./layout.ts"
import { freeAddresses } from "./port.ts"
import { report, warningOf } from "./report.ts"
import { requireUsableKeys, seed } from "./seed.ts"
import { readSeeded, type Seeded } from "./seed-files.ts"
import { reportSlowStart } from "./slow-start.ts"
import { sendsMessages, startProcesses } from "./start-processes.ts"
import type { DevSystem } from "./system.ts"

export type DevOptions = { reset?: boolean; seed?: boolean; https?: boolean }

export type DevCommand = {
  options: DevOptions
  environment: NodeJS.ProcessEnv
  terminal: Terminal
}

export type StartContext = DevCommand & {
  settings: Settings
  layout: Layout
  system: DevSystem
  signal: AbortSignal
}

/** Starts all processes, seeds organization Dev at the first start, and prints a summary. */
export async function startDevSystem(start: StartContext): Promise<void> {
  const { settings, environment, layout, system, signal, options } = start
  const { print, log } = start.terminal
  const began = performance.now()
  print(warningOf(options))
  const wantsSeed = options.seed !== false
  await requireUsableKeys(settings, layout, wantsSeed)
  const { worker, ...addresses } = await freeAddresses({
    api: ["COUNTERSIGN_API_LISTEN", settings.apiListen],
    authProxy: ["COUNTERSIGN_AUTH_PROXY_LISTEN", settings.authProxyListen],
    dashboard: ["COUNTERSIGN_DASHBOARD_LISTEN", settings.dashboardListen],
    worker: ["COUNTERSIGN_WORKER_LISTEN", settings.workerListen],
  })
  // Loaded here: most starts serve plain HTTP.
  const proxies = options.https
    ? await (await import("./https/tls-proxies.ts")).openTlsProxies(addresses, start)
    : undefined
  const { dashboard: dashboardListen, ...listen } = { ...(proxies?.listen ?? addresses), worker }
  const started = reportSlowStart({ log, logs: layout.logs })
  const running = await startProcesses({
    settings,
    layout,
    environment,
    listen,
    publicUrls: proxies?.urls,
    system,
    signal,
    log,
    whileLoading: () => void dashboardCode().catch(() => undefined),
  }).catch((error: unknown) => {
    started()
    throw error
  })
  const others = running.others.finally(started)
  // Awaited below: a fault of the seeding is reported first.
  others.catch(() => undefined)
  const client = { url: running.url, signal }
  const seeding = { client, operator: running.operator, settings, layout, log }
  const urls = {
    url: proxies?.urls.api ?? running.url,
    authProxyUrl: proxies?.urls.authProxy ?? running.authProxyUrl,
    dashboardUrl: proxies?.urls.dashboard ?? localUrl(dashboardListen),
  }
  const { seeded, configId, written } = await seedOnce(seeding, wantsSeed, urls)
  const { startPinnedDashboard } = await dashboardCode()
  const { pins, dashboard } = await startPinnedDashboard({
    listen: dashboardListen,
    client,
    urls,
    seeded,
    settings,
    log,
  })
  await others
  const seconds = (performance.now() - began) / 1000
  const sends = sendsMessages(environment)
  const facts = { dashboard, seeded, configId, written, settings, seconds, sends }
  const { authorityFile } = proxies ?? {}
  report({ ...running, ...urls, ...pins, ...facts, authorityFile }).forEach(print)
  await dashboard?.finish()
}

/** Brings protobuf, which nothing needs before the processes run: it is loaded while they load their own code. */
const dashboardCode = () => import("./dashboard-of-system.ts")

/** Organization Dev if it exists, the id of its auth proxy's configuration, and the files that this start wrote. */
async function seedOnce(
  seeding: Seeding,
  wantsSeed: boolean,
  urls: Pick<EnvValues, "url" | "authProxyUrl" | "dashboardUrl">,
): Promise<{ seeded?: Seeded; configId?: string | undefined; written: string[] }> {
  const { client, settings, layout, log } = seeding
  const before = await readSeeded(layout.seeded)
  const seeded = wantsSeed ? await seed(seeding) : before
  if (seeded === undefined) return { written: [] }
  if (!wantsSeed) log("--no-seed has no effect: an earlier start created organization Dev")
  const key = await readKey(settings.keysFolder, "root")
  const configId = await enableAuthProxy({ ...client, key }, seeded.organizationId, log)
  const values = { ...seeded, ...urls, authProxyConfigId: configId ?? "" }
  const isNewEnv = await writeExampleValues(values, key, settings)
  return {
    seeded,
    configId,
    written: [...(isNewEnv ? [settings.envFile] : []), ...(before ? [] : [settings.keysFolder])],
  }
}

/** Writes the values for examples at every start, because the port may have changed. False: nothing changed. */
async function writeExampleValues(
  values: Omit<EnvValues, "publicKey" | "privateKey">,
  key: NamedKey,
  { envFile }: Settings,
): Promise<boolean> {
  const privateKey = dangerouslyRevealPrivateKey(key)
  return writeEnvFile(envFile, { ...values, publicKey: key.publicKey, privateKey })
}

import { existsSync } from "node:fs"
import { join } from "node:path"
import { authProxyPublicKey } from "./auth-proxy.ts"
import { startEmbeddedPostgres } from "./embedded-postgres.ts"
import type { HostAndPort } from "../../signer/core/settings/settings.ts"
import { displayPath } from "../terminal-client/display.ts"
import { localUrl } from "../common/settings.ts"
import { writeAddress } from "../../signer/core/settings/settings.ts"
import type { Settings } from "../terminal-client/settings.ts"
import { fetcherPublicKey } from "./fetcher.ts"
import { type Layout, programs } from "./layout.ts"
import { environmentFor } from "./process-environment.ts"
import { type DevProgram, type SystemProcess, startProgram } from "./system-process.ts"
import { waitUntilReady } from "./ready.ts"
import { createOperator, type Operator, requireSignerReady } from "./signer.ts"
import type { DevSystem } from "./system.ts"

export type StartOptions = {
  settings: Settings
  layout: Layout
  environment: NodeJS.ProcessEnv
  listen: { api: HostAndPort; authProxy: HostAndPort; worker: HostAndPort }
  /** URLs at which callers reach the API and the auth proxy, where these listen elsewhere. */
  publicUrls?: { api: string; authProxy: string } | undefined
  system: DevSystem
  signal: AbortSignal
  log: (line: string) => void
  /** Called once API and worker have been started: from then on this process waits. */
  whileLoading: () => void
}

export type RunningSystem = {
  url: string
  authProxyUrl: string
  workerUrl: string
  operator: Operator
  database: string
  /** Resolves once worker and auth proxy answer: nothing needs them before the first login or webhook. */
  others: Promise<void>
}

/** No load balancer has to notice that these processes stop. */
const NO_LOAD_BALANCER = {
  COUNTERSIGN_API_STOP_GRACE_SECONDS: "0",
  COUNTERSIGN_AUTH_PROXY_STOP_GRACE_SECONDS: "0",
  COUNTERSIGN_WORKER_STOP_GRACE_SECONDS: "0",
}

/** The issuer that `npm run example:login` starts. Another setting of the user takes its place. */
const EXAMPLE_ISSUER = "http://localhost:3001"

/** Starts database and signer, then fetcher, API, worker and auth proxy. Returns once the API is ready. */
export async function startProcesses(start: StartOptions): Promise<RunningSystem> {
  const { settings, layout, listen, signal } = start
  const operator = createOperator(signerEnvironment(start), signal)
  // The API and the worker load their code while the signer starts.
  await allSettledOrThrow([startOnDatabase(start), startTrusted(start, operator)])
  signal.throwIfAborted()
  const url = localUrl(listen.api)
  const authProxyUrl = localUrl(listen.authProxy)
  const workerUrl = localUrl(listen.worker)
  const logOf = (program: string) => join(layout.logs, `${program}.log`)
  await waitUntilReady({ name: "API", url: `${url}/readyz`, logFile: logOf("api") }, signal)
  const others = allSettledOrThrow([
    waitUntilReady(
      { name: "auth proxy", url: `${authProxyUrl}/livez`, logFile: logOf("auth-proxy") },
      signal,
    ),
    waitUntilReady({ name: "worker", url: `${workerUrl}/readyz`, logFile: logOf("worker") }, signal),
  ])
  return {
    url,
    authProxyUrl,
    workerUrl,
    others: others.then(() => undefined),
    operator,
    database: settings.databaseUrl ? "DATABASE_URL" : "embedded PostgreSQL",
  }
}

/** Starts the database, then the API and the worker. */
async function startOnDatabase(start: StartOptions): Promise<void> {
  const { layout, environment, listen, publicUrls, signal } = start
  const databaseUrl = await startDatabase(start)
  signal.throwIfAborted()
  await add(start, {
    name: "api",
    file: programs.api,
    environment: {
      ...NO_LOAD_BALANCER,
      ...(publicUrls && { COUNTERSIGN_API_PUBLIC_URL: publicUrls.api }),
      ...environmentFor("api", environment),
      COUNTERSIGN_DATA_DIR: layout.directory,
      COUNTERSIGN_API_LISTEN: writeAddress(listen.api),
      COUNTERSIGN_SIGNER_ADDRESS: `unix:${layout.signerSocket}`,
      COUNTERSIGN_FETCHER_ADDRESS: `unix:${layout.fetcherSocket}`,
      DATABASE_URL: databaseUrl,
    },
  })
  await startWorker(start, databaseUrl)
  start.whileLoading()
}

/** Starts the signer, then the processes that are paired with it. */
async function startTrusted(start: StartOptions, operator: Operator): Promise<void> {
  const notarizerPublicKey = await startSigner(start, operator)
  start.signal.throwIfAborted()
  // Not awaited: few requests need the fetcher, and they answer 503 until it is ready.
  await startFetcher(start, notarizerPublicKey)
  await startAuthProxy(start, notarizerPublicKey)
}

/** Starts a program whose log has its name. */
async function add({ layout, system }: StartOptions, program: Omit<DevProgram, "logFile">): Promise<void> {
  await system.add(await startProgram({ ...program, logFile: join(layout.logs, `${program.name}.log`) }))
}

/** Starts the signer, paired with fetcher and auth proxy. Returns the notarizer's public key, for pairing the fetcher. */
async function startSigner(start: StartOptions, operator: Operator): Promise<string> {
  const { settings, layout, signal, log } = start
  const [fetcherKeys, authProxyKey] = await allSettledOrThrow([
    fetcherPublicKey(layout, fetcherEnvironment(start), signal),
    authProxyPublicKey(layout, authProxyEnvironment(start), signal),
  ])
  await add(start, {
    name: "signer",
    file: programs.signer,
    // `requireUsableKeys` has refused a seed that was lost.
    words: existsSync(layout.signerSeed) ? [] : ["--init"],
    environment: {
      ...signerEnvironment(start),
      COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true",
      COUNTERSIGN_SIGNER_AUTH_PROXY_PUBLIC_KEY: authProxyKey,
      COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: fetcherKeys,
    },
  })
  return requireSignerReady(operator, settings, log)
}

async function startFetcher(start: StartOptions, notarizerPublicKey: string): Promise<void> {
  const environment = {
    ...fetcherEnvironment(start),
    COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY: notarizerPublicKey,
  }
  await add(start, { name: "fetcher", file: programs.fetcher, words: ["serve"], environment })
}

/** The worker gets the database alone: no socket, no certificate and no folder of the signer. */
async function startWorker(start: StartOptions, databaseUrl: string): Promise<void> {
  const environment = {
    ...NO_LOAD_BALANCER,
    ...environmentFor("worker", start.environment),
    COUNTERSIGN_WORKER_LOCAL_WEBHOOKS: "true",
    COUNTERSIGN_WORKER_LISTEN: writeAddress(start.listen.worker),
    DATABASE_URL: databaseUrl,
  }
  await add(start, { name: "worker", file: programs.worker, environment })
}

/** The auth proxy gets its own folder and the API's address: no database, and no socket of signer or fetcher. */
async function startAuthProxy(start: StartOptions, notarizerPublicKey: string): Promise<void> {
  const { publicUrls } = start
  const { api, authProxy } = start.listen
  const environment = {
    ...NO_LOAD_BALANCER,
    ...(publicUrls && { COUNTERSIGN_AUTH_PROXY_PUBLIC_URL: publicUrls.authProxy }),
    ...authProxyEnvironment(start),
    COUNTERSIGN_AUTH_PROXY_API_URL: localUrl(api),
    COUNTERSIGN_AUTH_PROXY_LISTEN: writeAddress(authProxy),
    COUNTERSIGN_AUTH_PROXY_NOTARIZER_PUBLIC_KEY: notarizerPublicKey,
  }
  await add(start, { name: "auth-proxy", file: programs.authProxy, environment })
}

function authProxyEnvironment({ environment, layout }: StartOptions): NodeJS.ProcessEnv {
  const own = environmentFor("auth-proxy", environment)
  return { ...own, COUNTERSIGN_AUTH_PROXY_KEY_FILE: layout.authProxyKey }
}

/** A development system has little data: it needs no processes for replication or for input and output. */
const SMALL_DATABASE = {
  shared_buffers: "16MB",
  max_logical_replication_workers: "0",
  io_method: "sync",
}

/** DATABASE_URL, or the URL of an embedded PostgreSQL that is started here. */
async function startDatabase({ settings, layout, system, log }: StartOptions): Promise<string> {
  if (settings.databaseUrl) return settings.databaseUrl
  const database = await startEmbeddedPostgres({
    directory: layout.postgres,
    log,
    settings: SMALL_DATABASE,
  })
  const member: SystemProcess = {
    name: "database",
    pid: database.pid,
    ended: database.exited.then(() => `see ${displayPath(database.logFile)}`),
    stop: () => database.stop(),
    kill: () => database.kill(),
    logTail: async () => [],
  }
  await system.add(member)
  return database.url
}

function fetcherEnvironment(start: StartOptions): NodeJS.ProcessEnv {
  const { directory, fetcherSocket, fetcherPublicKey: file } = start.layout
  const { environment } = start
  return {
    ...(sendsMessages(environment) ? {} : { COUNTERSIGN_FETCHER_OUTBOX: "true" }),
    COUNTERSIGN_FETCHER_LOCAL_ISSUERS: EXAMPLE_ISSUER,
    ...environmentFor("fetcher", environment),
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_FETCHER_LISTEN: `unix:${fetcherSocket}`,
    COUNTERSIGN_FETCHER_PUBLIC_KEY_FILE: file,
  }
}

/** True if the settings name a way out for messages. Without one they are written to a file. */
export function sendsMessages(environment: NodeJS.ProcessEnv): boolean {
  return Boolean(
    environment["COUNTERSIGN_FETCHER_SMTP_URL"] || environment["COUNTERSIGN_FETCHER_SMS_PROVIDER"],
  )
}

function signerEnvironment(start: StartOptions): NodeJS.ProcessEnv {
  const { layout } = start
  return {
    ...issuerSetting(start.publicUrls?.api ?? localUrl(start.listen.api)),
    ...environmentFor("signer", start.environment),
    COUNTERSIGN_DATA_DIR: layout.directory,
    COUNTERSIGN_SIGNER_LISTEN: `unix:${layout.signerSocket}`,
    COUNTERSIGN_SIGNER_OPERATOR_SOCKET: layout.operatorSocket,
    COUNTERSIGN_SIGNER_SEED_FILE: layout.signerSeed,
  }
}

/** The API's URL is the issuer of ID tokens. Elsewhere than on this host, an issuer needs https. */
function issuerSetting(url: string): NodeJS.ProcessEnv {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname)
  return isHere ? { COUNTERSIGN_SIGNER_OIDC_ISSUER: url } : {}
}

/** As Promise.all, but waits for both to settle, so that nothing starts after a failure. */
async function allSettledOrThrow<A, B>(parts: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled(parts)
  if (first.status === "rejected") throw first.reason
  if (second.status === "rejected") throw second.reason
  return [first.value, second.value]
}

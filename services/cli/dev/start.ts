import { join } from "node:path"
import { startEmbeddedPostgres } from "./embedded-postgres.ts"
import type { HostAndPort } from "../../../signer/core/settings/kinds.ts"
import { show } from "../here.ts"
import { apiUrl, type Settings, writeAddress } from "../settings.ts"
import { fetcherPublicKey } from "./fetcher.ts"
import { type Layout, programs } from "./layout.ts"
import { passedTo } from "./passed-on.ts"
import { type Member, startProgram } from "./member.ts"
import { untilReady } from "./ready.ts"
import { createOperator, type Operator, requireSignerReady } from "./signer.ts"
import type { System } from "./system.ts"

export type Start = {
  settings: Settings
  layout: Layout
  environment: NodeJS.ProcessEnv
  listen: { api: HostAndPort; authProxy: HostAndPort }
  system: System
  signal: AbortSignal
  talk: (line: string) => void
}

export type Running = { url: string; authProxyUrl: string; operator: Operator; database: string }

/** Starts database and signer, then fetcher, API and auth proxy, each once what it needs is there. */
export async function startAll(start: Start): Promise<Running> {
  const { settings, layout, environment, listen, system, signal } = start
  const operator = createOperator(signerEnvironment(start), signal)
  const [databaseUrl, notarizerPublicKey] = await all([startDatabase(start), startSigner(start, operator)])
  signal.throwIfAborted()
  // Nobody waits for it: it is needed by few requests, and they say so where it is not there yet.
  await startFetcher(start, notarizerPublicKey)
  await system.add(
    await startProgram({
      name: "api",
      file: programs.api,
      environment: {
        ...passedTo("api", environment),
        COUNTERSIGN_DATA_DIR: layout.directory,
        COUNTERSIGN_API_LISTEN: writeAddress(listen.api),
        COUNTERSIGN_SIGNER_ADDRESS: `unix:${layout.signerSocket}`,
        COUNTERSIGN_FETCHER_ADDRESS: `unix:${layout.fetcherSocket}`,
        DATABASE_URL: databaseUrl,
      },
      logFile: join(layout.logs, "api.log"),
    }),
  )
  await startAuthProxy(start)
  const [url, authProxyUrl] = [apiUrl(listen.api), apiUrl(listen.authProxy)]
  await untilReady("API", `${url}/readyz`, signal)
  await untilReady("auth proxy", `${authProxyUrl}/livez`, signal)
  return {
    url,
    authProxyUrl,
    operator,
    database: settings.databaseUrl ? "DATABASE_URL" : "embedded PostgreSQL",
  }
}

/** Starts the signer, paired with the fetcher, and answers the key by which it is known to the fetcher. */
async function startSigner(start: Start, operator: Operator): Promise<string> {
  const { settings, layout, system, signal, talk } = start
  const paired = await fetcherPublicKey(layout, fetcherEnvironment(start), signal)
  await system.add(
    await startProgram({
      name: "signer",
      file: programs.signer,
      environment: { ...signerEnvironment(start), COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY: paired },
      logFile: join(layout.logs, "signer.log"),
    }),
  )
  return requireSignerReady(operator, settings, talk)
}

async function startFetcher(start: Start, notarizerPublicKey: string): Promise<void> {
  await start.system.add(
    await startProgram({
      name: "fetcher",
      file: programs.fetcher,
      environment: {
        ...fetcherEnvironment(start),
        COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY: notarizerPublicKey,
      },
      logFile: join(start.layout.logs, "fetcher.log"),
    }),
  )
}

async function startAuthProxy({ environment, layout, listen, system }: Start): Promise<void> {
  await system.add(
    await startProgram({
      name: "auth-proxy",
      file: programs.authProxy,
      environment: {
        ...passedTo("auth-proxy", environment),
        COUNTERSIGN_AUTH_PROXY_LISTEN: writeAddress(listen.authProxy),
      },
      logFile: join(layout.logs, "auth-proxy.log"),
    }),
  )
}

/** The database's URL: the user's own, or that of one of ours. */
async function startDatabase({ settings, layout, system, talk }: Start): Promise<string> {
  if (settings.databaseUrl) return settings.databaseUrl
  const database = await startEmbeddedPostgres({ directory: layout.postgres, log: talk })
  const member: Member = {
    name: "database",
    pid: database.pid,
    ended: database.exited.then(() => `see ${show(database.logFile)}`),
    stop: () => database.stop(),
    lastWords: async () => "",
  }
  await system.add(member)
  return database.url
}

function fetcherEnvironment(start: Start): NodeJS.ProcessEnv {
  const { directory, fetcherSocket, fetcherPublicKey: file } = start.layout
  return {
    ...passedTo("fetcher", start.environment),
    COUNTERSIGN_DATA_DIR: directory,
    COUNTERSIGN_FETCHER_LISTEN: `unix:${fetcherSocket}`,
    COUNTERSIGN_FETCHER_PUBLIC_KEY_FILE: file,
  }
}

function signerEnvironment(start: Start): NodeJS.ProcessEnv {
  const { layout } = start
  return {
    ...passedTo("signer", start.environment),
    COUNTERSIGN_DATA_DIR: layout.directory,
    COUNTERSIGN_SIGNER_LISTEN: `unix:${layout.signerSocket}`,
    COUNTERSIGN_SIGNER_OPERATOR_SOCKET: layout.operatorSocket,
    COUNTERSIGN_SIGNER_SEED_FILE: layout.signerSeed,
  }
}

/** As Promise.all, but waits for every part to settle, so that nothing is started behind the back of a failure. */
async function all<A, B>(parts: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled(parts)
  if (first.status === "rejected") throw first.reason
  if (second.status === "rejected") throw second.reason
  return [first.value, second.value]
}

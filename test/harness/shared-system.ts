import type { Socket } from "node:net"
import { atEnd } from "./at-end.ts"
import { authProxyPairing } from "./auth-proxy.ts"
import { startAuthProxyProcess } from "./auth-proxy-process.ts"
import { freshDatabase } from "./database.ts"
import { OpenIdProvider } from "./openid-provider.ts"
import { System } from "./system.ts"

/** A system with a fetcher, whose messages go to a file, and an OpenID provider that it may ask. */
export type FetchingSystem = { system: System; provider: OpenIdProvider }
/** The same, with an auth proxy. */
export type ProxiedSystem = FetchingSystem & { proxyUrl: string }

const OUTBOX = { COUNTERSIGN_FETCHER_OUTBOX: "true" }
const LOCAL_WEBHOOKS = { COUNTERSIGN_SIGNER_LOCAL_WEBHOOKS: "true" }
/** Tests are callers at addresses of their choice. */
const TRUSTED_PROXIES = { COUNTERSIGN_API_TRUSTED_PROXIES: "127.0.0.1" }

/** Clean-ups that run when the process has no other work left. */
const ofProcess = { teardown: atEnd }

let shared: Promise<System> | undefined
let sharedFetching: Promise<FetchingSystem> | undefined
let sharedProxied: Promise<ProxiedSystem> | undefined

/**
 * A running system that the test files of one process share: its signer is paired with `proxyOwnKey` and allows webhooks to
 * this host, and its API trusts X-Forwarded-For. For tests that create organizations of their own and look at nothing else: one that stops a process, or
 * reads a log or the database, starts its own system.
 */
export function sharedSystem(): Promise<System> {
  return (shared ??= start())
}

/** As `sharedSystem`, for tests of messages and tokens. */
export function sharedFetchingSystem(): Promise<FetchingSystem> {
  return (sharedFetching ??= startFetching())
}

/** As `sharedSystem`, for tests of logins. */
export function sharedProxiedSystem(): Promise<ProxiedSystem> {
  return (sharedProxied ??= startProxied())
}

async function start(): Promise<System> {
  const { url } = await freshDatabase(ofProcess)
  const system = await System.start(url, TRUSTED_PROXIES, { ...authProxyPairing, ...LOCAL_WEBHOOKS })
  system.unref()
  atEnd(() => system.stop())
  return system
}

async function startFetching(): Promise<FetchingSystem> {
  const { url } = await freshDatabase(ofProcess)
  const provider = await OpenIdProvider.start(ofProcess, "app", "mobile")
  provider.unref()
  const system = await System.startWithFetcher(url, [provider.issuer], OUTBOX, authProxyPairing)
  system.unref()
  atEnd(() => system.stop())
  return { system, provider }
}

async function startProxied(): Promise<ProxiedSystem> {
  const { system, provider } = await sharedFetchingSystem()
  const { proxyUrl, child } = await startAuthProxyProcess(ofProcess, system)
  child.unref()
  ;(child.stdin as Socket).unref()
  return { system, provider, proxyUrl }
}

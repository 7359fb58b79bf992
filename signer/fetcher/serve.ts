import { randomBytes } from "node:crypto"
import { FetcherService } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { UnlockService } from "../../proto/gen/countersign/signer/v1/unlock_pb.ts"
import { HealthCheckResponse_ServingStatus, Health } from "../../proto/gen/grpc/health/v1/health_pb.ts"
import { addService, type Handlers } from "../../proto/grpc.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { readPublicKeySet } from "../core/crypto/keyset.ts"
import type { Secret } from "../core/crypto/secret.ts"
import { refuse } from "../core/refusal.ts"
import { Histogram, RefusalCounts } from "../process/figures.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { errorFields, log, logAs } from "../process/log.ts"
import { listen, listenOnSocket, newServer, requireCaller, statusOf } from "../process/transport.ts"
import { describeSeal, giveEvidence } from "../process/unlock-calls.ts"
import { onStopSignal } from "../process/stop-signals.ts"
import { CodeStore } from "./codes/store.ts"
import type { FetcherConfig } from "./config.ts"
import { openDelivery } from "./delivery/open-delivery.ts"
import { readFetcherMetrics, runFetchOrder, type Fetcher } from "./fetch.ts"
import { createIdentity, openIdentity, readSeed } from "./identity.ts"
import { FetcherSeedLock } from "./seed-lock.ts"
import { internet } from "./network.ts"
import { UsedOrders } from "./used-orders.ts"
import { openWitness, witnessCalls } from "./witness/witness.ts"

/** Time for calls under way to finish at a stop: less than the 10 s after which Docker kills a container. */
const SHUTDOWN_MS = 8_000

const PURGE_MS = 60_000

const now = () => Date.now()

/** Runs the fetcher until SIGTERM or SIGINT. `isInit`: its seed is created first. */
export async function serve(config: FetcherConfig, isInit: boolean): Promise<void> {
  // Files are readable by this user only.
  process.umask(0o077)
  logAs("fetcher")
  requireIntactRelease("fetcher")
  if (isInit) createIdentity(config)
  const stored = readSeed(config)
  const witness = config.witness === undefined ? undefined : openWitness(config.witness, now)
  const delivery = await openDelivery(config.delivery, internet, now)
  let fetcher: Fetcher | undefined
  const open = (seed: Secret) => {
    fetcher = openFetcher(seed, config, { witness, delivery })
    logUp(config)
  }
  if (stored.kind === "plain") fetcher = openFetcher(stored.seed, config, { witness, delivery })
  const server = newServer()
  const contextOf = (call: Parameters<typeof requireCaller>[0]) => {
    requireCaller(call, config.listen)
    return fetcher
  }
  const openedOf = (call: Parameters<typeof requireCaller>[0]) => contextOf(call) ?? throwSealed()
  addService(server, FetcherService, handlers, openedOf, statusOf)
  addService(server, Health, health, contextOf, statusOf)
  const lock = stored.kind === "sealed" ? new FetcherSeedLock(stored.sealed, open) : undefined
  const servers = [server, await serveOperator(lock, config, () => stop(servers, "lock"))]
  await listen(server, config.listen)
  if (lock === undefined) logUp(config)
  else log("warn", "the seed is sealed: nothing is fetched until countersign-fetcher unlock")
  setInterval(() => {
    lock?.forgetOldShares()
    if (fetcher !== undefined) purge(fetcher.codes, now())
  }, PURGE_MS).unref()
  onStopSignal((signal) => stop(servers, signal))
  exitWithParent()
}

type Server = ReturnType<typeof newServer>

/** `unlock`, `lock` and `status` of the operator, on a socket of their own. */
async function serveOperator(
  lock: FetcherSeedLock | undefined,
  { operatorSocket }: FetcherConfig,
  end: () => void,
): Promise<Server> {
  const server = newServer()
  const lockOf = () => lock ?? throwPlain()
  const calls: Handlers<typeof UnlockService, undefined> = {
    unlock: async (request) => {
      const progress = await giveEvidence(request, lockOf())
      log("info", progress.unlocked ? "the seed was unlocked" : "a share was given")
      return progress
    },
    lock: async () => {
      lockOf()
      // The answer leaves before the process ends; a supervisor starts it sealed.
      setImmediate(end)
      return {}
    },
    readSeal: async () => describeSeal(lockOf()),
  }
  addService(server, UnlockService, calls, () => undefined, statusOf)
  await listenOnSocket(server, operatorSocket)
  return server
}

function throwSealed(): never {
  throw refuse(
    "FETCHER_SEALED",
    "the fetcher's seed is sealed: an operator unlocks it with countersign-fetcher unlock",
  )
}

function throwPlain(): never {
  throw refuse(
    "SEED_NOT_SEALED",
    "the fetcher's seed lies in a plain file, so it is neither locked nor unlocked: countersign-signer ceremony --fetcher-seed seals it",
  )
}

/** Parts of a fetcher that need no seed. `witness` makes its part that cosigns logs. */
type Parts = { witness: ReturnType<typeof openWitness> | undefined; delivery: Fetcher["delivery"] }

/** A fetcher with the keys of the seed, which is wiped. */
function openFetcher(seed: Secret, config: FetcherConfig, { witness, delivery }: Parts): Fetcher {
  const { notarizerPublicKey: paired } = config
  const cosigning = witness?.(seed)
  const identity = openIdentity(seed, config)
  return {
    ...identity,
    notarizer: paired === undefined ? undefined : readPublicKeySet(paired),
    egress: config,
    onRampProviders: config.onRampProviders,
    oauth2Origins: config.oauth2Origins,
    network: internet,
    codes: CodeStore.open(config.codesFile, identity.codeKeys.store),
    delivery,
    sandboxContacts: config.sandboxContacts,
    witness: cosigning,
    usedOrders: new UsedOrders(),
    seconds: new Histogram(),
    refusals: new RefusalCounts(),
    startedMs: now(),
    nowMs: now,
    random: (length) => randomBytes(length),
  }
}

function logUp(config: FetcherConfig): void {
  const { notarizerPublicKey: paired, issuers, localIssuers } = config
  if (config.sandboxContacts)
    log(
      "warn",
      "sandbox contacts have a published code: anybody can log in as user@example.com or +19999999999",
      {},
    )
  if (localIssuers.size > 0) {
    log("warn", "issuers are allowed to use plain HTTP and addresses that are not public", {
      issuers: [...localIssuers].join(" "),
    })
  }
  log(paired === undefined ? "warn" : "info", "fetcher is up", {
    paired: paired !== undefined,
    issuers: issuers === "any" ? "any" : [...issuers].join(" "),
    transport: config.listen.kind,
    witness: config.witness?.name,
  })
}

/** The next task reports a fault of the store; a purge is only housekeeping. */
function purge(codes: CodeStore, nowMs: number): void {
  try {
    codes.purge(nowMs)
  } catch (error) {
    log("warn", "the store of one-time codes cannot be purged", errorFields(error))
  }
}

const handlers: Handlers<typeof FetcherService, Fetcher> = {
  fetch: runFetchOrder,
  readFetcherMetrics,
  ...witnessCalls,
}

const health: Handlers<typeof Health, Fetcher | undefined> = {
  check: async (_request, fetcher) => ({
    status: fetcher?.notarizer
      ? HealthCheckResponse_ServingStatus.SERVING
      : HealthCheckResponse_ServingStatus.NOT_SERVING,
  }),
}

function stop(servers: readonly Server[], signal: string): void {
  log("info", "fetcher stops", { signal })
  setTimeout(() => process.exit(0), SHUTDOWN_MS).unref()
  const shutdown = (server: Server) => new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
  void Promise.all(servers.map(shutdown)).then(() => process.exit(0))
}

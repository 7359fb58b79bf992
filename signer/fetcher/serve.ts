import { randomBytes } from "node:crypto"
import { FetcherService } from "../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { HealthCheckResponse_ServingStatus, Health } from "../../proto/gen/grpc/health/v1/health_pb.ts"
import { addService, type Handlers } from "../../proto/grpc.ts"
import { exitWithParent } from "../process/exit-with-parent.ts"
import { readPublicKeySet } from "../core/crypto/keyset.ts"
import { Histogram, RefusalCounts } from "../process/figures.ts"
import { requireIntactRelease } from "../process/intact-release.ts"
import { errorFields, log, logAs } from "../process/log.ts"
import { listen, newServer, requireCaller, statusOf } from "../process/transport.ts"
import { onStopSignal } from "../process/stop-signals.ts"
import { CodeStore } from "./codes/store.ts"
import type { FetcherConfig } from "./config.ts"
import { openDelivery } from "./delivery/open-delivery.ts"
import { readFetcherMetrics, runFetchOrder, type Fetcher } from "./fetch.ts"
import { createIdentity, openIdentity } from "./identity.ts"
import { internet } from "./network.ts"
import { UsedOrders } from "./used-orders.ts"

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
  const { notarizerPublicKey: paired, issuers, localIssuers } = config
  const identity = openIdentity(config)
  const codes = CodeStore.open(config.codesFile, identity.codeKeys.store)
  const fetcher: Fetcher = {
    ...identity,
    notarizer: paired === undefined ? undefined : readPublicKeySet(paired),
    egress: config,
    onRampProviders: config.onRampProviders,
    oauth2Origins: config.oauth2Origins,
    network: internet,
    codes,
    delivery: openDelivery(config.delivery, internet, now),
    sandboxContacts: config.sandboxContacts,
    usedOrders: new UsedOrders(),
    seconds: new Histogram(),
    refusals: new RefusalCounts(),
    startedMs: now(),
    nowMs: now,
    random: (length) => randomBytes(length),
  }
  const server = newServer()
  const contextOf = (call: Parameters<typeof requireCaller>[0]) => {
    requireCaller(call, config.listen)
    return fetcher
  }
  addService(server, FetcherService, handlers, contextOf, statusOf)
  addService(server, Health, health, contextOf, statusOf)
  await listen(server, config.listen)
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
  })
  setInterval(() => purge(codes, now()), PURGE_MS).unref()
  onStopSignal((signal) => stop(server, signal))
  exitWithParent()
}

/** The next task reports a fault of the store; a purge is only housekeeping. */
function purge(codes: CodeStore, nowMs: number): void {
  try {
    codes.purge(nowMs)
  } catch (error) {
    log("warn", "the store of one-time codes cannot be purged", errorFields(error))
  }
}

const handlers: Handlers<typeof FetcherService, Fetcher> = { fetch: runFetchOrder, readFetcherMetrics }

const health: Handlers<typeof Health, Fetcher> = {
  check: async (_request, { notarizer }) => ({
    status: notarizer
      ? HealthCheckResponse_ServingStatus.SERVING
      : HealthCheckResponse_ServingStatus.NOT_SERVING,
  }),
}

function stop(server: ReturnType<typeof newServer>, signal: string): void {
  log("info", "fetcher stops", { signal })
  setTimeout(() => process.exit(0), SHUTDOWN_MS).unref()
  server.tryShutdown(() => process.exit(0))
}

import type { RequestListener } from "node:http"
import type { IpBlock } from "../../signer/core/organization/ip-block.ts"
import type { ListedTokens } from "../chains/assets.ts"
import type { Chains } from "../chains/chains.ts"
import type { ClientConnection } from "../common/client-address.ts"
import type { Logger } from "../common/logger.ts"
import type { Metrics } from "../common/metrics/metrics.ts"
import { Stop } from "../common/stop.ts"
import type { Tracer } from "../common/tracing/tracer.ts"
import { AcceptedStamps } from "./authentication/accepted-stamps.ts"
import { CredentialStore } from "./authentication/credential-store.ts"
import { OrganizationCache } from "./authentication/organization-cache.ts"
import { OrganizationStore } from "./authentication/organization-store.ts"
import { SessionStore } from "./authentication/session-store.ts"
import { Admission, type AdmissionBounds, callerName } from "./http/admission.ts"
import { createApp } from "./http/app.ts"
import { authProxyPage } from "./http/auth-proxy-page.ts"
import { IpGate } from "./http/ip-gate.ts"
import { provideCertificateFigures } from "./metrics/certificate-figures.ts"
import { provideServiceFigures } from "./metrics/service-figures.ts"
import { logPages } from "./http/log-pages.ts"
import { pagesRouter } from "./http/pages.ts"
import { operationRoutes } from "./http/routes.ts"
import type { QueryDeps } from "./queries/shared/answer-query.ts"
import { QuerySlots } from "./queries/shared/query-slots.ts"
import { type ActivityTimes, timeForm } from "./resources/time.ts"
import { DeploymentCheck } from "./signer/deployment-check.ts"
import { NotarizerKey } from "./signer/notarizer-key.ts"
import { BootProofs } from "./signer/boot-proofs.ts"
import type { FetcherClient } from "./signer/fetcher.ts"
import { ActivityExpiry } from "./signer/activity-expiry.ts"
import { DatabaseHealing, type HealingResult } from "./signer/database-healing.ts"
import { askAuthProxyConfiguration } from "./signer/auth-proxy-configuration.ts"
import { requireAttestedRead, type StampedRead } from "./signer/attested-read.ts"
import { verifyWithFetched } from "./signer/fetch-rounds.ts"
import { askOnRampStatus } from "./signer/on-ramp-status.ts"
import { LedgerSync } from "./signer/ledger-sync.ts"
import { LogReader } from "./signer/log-reader.ts"
import { LogHeads } from "./signer/log-heads.ts"
import type { LogWitness } from "./signer/witness.ts"
import { WitnessCourier } from "./signer/witness-courier.ts"
import { ServedLog } from "./signer/served-log.ts"
import type { Schedule } from "./signer/outcome-recovery.ts"
import { Nodes } from "./sending/nodes.ts"
import { Sender } from "./sending/sender.ts"
import type { Links } from "./signer/links.ts"
import { createReadiness } from "./signer/readiness.ts"
import type { Signer } from "./signer/signer.ts"
import { ActivityBatcher } from "./store/activities.ts"
import { DecisionReceipts } from "./store/decision-receipts.ts"
import { DenialQuota } from "./store/denial-quota.ts"
import { PolicyLists } from "./store/policy-lists.ts"
import type { Database } from "../database/database.ts"
import type { Jobs } from "../database/jobs.ts"
import { WorkSignals } from "../database/work-signals.ts"
import { OrderDispatcher } from "./submit/order-dispatcher.ts"
import { OutcomeStore } from "./submit/outcome-store.ts"
import { WebhookSigning } from "./webhooks/webhook-signing.ts"

export type ServiceParts = {
  sql: Database
  /** The pool of queries: however slow they are, signing finds a connection in the other one. */
  queriesSql: Database
  signer: Signer
  fetcher: Pick<FetcherClient, "fetch" | "isPaired">
  /** Mutual TLS with both; absent: they are sockets of this host. */
  links?: Links | undefined
  log: Logger
  activityTimes: ActivityTimes
  bodyLimitBytes: number
  /** Chains that sends reach, the pool of nonces' locks, and the queue; absent: no chain is reached. */
  sends?: SendParts | undefined
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies?: readonly IpBlock[]
  /** The API's address as callers know it; absent: links in replies have the origin that the caller asked. */
  publicUrl?: string | undefined
  /** Witnesses of the signer's log, to which this process brings its checkpoints. */
  witnesses?: readonly LogWitness[]
  /** False: the signer's log is not served over HTTP. */
  isLogPublic?: boolean
  /** Ids of organizations whose IP allowlists are not enforced, lower case. */
  unenforcedAllowlists?: ReadonlySet<string>
  /** Counts of this process; absent: nothing is counted. */
  metrics?: Metrics | undefined
  /** Records requests; absent: tracing is off. */
  tracer?: Tracer | undefined
  /** The stages of this process's stop; absent: it is never asked to. */
  stop?: Stop
  now?: () => number
  /** Bounds of requests under way; absent: the service's own. */
  admission?: AdmissionBounds
  /** Timer of retries of outcomes that could not be stored. */
  schedule?: Schedule
  /** Signals about work in the database; absent: within this process alone. */
  signals?: WorkSignals
}

type SendParts = {
  chains: Chains
  /** Absent: the operator lists none. */
  tokens?: ListedTokens
  locksSql: Database
  jobs: Pick<Jobs, "prepare" | "enqueue">
}

export type Service = {
  handler: RequestListener
  /** Stores the outcomes of earlier processes and what else the ledger has newer; to be repeated until it succeeds. */
  recover(): Promise<void>
  /** As `recover`; with `all`, every organization is restored. */
  heal(all: boolean): Promise<HealingResult>
  /** The owner calls this when a connection to the database was lost: the next one may reach an older database. */
  databaseLost(): void
  /** Stops background work and waits for what is being written. */
  close(): Promise<void>
}

/** Jobs of an API without chains: sends are not filled, and no outcome has a transaction. */
const NO_JOBS = {
  prepare: () => Promise.reject(new Error("no queue is configured")),
  enqueue: () => Promise.reject(new Error("no queue is configured")),
}

/** Assembles the API tier. The caller owns the database pools and the signer client, and closes them. */
export function createService(parts: ServiceParts): Service {
  const { sql, signer, fetcher, log, activityTimes, metrics } = parts
  const { stop = new Stop(), now = Date.now } = parts
  const signals = parts.signals ?? new WorkSignals()
  const stores = openStores(parts, signals)
  const { organizations, ledgerSync, batcher, denials } = stores
  const queries = queryDeps(parts, stores, now)
  const gate = new IpGate({
    organizations,
    trustedProxies: parts.trustedProxies ?? [],
    unenforced: parts.unenforcedAllowlists ?? new Set(),
  })
  const deployment = new DeploymentCheck({ sql, signer })
  const healing = new DatabaseHealing({ signer, sql, deployment, ledgerSync, log })
  const recovery = () => healing.state
  const times = timeForm({}, activityTimes === "auto" ? "object" : activityTimes)
  const webhooks = new WebhookSigning({ sql, signer, organizations, log, times, now, signals })
  const expiry = new ActivityExpiry({ signer, sql, log, now })
  const logHeads = new LogHeads({ signer, sql, log })
  const courier = new WitnessCourier({ signer, witnesses: parts.witnesses ?? [], log })
  const readiness = createReadiness({ sql, signer, fetcher, deployment, recovery, links: parts.links })
  const admission = new Admission(parts.admission)
  if (metrics) {
    provideServiceFigures(metrics, { admission, slots: queries.slots, batcher, cache: stores.cache })
    provideCertificateFigures(metrics, queries.links, now)
  }
  const shared = { sql, signer, deployment, activityTimes, gate, now, admission }
  const operations = operationRoutes({ ...stores, ...shared, bodyLimitBytes: parts.bodyLimitBytes, queries })
  const pages = pagesRouter(readiness, signer, stop, ownPages(parts, stores, gate))
  const app = createApp(operations, pages, {
    log,
    stop,
    metrics,
    tracer: parts.tracer,
    publicUrl: parts.publicUrl,
  })
  const handle = app.callback()
  return {
    // The promise never rejects: Koa answers every error itself.
    handler: (request, response) => void handle(request, response),
    recover: async () => {
      // Before anything that a signer without witnesses refuses.
      courier.start()
      logHeads.start()
      await healing.heal()
      expiry.start()
      webhooks.start()
    },
    heal: (all) => healing.heal(all),
    databaseLost: () => healing.connectionLost(),
    close: async () => {
      await expiry.close()
      await courier.close()
      await logHeads.close()
      await webhooks.close()
      await healing.close()
      await ledgerSync.close()
      await denials.idle()
      await batcher.idle()
    },
  }
}

/** The pages that ask the signer for more than its pins. */
function ownPages(
  { queriesSql, signer, isLogPublic = true }: ServiceParts,
  { organizations, servedLog }: Stores,
  gate: IpGate,
) {
  const addressOf = (request: ClientConnection) => callerName(gate.addressOf(request), "")
  const authProxyConfig = authProxyPage({
    ask: (request) => askAuthProxyConfiguration(request, { sql: queriesSql, signer, organizations }),
    addressOf,
  })
  return {
    authProxyConfig,
    log: isLogPublic ? logPages({ log: servedLog, addressOf }) : undefined,
  }
}

type Stores = ReturnType<typeof openStores>

/** The path of an activity: who asks, the order to the signer, and the outcome's way to the database. */
function openStores({ sql, signer, fetcher, log, schedule, sends }: ServiceParts, signals: WorkSignals) {
  const cache = new OrganizationCache()
  const batcher = new ActivityBatcher(sql)
  const bootProofs = new BootProofs({ sql, signer, log })
  const { chains, tokens, locksSql, jobs } = sends ?? {
    chains: new Map(),
    tokens: new Map(),
    locksSql: sql,
    jobs: NO_JOBS,
  }
  const denials = new DenialQuota(sql)
  const receipts = new DecisionReceipts(sql)
  const policyLists = new PolicyLists(sql)
  const outcomes = new OutcomeStore({
    sql,
    batcher,
    denials,
    receipts,
    policyLists,
    cache,
    bootProofs,
    jobs,
    signals,
  })
  const ledgerSync = new LedgerSync({ signer, sql, outcomes, log, schedule })
  const organizations = new OrganizationStore({ sql, cache, ledgerSync })
  const nodes = new Nodes(chains, tokens)
  return {
    cache,
    servedLog: new ServedLog(signer),
    batcher,
    bootProofs,
    denials,
    receipts,
    policyLists,
    outcomes,
    ledgerSync,
    organizations,
    credentials: new CredentialStore(new SessionStore(sql), ledgerSync),
    nodes,
    sender: new Sender({ nodes, sql, locksSql, jobs, ledgerSync }),
    acceptedStamps: new AcceptedStamps(),
    dispatcher: new OrderDispatcher({ signer, fetcher, sql, organizations, ledgerSync }),
  }
}

function queryDeps(
  { queriesSql, signer, fetcher, links = {}, activityTimes }: ServiceParts,
  { cache, servedLog, ledgerSync, organizations, bootProofs, nodes }: Stores,
  now: () => number,
): QueryDeps {
  return {
    sql: queriesSql,
    organizations: new OrganizationStore({ sql: queriesSql, cache, ledgerSync }),
    credentials: new CredentialStore(new SessionStore(queriesSql), ledgerSync),
    bootProofs,
    nodes,
    signer,
    log: new LogReader(servedLog),
    links,
    notarizer: new NotarizerKey(signer),
    requireAttestedRead: (path: string, read: StampedRead) =>
      requireAttestedRead(path, read, { signer, fetcher, organizations }),
    onRampStatus: (record: Uint8Array) => askOnRampStatus(record, { signer, fetcher, organizations }),
    verifyIdToken: (organizationId: string, oidcToken: string) =>
      verifyWithFetched((fetched) => signer.verifyIdToken({ organizationId, oidcToken, fetched }), fetcher),
    slots: new QuerySlots(),
    activityTimes,
    now,
  }
}

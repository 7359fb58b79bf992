import { FetcherService } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import {
  AnswerKindSchema,
  type Histogram,
  type ProcessFigures,
  type ReadFetcherMetricsResponse,
  type ReadMetricsResponse,
  type RefusalCount,
} from "../../../proto/gen/countersign/signer/v1/metrics_pb.ts"
import { Phase, PhaseSchema } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { SignerService } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { type MetricName, METRICS } from "../../common/metrics/declared.ts"
import type { Metrics, MetricSample } from "../../common/metrics/metrics.ts"
import { connectGrpc, type GrpcEndpoint } from "../signer/grpc-client.ts"

/** Less than the interval at which a scraper usually gives up. */
const DEADLINE_MS = 3_000

/** One reading serves all metrics of a scrape. */
const REUSED_MS = 500

type Samples = { [name in MetricName]?: MetricSample[] }

/** Registers the figures of signer and fetcher, which are read at each scrape over connections of their own. */
export function provideTrustedFigures(
  metrics: Metrics,
  endpoints: { signer: GrpcEndpoint; fetcher: GrpcEndpoint },
): { close: () => void } {
  const signer = connectGrpc(SignerService, "signer", endpoints.signer, DEADLINE_MS)
  const fetcher = connectGrpc(FetcherService, "fetcher", endpoints.fetcher, DEADLINE_MS)
  provide(metrics, "signer", async () => signerSamples(await signer.call.readMetrics({})))
  provide(metrics, "fetcher", async () => fetcherSamples(await fetcher.call.readFetcherMetrics({})))
  return {
    close: () => {
      signer.close()
      fetcher.close()
    },
  }
}

/** A process that does not answer is down, and has no other figure. */
function provide(metrics: Metrics, process: "signer" | "fetcher", read: () => Promise<Samples>): void {
  const names = (Object.keys(METRICS) as MetricName[]).filter((name) => METRICS[name].process === process)
  const down: Samples = { [`countersign_${process}_up`]: [{ value: 0 }] }
  let known: { atMs: number; samples: Promise<Samples> } | undefined
  metrics.provide(names, async () => {
    if (known === undefined || performance.now() - known.atMs > REUSED_MS)
      known = { atMs: performance.now(), samples: read().catch(() => down) }
    return new Map(Object.entries(await known.samples) as [MetricName, MetricSample[]][])
  })
}

function signerSamples(figures: ReadMetricsResponse): Samples {
  const { process, phase } = figures
  return {
    countersign_signer_up: [{ value: 1 }],
    countersign_signer_phase: PhaseSchema.values
      .filter(({ number }) => number !== Phase.UNSPECIFIED)
      .map(({ number, localName }) => ({ value: number === phase ? 1 : 0, labels: { phase: localName } })),
    countersign_signer_orders_waiting: [{ value: figures.waitingOrders }],
    countersign_signer_orders_running: [{ value: figures.runningOrders }],
    countersign_signer_oldest_order_seconds: [{ value: figures.oldestOrderSeconds }],
    countersign_signer_order_seconds: histogram(figures.orderSeconds),
    countersign_signer_answers_total: figures.answers.map(({ kind, count }) => ({
      value: Number(count),
      labels: { answer: AnswerKindSchema.value[kind]?.localName.toLowerCase() ?? "other" },
    })),
    countersign_signer_refusals_total: refusals(figures.refusals),
    countersign_signer_ledger_sync_seconds: histogram(figures.ledgerSyncSeconds),
    countersign_signer_ledger_changes_total: [{ value: Number(figures.ledgerChanges) }],
    countersign_signer_ledger_bytes: [{ value: Number(figures.ledgerBytes) }],
    countersign_signer_disk_free_bytes: [{ value: Number(figures.diskFreeBytes) }],
    countersign_signer_disk_bytes: [{ value: Number(figures.diskBytes) }],
    countersign_signer_audit_disk_free_bytes: [{ value: Number(figures.auditDiskFreeBytes) }],
    countersign_signer_audit_disk_bytes: [{ value: Number(figures.auditDiskBytes) }],
    countersign_signer_unwitnessed_seconds: [{ value: figures.unwitnessedSeconds }],
    countersign_signer_index_verified: [{ value: figures.indexVerified ? 1 : 0 }],
    countersign_signer_seal_epoch: [{ value: figures.sealEpoch }],
    countersign_signer_cache_entries: [
      { value: figures.cachedKeys, labels: { cache: "keys" } },
      { value: figures.cachedDocuments, labels: { cache: "documents" } },
    ],
    countersign_signer_resident_bytes: bytes(process, "residentBytes"),
    countersign_signer_heap_bytes: bytes(process, "heapBytes"),
    countersign_signer_cpu_seconds_total: seconds(process, "cpuSeconds"),
    countersign_signer_uptime_seconds: seconds(process, "uptimeSeconds"),
    countersign_signer_event_loop_delay_seconds: seconds(process, "eventLoopDelaySeconds"),
  }
}

function fetcherSamples({ paired, process, ...figures }: ReadFetcherMetricsResponse): Samples {
  return {
    countersign_fetcher_up: [{ value: 1 }],
    countersign_fetcher_paired: [{ value: paired ? 1 : 0 }],
    countersign_fetcher_order_seconds: histogram(figures.orderSeconds),
    countersign_fetcher_refusals_total: refusals(figures.refusals),
    countersign_fetcher_resident_bytes: bytes(process, "residentBytes"),
    countersign_fetcher_heap_bytes: bytes(process, "heapBytes"),
    countersign_fetcher_cpu_seconds_total: seconds(process, "cpuSeconds"),
    countersign_fetcher_uptime_seconds: seconds(process, "uptimeSeconds"),
    countersign_fetcher_event_loop_delay_seconds: seconds(process, "eventLoopDelaySeconds"),
  }
}

function refusals(counts: readonly RefusalCount[]): MetricSample[] {
  // A newer signer may refuse with a code that this process does not know.
  const byReason = new Map<string, number>()
  for (const { code, count } of counts) {
    const reason = RefusalCodeSchema.value[code]?.localName ?? "other"
    byReason.set(reason, (byReason.get(reason) ?? 0) + Number(count))
  }
  return [...byReason].map(([reason, value]) => ({ value, labels: { reason } }))
}

function bytes(process: ProcessFigures | undefined, name: "residentBytes" | "heapBytes"): MetricSample[] {
  return [{ value: Number(process?.[name] ?? 0n) }]
}

function seconds(
  process: ProcessFigures | undefined,
  name: "cpuSeconds" | "uptimeSeconds" | "eventLoopDelaySeconds",
): MetricSample[] {
  return [{ value: process?.[name] ?? 0 }]
}

/** The cumulated buckets, sum and count of a histogram, as the text format has them. */
function histogram(durations: Histogram | undefined): MetricSample[] {
  if (durations === undefined) return []
  const { bounds, counts, sum } = durations
  let total = 0
  const buckets = counts.map((count, index) => {
    total += Number(count)
    return { value: total, suffix: "_bucket", le: index < bounds.length ? String(bounds[index]) : "+Inf" }
  })
  return [...buckets, { value: sum, suffix: "_sum" }, { value: total, suffix: "_count" }]
}

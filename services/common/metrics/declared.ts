import type { LabelName } from "./label-values.ts"

export type Declared = {
  type: "counter" | "gauge" | "histogram"
  /** Meaning and unit, one sentence. */
  help: string
  labels: readonly LabelName[]
  /** The process that is measured. The figures of signer and fetcher are shown by the API. */
  process:
    | "API, auth proxy"
    | "API, auth proxy, worker"
    | "API, worker"
    | "API"
    | "worker"
    | "signer"
    | "fetcher"
}

/** The figures that every trusted process has. */
function processMetrics(process: "signer" | "fetcher") {
  const gauge = (help: string) => ({ type: "gauge", help, labels: [], process }) as const
  return {
    up: gauge("Whether the process answers: 1 or 0."),
    resident_bytes: gauge("Memory in RAM."),
    heap_bytes: gauge("Memory of the JavaScript heap that is in use."),
    cpu_seconds_total: { ...gauge("Processor time, user and system together."), type: "counter" },
    uptime_seconds: gauge("Time since the start."),
    event_loop_delay_seconds: gauge("Time by which the event loop is late, 99th percentile since the start."),
  } as const
}

const signer = processMetrics("signer")
const fetcher = processMetrics("fetcher")

/** Every metric of this software. Each process also has those of its runtime, `process_…` and `nodejs_…`. */
export const METRICS = {
  countersign_http_request_seconds: {
    type: "histogram",
    help: "Time from a request's headers until its answer.",
    labels: ["operation", "status"],
    process: "API, auth proxy",
  },
  countersign_http_refusals_total: {
    type: "counter",
    help: "Requests that were not answered with success, by the reason in the log.",
    labels: ["reason"],
    process: "API, auth proxy",
  },
  countersign_http_requests_running: {
    type: "gauge",
    help: "Requests that were read and are not answered.",
    labels: [],
    process: "API",
  },
  countersign_http_requests_waiting: {
    type: "gauge",
    help: "Requests that wait for the turn of their organization.",
    labels: [],
    process: "API",
  },
  countersign_http_oldest_request_seconds: {
    type: "gauge",
    help: "Age of the oldest request that was read and is not answered; 0 for none.",
    labels: [],
    process: "API",
  },
  countersign_signer_round_trip_seconds: {
    type: "histogram",
    help: "Time from an order to the signer until its answer; lost: the stream broke, or no answer came in time.",
    labels: ["answer"],
    process: "API",
  },
  countersign_query_slots: {
    type: "gauge",
    help: "Queries that read from the database, and queries that wait for a slot.",
    labels: ["state"],
    process: "API",
  },
  countersign_activity_rows_waiting: {
    type: "gauge",
    help: "Activities that wait to be stored.",
    labels: [],
    process: "API",
  },
  countersign_database_connections_lost_total: {
    type: "counter",
    help: "Connections to the database that were closed.",
    labels: [],
    process: "API",
  },
  countersign_database_connections: {
    type: "gauge",
    help: "Connections of each pool to the database: open, and lost to the pool by a fault of the driver.",
    labels: ["pool", "connection"],
    process: "API, worker",
  },
  countersign_cache_entries: {
    type: "gauge",
    help: "Entries in the caches of the API.",
    labels: ["cache"],
    process: "API",
  },
  countersign_certificate_days_left: {
    type: "gauge",
    help: "Whole days until a certificate of mutual TLS expires, rounded down; negative after it. A holder beside the API has one once it was connected.",
    labels: ["link", "holder"],
    process: "API",
  },
  countersign_worker_transactions_total: {
    type: "counter",
    help: "Transactions whose end is known; reverted: they were mined and failed.",
    labels: ["end"],
    process: "worker",
  },
  countersign_worker_broadcasts_total: {
    type: "counter",
    help: "Signed transactions handed to a node, each time.",
    labels: ["broadcast"],
    process: "worker",
  },
  countersign_worker_webhook_attempts_total: {
    type: "counter",
    help: "Attempts to deliver a notification of a webhook: delivered, failed and to be repeated, or dead.",
    labels: ["attempt"],
    process: "worker",
  },
  countersign_worker_webhook_deliveries: {
    type: "gauge",
    help: "Notifications of webhooks that wait, and those that are dead and can be sent again; counted up to 100,000.",
    labels: ["delivery"],
    process: "worker",
  },
  countersign_worker_webhook_oldest_seconds: {
    type: "gauge",
    help: "Age of the oldest notification of a webhook that waits; 0 for none.",
    labels: [],
    process: "worker",
  },
  countersign_worker_nodes_unavailable_total: {
    type: "counter",
    help: "Polls of a transaction to which no node gave a usable answer.",
    labels: [],
    process: "worker",
  },
  countersign_trace_spans_total: {
    type: "counter",
    help: "Spans of traces: sent to the receiver, or dropped because it did not take them.",
    labels: ["span"],
    process: "API, auth proxy, worker",
  },
  countersign_signer_up: signer.up,
  countersign_signer_phase: {
    type: "gauge",
    help: "The signer's phase: 1 for the present one, 0 for every other.",
    labels: ["phase"],
    process: "signer",
  },
  countersign_signer_orders_waiting: {
    type: "gauge",
    help: "Orders, and slices of long orders, that wait for their turn.",
    labels: [],
    process: "signer",
  },
  countersign_signer_orders_running: {
    type: "gauge",
    help: "Orders that have begun and are not answered.",
    labels: [],
    process: "signer",
  },
  countersign_signer_oldest_order_seconds: {
    type: "gauge",
    help: "Age of the oldest order that is not answered; 0 for none.",
    labels: [],
    process: "signer",
  },
  countersign_signer_order_seconds: {
    type: "histogram",
    help: "Time from the arrival of an order until its answer.",
    labels: [],
    process: "signer",
  },
  countersign_signer_answers_total: {
    type: "counter",
    help: "Answers to orders by kind.",
    labels: ["answer"],
    process: "signer",
  },
  countersign_signer_refusals_total: {
    type: "counter",
    help: "Refused orders by code.",
    labels: ["reason"],
    process: "signer",
  },
  countersign_signer_ledger_sync_seconds: {
    type: "histogram",
    help: "Time in which a transaction of the ledger was written and synced.",
    labels: [],
    process: "signer",
  },
  countersign_signer_ledger_changes_total: {
    type: "counter",
    help: "Changes in these transactions together.",
    labels: [],
    process: "signer",
  },
  countersign_signer_ledger_bytes: {
    type: "gauge",
    help: "Size of the ledger's files.",
    labels: [],
    process: "signer",
  },
  countersign_signer_disk_free_bytes: {
    type: "gauge",
    help: "Bytes that are free on the disk of the ledger.",
    labels: [],
    process: "signer",
  },
  countersign_signer_disk_bytes: {
    type: "gauge",
    help: "Bytes of the disk of the ledger, free or used.",
    labels: [],
    process: "signer",
  },
  countersign_signer_audit_disk_free_bytes: {
    type: "gauge",
    help: "Bytes that are free on the disk of the signer's audit stream.",
    labels: [],
    process: "signer",
  },
  countersign_signer_audit_disk_bytes: {
    type: "gauge",
    help: "Bytes of the disk of the signer's audit stream, free or used; 0: its folder cannot be read.",
    labels: [],
    process: "signer",
  },
  countersign_signer_unwitnessed_seconds: {
    type: "gauge",
    help: "Time for which leaves of the signer's log have waited for enough witnesses; 0: all are witnessed, or none is asked.",
    labels: [],
    process: "signer",
  },
  countersign_signer_index_verified: {
    type: "gauge",
    help: "Whether the ledger's index was verified since the start: 1 or 0. Sub-organizations are created more slowly before.",
    labels: [],
    process: "signer",
  },
  countersign_signer_seal_epoch: {
    type: "gauge",
    help: "Number of the key that seals records now; 0 while the signer is halted.",
    labels: [],
    process: "signer",
  },
  countersign_signer_cache_entries: {
    type: "gauge",
    help: "Derived keys and parsed documents in memory.",
    labels: ["cache"],
    process: "signer",
  },
  countersign_signer_resident_bytes: signer.resident_bytes,
  countersign_signer_heap_bytes: signer.heap_bytes,
  countersign_signer_cpu_seconds_total: signer.cpu_seconds_total,
  countersign_signer_uptime_seconds: signer.uptime_seconds,
  countersign_signer_event_loop_delay_seconds: signer.event_loop_delay_seconds,
  countersign_fetcher_up: fetcher.up,
  countersign_fetcher_paired: {
    type: "gauge",
    help: "Whether a signer is paired: 1 or 0.",
    labels: [],
    process: "fetcher",
  },
  countersign_fetcher_order_seconds: {
    type: "histogram",
    help: "Time in which an order was carried out or refused.",
    labels: [],
    process: "fetcher",
  },
  countersign_fetcher_refusals_total: {
    type: "counter",
    help: "Refused orders by code.",
    labels: ["reason"],
    process: "fetcher",
  },
  countersign_fetcher_resident_bytes: fetcher.resident_bytes,
  countersign_fetcher_heap_bytes: fetcher.heap_bytes,
  countersign_fetcher_cpu_seconds_total: fetcher.cpu_seconds_total,
  countersign_fetcher_uptime_seconds: fetcher.uptime_seconds,
  countersign_fetcher_event_loop_delay_seconds: fetcher.event_loop_delay_seconds,
} as const satisfies { readonly [name: string]: Declared }

export type MetricName = keyof typeof METRICS

/** Upper bounds of the buckets of a histogram, seconds. */
export const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

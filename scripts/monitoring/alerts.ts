/**
 * An alert of Prometheus over metrics of this software. Its name is a heading of docs/RUNBOOKS.md, which says what to do.
 * `fires` and `rests`: series with which it fires, and with which it does not, each with its value at every minute.
 */
export type Alert = {
  name: string
  /** `page`: somebody is woken, because signing stops or an attack is likely. `ticket`: it has days. */
  severity: "page" | "ticket"
  /** PromQL; true while it has a result. */
  expression: string
  /** Minutes for which it must have been true. */
  minutes: number
  summary: string
  fires: Series
  rests: Series
}

/** Values in the notation of `promtool test rules`: a first value, a step and a count, `1+0x60`. */
export type Series = { readonly [series: string]: string }

const HOUR = "x60"
const steady = (value: number) => `${value}+0${HOUR}`
const rising = (step: number) => `0+${step}${HOUR}`

/** Refusals that no client causes: the database or the API tier shows what this deployment has not signed, or older state. */
const FORGERIES = [
  "DOCUMENT_FORGED",
  "DOCUMENT_OF_ANOTHER_ORGANIZATION",
  "DOCUMENT_ROLLED_BACK",
  "FETCH_ORDER_FORGED",
  "LEDGER_DAMAGED",
  "RECORD_FORGED",
  "RECORD_OF_ANOTHER_ORGANIZATION",
  "RECORD_ROLLED_BACK",
]

export const ALERTS: readonly Alert[] = [
  {
    name: "Signer does not answer",
    severity: "page",
    expression: "max(countersign_signer_up) == 0",
    minutes: 1,
    summary: "No API process reaches the signer: nothing is signed.",
    fires: { countersign_signer_up: steady(0) },
    rests: { countersign_signer_up: steady(1) },
  },
  {
    name: "Signer does not serve",
    severity: "page",
    expression: 'max by (phase) (countersign_signer_phase{phase!="READY"}) == 1',
    minutes: 2,
    summary: "The signer runs and signs nothing: it waits for an operator.",
    fires: { 'countersign_signer_phase{phase="HALTED"}': steady(1) },
    rests: { 'countersign_signer_phase{phase="READY"}': steady(1) },
  },
  {
    name: "Two signers",
    severity: "page",
    expression:
      "max(timestamp(countersign_signer_uptime_seconds) - countersign_signer_uptime_seconds) - " +
      "min(timestamp(countersign_signer_uptime_seconds) - countersign_signer_uptime_seconds) > 60",
    minutes: 5,
    summary: "API processes reach signers that started at different times: two may run with one root seed.",
    fires: {
      'countersign_signer_uptime_seconds{instance="a"}': rising(60),
      'countersign_signer_uptime_seconds{instance="b"}': `3600+60${HOUR}`,
    },
    rests: {
      'countersign_signer_uptime_seconds{instance="a"}': rising(60),
      'countersign_signer_uptime_seconds{instance="b"}': `1+60${HOUR}`,
    },
  },
  {
    name: "State that was not signed",
    severity: "page",
    expression: `sum by (reason) (increase(countersign_signer_refusals_total{reason=~"${FORGERIES.join("|")}"}[10m])) > 0`,
    minutes: 0,
    summary:
      "The signer was shown altered or older state: a restored database, or an intruder in the API tier.",
    fires: { 'countersign_signer_refusals_total{reason="RECORD_FORGED"}': rising(1) },
    rests: {
      'countersign_signer_refusals_total{reason="RECORD_FORGED"}': steady(3),
      'countersign_signer_refusals_total{reason="STAMP_INVALID"}': rising(5),
    },
  },
  {
    name: "Many refusals",
    severity: "ticket",
    expression:
      "sum(rate(countersign_signer_refusals_total[10m])) > 1 and " +
      "sum(rate(countersign_signer_refusals_total[10m])) > 0.5 * sum(rate(countersign_signer_answers_total[10m]))",
    minutes: 10,
    summary: "More than half of the orders are refused: a client with a fault, or somebody tries.",
    fires: {
      'countersign_signer_refusals_total{reason="STAMP_INVALID"}': rising(600),
      'countersign_signer_answers_total{answer="refused"}': rising(600),
    },
    rests: {
      'countersign_signer_refusals_total{reason="STAMP_INVALID"}': rising(600),
      'countersign_signer_answers_total{answer="refused"}': rising(600),
      'countersign_signer_answers_total{answer="outcome"}': rising(6000),
    },
  },
  {
    name: "Log is not witnessed",
    severity: "page",
    expression: "max(countersign_signer_unwitnessed_seconds) > 60",
    minutes: 1,
    summary:
      "Too few witnesses cosign the signer's log: an older copy or a second signer would not be noticed by them.",
    fires: { countersign_signer_unwitnessed_seconds: rising(60) },
    rests: { countersign_signer_unwitnessed_seconds: steady(3) },
  },
  {
    name: "Signer's disk is nearly full",
    severity: "page",
    expression:
      "min(countersign_signer_disk_free_bytes) < 1073741824 or " +
      "min(countersign_signer_disk_free_bytes) < 2 * max(countersign_signer_ledger_bytes)",
    minutes: 5,
    summary: "The disk of the ledger has less than 1 GiB, or than twice the ledger: changes will be refused.",
    fires: {
      countersign_signer_disk_free_bytes: steady(5e9),
      countersign_signer_ledger_bytes: steady(3e9),
    },
    rests: {
      countersign_signer_disk_free_bytes: steady(5e9),
      countersign_signer_ledger_bytes: steady(1e9),
    },
  },
  {
    name: "Signer's disk fills",
    severity: "ticket",
    expression:
      "max(1 - countersign_signer_disk_free_bytes / countersign_signer_disk_bytes) > 0.8 or " +
      "max(1 - countersign_signer_audit_disk_free_bytes / countersign_signer_audit_disk_bytes) > 0.8",
    minutes: 15,
    summary: "More than 80 % of the disk of the ledger, or of the audit stream, is used.",
    fires: {
      countersign_signer_disk_free_bytes: steady(90e9),
      countersign_signer_disk_bytes: steady(100e9),
      countersign_signer_audit_disk_free_bytes: steady(19e9),
      countersign_signer_audit_disk_bytes: steady(100e9),
    },
    rests: {
      countersign_signer_disk_free_bytes: steady(21e9),
      countersign_signer_disk_bytes: steady(100e9),
      countersign_signer_audit_disk_free_bytes: steady(0),
      countersign_signer_audit_disk_bytes: steady(0),
    },
  },
  {
    name: "Slow answers",
    severity: "ticket",
    expression:
      "max(countersign_signer_oldest_order_seconds) > 10 or max(countersign_http_oldest_request_seconds) > 10",
    minutes: 2,
    summary: "A request has waited for more than ten seconds.",
    fires: { countersign_http_oldest_request_seconds: steady(20) },
    rests: {
      countersign_http_oldest_request_seconds: steady(2),
      countersign_signer_oldest_order_seconds: steady(1),
    },
  },
  {
    name: "Database pool shrinks",
    severity: "ticket",
    expression: 'max by (pool) (countersign_database_connections{connection="lost"}) > 0',
    minutes: 5,
    summary: "A process lost connections of a pool and does not get them back.",
    fires: { 'countersign_database_connections{pool="requests",connection="lost"}': steady(2) },
    rests: { 'countersign_database_connections{pool="requests",connection="open"}': steady(8) },
  },
  {
    name: "Activities are not stored",
    severity: "page",
    expression: "max(countersign_activity_rows_waiting) > 1000",
    minutes: 5,
    summary: "Activities wait to be stored: the database is slow or away.",
    fires: { countersign_activity_rows_waiting: steady(5000) },
    rests: { countersign_activity_rows_waiting: steady(20) },
  },
  {
    name: "Notifications wait",
    severity: "ticket",
    expression: "max(countersign_worker_webhook_oldest_seconds) > 900",
    minutes: 15,
    summary:
      "A notification has waited for more than a quarter of an hour: a receiver is down, or no worker runs.",
    fires: { countersign_worker_webhook_oldest_seconds: `2000+60${HOUR}` },
    rests: { countersign_worker_webhook_oldest_seconds: steady(30) },
  },
  {
    name: "No node answers",
    severity: "ticket",
    expression: "sum(increase(countersign_worker_nodes_unavailable_total[10m])) > 10",
    minutes: 10,
    summary: "The worker gets no usable answer from nodes: transactions are not followed.",
    fires: { countersign_worker_nodes_unavailable_total: rising(10) },
    rests: { countersign_worker_nodes_unavailable_total: steady(40) },
  },
  {
    name: "Certificate expires",
    severity: "ticket",
    expression: "min by (link, holder) (countersign_certificate_days_left) < 14",
    minutes: 60,
    summary: "A certificate between the tiers expires within two weeks.",
    fires: { 'countersign_certificate_days_left{link="signer",holder="api"}': "5+0x120" },
    rests: { 'countersign_certificate_days_left{link="signer",holder="api"}': "60+0x120" },
  },
  {
    name: "Fetcher does not answer",
    severity: "ticket",
    expression: "max(countersign_fetcher_up) == 0",
    minutes: 2,
    summary: "No API process reaches the fetcher: no codes, no logins by ID token, no on-ramp.",
    fires: { countersign_fetcher_up: steady(0) },
    rests: { countersign_fetcher_up: steady(1) },
  },
]

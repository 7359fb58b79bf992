import { STATUS_CODES } from "node:http"
import { queryPaths, submitPaths } from "../../../proto/operations.ts"
import { proxyPaths } from "../../../proto/proxy-operations.ts"
import { PhaseSchema } from "../../../proto/gen/countersign/signer/v1/phase_pb.ts"
import { RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { SERVICE_REASONS } from "../errors/service-reasons.ts"

const PAGES = [
  "docs",
  "docs/api",
  "docs/collection.json",
  "docs/errors",
  "livez",
  "openapi.json",
  "public/v1/auth_proxy_configs",
  "public/v1/log",
  "public/v1/pins",
  "readyz",
  "version",
]

/** The value of a label that has none of its list. */
const OTHER = "other"

/**
 * Every value that a label can have. The lists are fixed before the first request, so no label can name an organization, a
 * user, a key or an address, and their number is bounded.
 */
export const LABEL_VALUES = {
  operation: new Set([
    ...submitPaths.keys(),
    ...queryPaths.keys(),
    ...proxyPaths.keys(),
    ...PAGES,
    "preflight",
    "unknown",
    OTHER,
  ]),
  status: new Set([...Object.keys(STATUS_CODES), OTHER]),
  reason: new Set([
    ...RefusalCodeSchema.values.map(({ localName }) => localName),
    ...Object.keys(SERVICE_REASONS),
    OTHER,
  ]),
  answer: new Set(["outcome", "refused", "needed", "lost", OTHER]),
  phase: new Set([...PhaseSchema.values.map(({ localName }) => localName), OTHER]),
  state: new Set(["running", "waiting"]),
  pool: new Set(["requests", "queries", "locks", "worker", "jobs", "signals"]),
  connection: new Set(["open", "lost"]),
  end: new Set(["included", "reverted", "failed"]),
  broadcast: new Set(["accepted", "refused"]),
  attempt: new Set(["delivered", "failed", "dead"]),
  span: new Set(["sent", "dropped"]),
  delivery: new Set(["waiting", "dead"]),
  link: new Set(["signer", "fetcher"]),
  holder: new Set(["api", "signer", "fetcher"]),
  cache: new Set(["organizations", "callers", "keys", "documents"]),
} as const satisfies { readonly [label: string]: ReadonlySet<string> }

export type LabelName = keyof typeof LABEL_VALUES
export type Labels = { readonly [name in LabelName]?: string }

/** Labels with the values of their lists only. */
export function closedLabels(labels: Labels): Record<string, string> {
  const entries = Object.entries(labels) as [LabelName, string][]
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      (LABEL_VALUES[name] as ReadonlySet<string>).has(value) ? value : OTHER,
    ]),
  )
}

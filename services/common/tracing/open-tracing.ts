import type { Logger } from "../logger.ts"
import { ownVersion } from "../own-version.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { SpanExporter } from "./exporter.ts"
import { Tracer } from "./tracer.ts"

export type TracingSettings = {
  /** Address of an OTLP/HTTP receiver; undefined: nothing is recorded. */
  url: string | undefined
  /** Share of the requests that are recorded unless their caller decides, from 0 to 1. */
  share: number
}

/** The tracer of a process; undefined: tracing is off. `close` sends what waits. */
export function openTracing(
  { url, share }: TracingSettings,
  { process, ...parts }: { process: string; log: Logger; metrics?: Metrics | undefined },
): { tracer: Tracer | undefined; close(): Promise<void> } {
  // Shown before anything was counted.
  parts.metrics?.count("countersign_trace_spans_total", { span: "sent" }, 0)
  if (url === undefined) return { tracer: undefined, close: () => Promise.resolve() }
  const service = { name: `countersign-${process}`, version: ownVersion() }
  const exporter = new SpanExporter({ url, service, ...parts })
  return { tracer: new Tracer({ sink: exporter, share }), close: () => exporter.close() }
}

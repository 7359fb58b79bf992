import type { Logger } from "../logger.ts"
import { ownVersion } from "../own-version.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { SpanExporter } from "./exporter.ts"
import { readHeaders } from "./headers-file.ts"
import { Tracer } from "./tracer.ts"

export type TracingSettings = {
  /** Address of an OTLP/HTTP receiver; undefined: nothing is recorded. */
  url: string | undefined
  /** Share of the requests that are recorded unless their caller decides, from 0 to 1. */
  share: number
  /** False: the caller decides nothing. */
  followsCaller: boolean
  /** File of headers for the receiver, which may be secret. */
  headersFile: string | undefined
  /** Undefined: `countersign-` and the name of the process. */
  serviceName: string | undefined
  /** Attributes of the process beside its name and version. */
  attributes: ReadonlyMap<string, string>
}

/** The tracer of a process; undefined: tracing is off. `close` sends what waits. @throws {StartError} for unusable headers */
export function openTracing(
  { url, headersFile, serviceName, attributes, ...sampling }: TracingSettings,
  { process, ...parts }: { process: string; log: Logger; metrics?: Metrics | undefined },
): { tracer: Tracer | undefined; close(): Promise<void> } {
  // Shown before anything was counted.
  parts.metrics?.count("countersign_trace_spans_total", { span: "sent" }, 0)
  if (url === undefined) return { tracer: undefined, close: () => Promise.resolve() }
  const name = serviceName ?? attributes.get("service.name") ?? `countersign-${process}`
  const service = { name, version: ownVersion(), attributes }
  const headers = headersFile === undefined ? {} : readHeaders(headersFile)
  const exporter = new SpanExporter({ url, headers, service, ...parts })
  return { tracer: new Tracer({ sink: exporter, ...sampling }), close: () => exporter.close() }
}

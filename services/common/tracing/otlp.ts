import type { TraceSpan, SpanAttributes, SpanKind } from "./tracer.ts"

/** Numbers of SpanKind and of StatusCode (opentelemetry.proto.trace.v1). */
const KINDS: { readonly [kind in SpanKind]: number } = { internal: 1, server: 2, client: 3 }
const ERROR = 2

/** The process that sends spans. `attributes`: further ones, which its operator gave. */
export type TracedService = { name: string; version: string; attributes?: ReadonlyMap<string, string> }

/**
 * The body of an export (ExportTraceServiceRequest) in OTLP/JSON: ids are hexadecimal, 64-bit numbers are text
 * (OpenTelemetry Protocol, "JSON Protobuf Encoding").
 */
export function otlpTraces(service: TracedService, spans: readonly TraceSpan[]): string {
  const resource = {
    attributes: attributesOf({
      "service.name": service.name,
      "service.version": service.version,
      ...Object.fromEntries([...(service.attributes ?? [])].filter(([name]) => !OWN.includes(name))),
    }),
  }
  const scopeSpans = [{ scope: { name: "countersign", version: service.version }, spans: spans.map(spanOf) }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

/** Attributes that this process states itself. */
const OWN: readonly string[] = ["service.name", "service.version"]

function spanOf({ traceId, spanId, parentId, name, kind, startNs, endNs, attributes, isFault }: TraceSpan) {
  return {
    traceId,
    spanId,
    ...(parentId !== "" && { parentSpanId: parentId }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: String(startNs),
    endTimeUnixNano: String(endNs),
    attributes: attributesOf(attributes),
    ...(isFault && { status: { code: ERROR } }),
  }
}

function attributesOf(attributes: SpanAttributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  }))
}

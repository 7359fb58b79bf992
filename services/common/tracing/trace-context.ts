/** The place of a request in a trace, as its caller says it (W3C Trace Context, Level 1). */
export type TraceContext = {
  /** 16 bytes, lower-case hexadecimal, not all zero. */
  traceId: string
  /** The caller's span: 8 bytes, likewise. */
  spanId: string
  /** True if the caller records the trace. */
  isSampled: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const SAMPLED = 1

/** Reads the header `traceparent`. Undefined: there is none, or it is invalid and begins a new trace (section 4.3). */
export function readTraceparent(header: unknown): TraceContext | undefined {
  if (typeof header !== "string") return undefined
  const [, version, traceId = "", spanId = "", flags = "", more] = TRACEPARENT.exec(header) ?? []
  // Version 00 has four members; a later one may have more, and ff is forbidden.
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return undefined
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) !== 0 }
}

/** The header of version 00. */
export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`
}

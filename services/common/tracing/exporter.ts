import type { Logger } from "../logger.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { otlpTraces, type TracedService } from "./otlp.ts"
import type { TraceSpan, SpanSink } from "./tracer.ts"

type ExporterParts = {
  /** Address of an OTLP/HTTP receiver, such as http://localhost:4318/v1/traces. */
  url: string
  /** Headers that the receiver asks for, such as a token. */
  headers?: Readonly<Record<string, string>>
  service: TracedService
  log: Logger
  metrics?: Metrics | undefined
  post?: typeof fetch
}

/** Spans that wait at most, those of one export, pause between exports and time for one, milliseconds. */
const MAX_WAITING = 4096
const MAX_AT_ONCE = 512
const PAUSE_MS = 2_000
const TIMEOUT_MS = 5_000

/**
 * Sends spans to an OTLP receiver in the background. Spans that find no room, or that the receiver does not take, are
 * dropped and counted: no request waits for them.
 */
export class SpanExporter implements SpanSink {
  readonly #parts: ExporterParts
  readonly #timer: NodeJS.Timeout
  #waiting: TraceSpan[] = []
  #sending: Promise<void> | undefined
  #fault = ""

  constructor(parts: ExporterParts) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.flush(), PAUSE_MS).unref()
  }

  add(span: TraceSpan): void {
    if (this.#waiting.length >= MAX_WAITING) this.#count("dropped", 1)
    else this.#waiting.push(span)
    if (this.#waiting.length === MAX_AT_ONCE) void this.flush()
  }

  /** Sends what waits, one export after another. */
  flush(): Promise<void> {
    return (this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined)))
  }

  /** Sends what waits, once. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, MAX_AT_ONCE)
      const fault = await this.#send(spans)
      this.#count(fault === "" ? "sent" : "dropped", spans.length)
      // A lasting fault is logged once.
      if (fault !== "" && fault !== this.#fault) this.#parts.log.warn({ fault }, "traces cannot be exported")
      this.#fault = fault
      if (fault !== "") return
    }
  }

  /** @returns the fault, "" for none */
  async #send(spans: readonly TraceSpan[]): Promise<string> {
    const { url, headers, service, post = fetch } = this.#parts
    try {
      const response = await post(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: otlpTraces(service, spans),
        redirect: "error",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.body?.cancel()
      return response.ok ? "" : `the receiver answers ${response.status}`
    } catch (error) {
      const { name, cause } = error as { name?: string; cause?: { code?: string } }
      return name === "TimeoutError"
        ? "the receiver is silent"
        : `the receiver cannot be reached: ${cause?.code ?? name}`
    }
  }

  #count(span: "sent" | "dropped", by: number): void {
    this.#parts.metrics?.count("countersign_trace_spans_total", { span }, by)
  }
}

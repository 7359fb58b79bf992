import { AsyncLocalStorage } from "node:async_hooks"
import { randomBytes } from "node:crypto"
import type { TraceContext } from "./trace-context.ts"

/** Side of a span (OpenTelemetry, SpanKind). */
export type SpanKind = "internal" | "server" | "client"

/** Facts about a span: numbers and words of closed lists, and the id of a request; never a name, a contact or a body. */
export type SpanAttributes = { [name: string]: string | number }

/** A span that has ended. Times are Unix time in nanoseconds. */
export type TraceSpan = {
  traceId: string
  spanId: string
  /** "" for the first span of a trace. */
  parentId: string
  name: string
  kind: SpanKind
  startNs: bigint
  endNs: bigint
  attributes: SpanAttributes
  isFault: boolean
}

/** A span that runs: its name and facts may become known while it does. */
export type OpenSpan = Pick<TraceSpan, "name" | "attributes" | "isFault"> & {
  /** Adds a span inside this one whose times somebody else measured, nanoseconds of Unix time. */
  inside(name: string, startNs: bigint, endNs: bigint): void
}

/** Where spans that have ended go. */
export type SpanSink = { add(span: TraceSpan): void }

type Running = { tracer: Tracer; traceId: string; spanId: string }

const running = new AsyncLocalStorage<Running>()

/** Records the requests that its process serves, and what they wait for. */
export class Tracer {
  readonly #sink: SpanSink
  readonly #share: number
  readonly #followsCaller: boolean
  readonly #random: () => number

  /**
   * @param share of the requests whose caller does not say whether they are recorded, from 0 to 1
   * @param followsCaller false: the share is of all requests, and each trace is recorded by all processes or by none
   */
  constructor({
    sink,
    share,
    followsCaller = true,
    random = Math.random,
  }: { sink: SpanSink; share: number; followsCaller?: boolean; random?: () => number }) {
    this.#sink = sink
    this.#share = share
    this.#followsCaller = followsCaller
    this.#random = random
  }

  /** True if a request is recorded: its caller decides, or chance. */
  isRecorded(caller: TraceContext | undefined): boolean {
    if (caller === undefined) return this.#random() < this.#share
    return this.#followsCaller ? caller.isSampled : fractionOf(caller.traceId) >= 1 - this.#share
  }

  /** Does `work` in a span that continues the caller's trace, or begins one. */
  record<T>(
    { name, kind, caller }: { name: string; kind: SpanKind; caller?: TraceContext | undefined },
    work: (span: OpenSpan) => Promise<T>,
  ): Promise<T> {
    const { traceId = idOf(16), spanId: parentId = "" } = caller ?? {}
    return this.run({ traceId, parentId, name, kind }, work)
  }

  /** Does `work` in a span. A thrown error marks it as a fault, and passes. */
  async run<T>(
    place: Pick<TraceSpan, "traceId" | "parentId" | "name" | "kind">,
    work: (span: OpenSpan) => Promise<T>,
  ): Promise<T> {
    const spanId = idOf(8)
    const { traceId } = place
    const startNs = nowNs()
    const open: OpenSpan = {
      name: place.name,
      attributes: {},
      isFault: false,
      inside: (name, from, to) =>
        this.#sink.add({
          traceId,
          spanId: idOf(8),
          parentId: spanId,
          name,
          kind: "internal",
          startNs: from,
          endNs: to,
          attributes: {},
          isFault: false,
        }),
    }
    try {
      return await running.run({ tracer: this, traceId, spanId }, () => work(open))
    } catch (error) {
      open.isFault = true
      throw error
    } finally {
      const { name, attributes, isFault } = open
      this.#sink.add({ ...place, spanId, name, startNs, endNs: nowNs(), attributes, isFault })
    }
  }
}

/** The random part of a trace's id, its last digits (W3C Trace Context, Level 2), as a number from 0 to below 1. */
function fractionOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS
}

/** As many digits as a number has exactly. */
const RANDOM_DIGITS = 13

/** Does `work` in a span of the request that is recorded now; without one only the work is done. */
export function inSpan<T>(
  name: string,
  work: (span?: OpenSpan) => Promise<T>,
  kind: SpanKind = "internal",
): Promise<T> {
  const parent = running.getStore()
  if (parent === undefined) return work()
  const { tracer, traceId, spanId } = parent
  return tracer.run({ traceId, parentId: spanId, name, kind }, work)
}

/** Does `work` in a trace of its own, if chance has it recorded. */
export function recorded<T>(tracer: Tracer | undefined, name: string, work: () => Promise<T>): Promise<T> {
  return tracer?.isRecorded(undefined) ? tracer.record({ name, kind: "internal" }, work) : work()
}

/** The place in the trace that is recorded now, for those that this process calls. */
export function currentTrace(): TraceContext | undefined {
  const parent = running.getStore()
  return parent && { traceId: parent.traceId, spanId: parent.spanId, isSampled: true }
}

/** Unix time in nanoseconds, monotonic within the process. */
export function nowNs(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1000)) * 1000n
}

function idOf(bytes: number): string {
  return randomBytes(bytes).toString("hex")
}

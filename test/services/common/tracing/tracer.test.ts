import t from "tap"
import {
  currentTrace,
  inSpan,
  recorded,
  type TraceSpan,
  Tracer,
} from "../../../../services/common/tracing/tracer.ts"

function collecting(share: number, random = () => 0.5) {
  const spans: TraceSpan[] = []
  return { spans, tracer: new Tracer({ sink: { add: (span) => spans.push(span) }, share, random }) }
}

const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true }

t.test("spans inside a request belong to it, also side by side", async (t) => {
  const { spans, tracer } = collecting(1)
  await tracer.record({ name: "request", kind: "server", caller }, async (request) => {
    await Promise.all([
      inSpan("first", () => inSpan("inner", async () => t.equal(currentTrace()?.traceId, caller.traceId))),
      inSpan("second", async () => undefined, "client"),
    ])
    request.name = "sign_raw_payload"
    request.attributes["http.response.status_code"] = 200
  })
  const named = new Map(spans.map((span) => [span.name, span]))
  t.same([...named.keys()].toSorted(), ["first", "inner", "second", "sign_raw_payload"])
  const request = named.get("sign_raw_payload")
  t.match(request, { traceId: caller.traceId, parentId: caller.spanId, kind: "server", isFault: false })
  t.equal(named.get("first")?.parentId, request?.spanId)
  t.equal(named.get("second")?.parentId, request?.spanId)
  t.equal(named.get("inner")?.parentId, named.get("first")?.spanId)
  t.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length)
  for (const { startNs, endNs, traceId, spanId } of spans) {
    t.ok(startNs <= endNs)
    t.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/)
  }
})

t.test("an error passes, and marks its spans as faults", async (t) => {
  const { spans, tracer } = collecting(1)
  const failing = () => inSpan("store", () => Promise.reject(new Error("the disk is full")))
  await t.rejects(tracer.record({ name: "request", kind: "server" }, failing), {
    message: "the disk is full",
  })
  t.strictSame(
    spans.map(({ name, isFault }) => [name, isFault]),
    [
      ["store", true],
      ["request", true],
    ],
  )
})

t.test("without a recorded request the work is done, and nothing is recorded", async (t) => {
  const { spans, tracer } = collecting(0.1)
  t.equal(await inSpan("store", async (span) => (span === undefined ? "done" : "recorded")), "done")
  t.equal(await recorded(tracer, "poll", async () => currentTrace()), undefined)
  t.equal(await recorded(undefined, "poll", async () => "done"), "done")
  t.same(spans, [])
})

t.test("the caller decides whether a request is recorded, else chance does", async (t) => {
  const { tracer } = collecting(0.5, () => 0.6)
  t.equal(tracer.isRecorded(undefined), false)
  t.equal(tracer.isRecorded(caller), true)
  t.equal(collecting(0.5, () => 0.4).tracer.isRecorded(undefined), true)
  t.equal(collecting(1).tracer.isRecorded({ ...caller, isSampled: false }), false)
  t.equal(collecting(0, () => 0).tracer.isRecorded(undefined), false)
})

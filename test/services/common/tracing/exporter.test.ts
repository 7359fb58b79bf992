import t from "tap"
import type { Logger } from "../../../../services/common/logger.ts"
import { Metrics } from "../../../../services/common/metrics/metrics.ts"
import { SpanExporter } from "../../../../services/common/tracing/exporter.ts"
import type { TraceSpan } from "../../../../services/common/tracing/tracer.ts"
import { webServer } from "../../../harness/web-server.ts"

const span: TraceSpan = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentId: "",
  name: "sign_raw_payload",
  kind: "server",
  startNs: 1_700_000_000_000_000_001n,
  endNs: 1_700_000_000_500_000_000n,
  attributes: { "http.request.method": "POST", "http.response.status_code": 503 },
  isFault: true,
}

function exporting(url: string) {
  const faults: unknown[] = []
  const log = { warn: ({ fault }: { fault: unknown }) => faults.push(fault) } as unknown as Logger
  const metrics = new Metrics()
  const service = { name: "countersign-api", version: "1.2.3" }
  const counts = async () => {
    const text = await metrics.text()
    const of = (kind: string) =>
      Number(new RegExp(`spans_total\\{span="${kind}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
    return { sent: of("sent"), dropped: of("dropped") }
  }
  return { exporter: new SpanExporter({ url, service, log, metrics }), faults, counts }
}

t.test("spans are sent as OTLP/JSON", async (t) => {
  const bodies: string[] = []
  const receiver = await webServer(async (request, response) => {
    t.match(request, { method: "POST", url: "/v1/traces", headers: { "content-type": "application/json" } })
    let body = ""
    for await (const part of request) body += String(part)
    bodies.push(body)
    response.end("{}")
  })
  t.teardown(() => receiver.close())
  const { exporter, faults, counts } = exporting(`http://127.0.0.1:${receiver.port}/v1/traces`)
  exporter.add(span)
  exporter.add({ ...span, parentId: span.spanId, spanId: "1111111111111111", kind: "client", isFault: false })
  await exporter.close()
  t.same(faults, [])
  t.same(await counts(), { sent: 2, dropped: 0 })
  const [{ resourceSpans }] = bodies.map((body) => JSON.parse(body)) as [{ resourceSpans: unknown }]
  t.strictSame(resourceSpans, [
    {
      resource: {
        attributes: [
          { key: "service.name", value: { stringValue: "countersign-api" } },
          { key: "service.version", value: { stringValue: "1.2.3" } },
        ],
      },
      scopeSpans: [
        {
          scope: { name: "countersign", version: "1.2.3" },
          spans: [
            {
              traceId: span.traceId,
              spanId: span.spanId,
              name: "sign_raw_payload",
              kind: 2,
              startTimeUnixNano: "1700000000000000001",
              endTimeUnixNano: "1700000000500000000",
              attributes: [
                { key: "http.request.method", value: { stringValue: "POST" } },
                { key: "http.response.status_code", value: { intValue: "503" } },
              ],
              status: { code: 2 },
            },
            {
              traceId: span.traceId,
              spanId: "1111111111111111",
              parentSpanId: span.spanId,
              name: "sign_raw_payload",
              kind: 3,
              startTimeUnixNano: "1700000000000000001",
              endTimeUnixNano: "1700000000500000000",
              attributes: [
                { key: "http.request.method", value: { stringValue: "POST" } },
                { key: "http.response.status_code", value: { intValue: "503" } },
              ],
            },
          ],
        },
      ],
    },
  ])
})

t.test("a receiver that is away or refuses loses spans, and nothing else", async (t) => {
  const receiver = await webServer((request, response) => response.writeHead(503).end())
  const url = `http://127.0.0.1:${receiver.port}/v1/traces`
  const { exporter, faults, counts } = exporting(url)
  for (let round = 0; round < 2; round++) {
    exporter.add(span)
    await exporter.flush()
  }
  await receiver.close()
  exporter.add(span)
  await exporter.flush()
  await exporter.close()
  t.same(await counts(), { sent: 0, dropped: 3 })
  t.equal(faults.length, 2, "each fault once")
  t.match(faults, ["the receiver answers 503", /^the receiver cannot be reached: \w+$/])
})

t.test("spans that find no room are dropped", async (t) => {
  const waiting: (() => void)[] = []
  const receiver = await webServer((request, response) => waiting.push(() => response.end("{}")))
  t.teardown(() => receiver.close())
  const { exporter, counts } = exporting(`http://127.0.0.1:${receiver.port}/v1/traces`)
  for (let index = 0; index < 6_000; index++) exporter.add(span)
  const { dropped } = await counts()
  t.ok(dropped > 0 && dropped < 6_000, String(dropped))
  const closing = exporter.close().then(() => clearInterval(answering))
  const answering = setInterval(() => waiting.shift()?.(), 1)
  await closing
  t.same(await counts(), { sent: 6_000 - dropped, dropped })
})

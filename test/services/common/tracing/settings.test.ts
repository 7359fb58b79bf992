// Variables that OpenTelemetry names, beside the settings of this software.
import t from "tap"
import { readSettings, SettingsError } from "../../../../signer/core/settings/settings.ts"
import {
  faultsOfTraces,
  otelNames,
  readTracing,
  traceSettings,
} from "../../../../services/common/tracing/settings.ts"
import { openTracing } from "../../../../services/common/tracing/open-tracing.ts"
import type { Logger } from "../../../../services/common/logger.ts"
import { Tracer } from "../../../../services/common/tracing/tracer.ts"
import { webServer } from "../../../harness/web-server.ts"

const read = (environment: Record<string, string>) =>
  readTracing(readSettings(traceSettings, environment, { check: faultsOfTraces }))

const ENDPOINT = "http://collector.internal:4318"

t.test("C-1925: without a receiver nothing is recorded, whatever else is set", async (t) => {
  t.match(read({}), { url: undefined, share: 0.1, followsCaller: true })
  const others = {
    OTEL_SERVICE_NAME: "a",
    OTEL_TRACES_SAMPLER: "always_on",
    OTEL_EXPORTER_OTLP_HEADERS: "a=b",
  }
  t.match(read(others), { url: undefined })
  const off = { OTEL_SDK_DISABLED: "TRUE", OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }
  t.match(read(off), { url: undefined })
  t.match(read({ ...off, OTEL_SDK_DISABLED: "", COUNTERSIGN_TRACES_URL: "" }), {
    url: `${ENDPOINT}/v1/traces`,
  })
})

t.test(
  "C-1925: the address is that of this software, then that of traces, then that of all signals",
  async (t) => {
    const all = {
      COUNTERSIGN_TRACES_URL: "https://own.example/traces",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/path?tenant=1",
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://all.example/otlp/",
    }
    t.equal(read(all).url, "https://own.example/traces")
    t.equal(read({ ...all, COUNTERSIGN_TRACES_URL: "" }).url, "https://traces.example/path?tenant=1")
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = all
    t.equal(read({ OTEL_EXPORTER_OTLP_ENDPOINT }).url, "https://all.example/otlp/v1/traces")
  },
)

t.test("C-1925: the sampler decides unless a percentage is set", async (t) => {
  const sampled = (OTEL_TRACES_SAMPLER: string, more: Record<string, string> = {}) => {
    const { share, followsCaller } = read({ OTEL_TRACES_SAMPLER, ...more })
    return [share, followsCaller]
  }
  t.same(sampled("always_on"), [1, false])
  t.same(sampled("parentbased_always_on"), [1, true])
  t.same(sampled("always_off"), [0, false])
  t.same(sampled("parentbased_always_off"), [0, true])
  t.same(sampled("traceidratio", { OTEL_TRACES_SAMPLER_ARG: "0.25" }), [0.25, false])
  t.same(sampled("parentbased_traceidratio", { OTEL_TRACES_SAMPLER_ARG: ".5" }), [0.5, true])
  t.same(sampled("parentbased_traceidratio"), [1, true], "a ratio without argument is 1")
  t.same(sampled("always_on", { COUNTERSIGN_TRACES_PERCENT: "30" }), [0.3, true])
  t.match(read({ OTEL_TRACES_SAMPLER_ARG: "0.25" }), { share: 0.1 }, "an argument without sampler")
})

t.test("C-1926: headers may be secret, so they are in a file", async (t) => {
  const set = { OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: "authorization=s3cret" }
  t.throws(() => read(set), {
    message:
      /^the settings cannot be used:\n {2}OTEL_EXPORTER_OTLP_HEADERS: .*OTEL_EXPORTER_OTLP_HEADERS_FILE$/,
  })
  t.doesNotThrow(() => read({ ...set, OTEL_SDK_DISABLED: "true" }), "nothing would be sent")
})

t.test(
  "C-1943: a protocol or sampler that is not known is a fault where there is a receiver alone",
  async (t) => {
    const set = { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "jaeger_remote" }
    t.match(read(set), { url: undefined }, "platforms set these for all programs")
    t.match(read({ ...set, OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, OTEL_SDK_DISABLED: "true" }), {
      url: undefined,
    })
    t.throws(() => read({ ...set, OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT }), {
      message:
        /\n {2}OTEL_EXPORTER_OTLP_PROTOCOL: .*http\/json.*\n {2}OTEL_TRACES_SAMPLER: write one of always_on/,
    })
  },
)

t.test("each variable with an unusable value is named, and no value is shown", async (t) => {
  const faulty = {
    OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:s3cret@collector.example",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "grpc://s3cret:4317",
    OTEL_EXPORTER_OTLP_HEADERS_FILE: "/dev/null/s3cret",
    OTEL_RESOURCE_ATTRIBUTES: "s3cret",
    OTEL_SDK_DISABLED: "yes",
    OTEL_TRACES_SAMPLER_ARG: "1.5",
  }
  try {
    read(faulty)
    t.fail("no fault")
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    t.same(
      error.faults.map((fault) => fault.slice(0, fault.indexOf(":"))).toSorted(),
      Object.keys(faulty).toSorted(),
    )
    t.notMatch(error.message, /s3cret/)
  }
  t.throws(() => read({ COUNTERSIGN_TRACES_URL: "https://:s3cret@collector.example" }), {
    message: /^(?=[^]*COUNTERSIGN_TRACES_URL)(?![^]*s3cret)/,
  })
  const others = [
    "OTEL_SERVICE_NAME",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_TRACES_SAMPLER",
  ]
  t.same([...Object.keys(faulty), ...others].toSorted(), [...otelNames].toSorted(), "no name is left out")
})

t.test("C-1925: name, attributes and headers reach the receiver", async (t) => {
  const received: { headers: unknown; attributes: Record<string, string> }[] = []
  const receiver = await webServer(async (request, response) => {
    let text = ""
    for await (const part of request) text += String(part)
    const { resourceSpans } = JSON.parse(text) as { resourceSpans: [{ resource: Resource }] }
    const pairs = resourceSpans[0].resource.attributes.map(({ key, value }) => [key, value.stringValue])
    received.push({ headers: request.headers, attributes: Object.fromEntries(pairs) })
    response.end("{}")
  })
  t.teardown(() => receiver.close())
  const directory = t.testdir({ headers: "authorization=Bearer%20s3cret\nx-tenant=acme,x-other=1\n" })
  const set = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${receiver.port}`,
    OTEL_EXPORTER_OTLP_HEADERS_FILE: `${directory}/headers`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test%2C%20local, service.name=other,service.version=9",
    OTEL_TRACES_SAMPLER: "always_on",
  }
  const log = { warn: (fault: unknown) => t.fail(JSON.stringify(fault)) } as unknown as Logger
  for (const named of [{}, { OTEL_SERVICE_NAME: "payments" }]) {
    const { tracer, close } = openTracing(read({ ...set, ...named }), { process: "api", log })
    await tracer?.record({ name: "request", kind: "server" }, async () => undefined)
    await close()
  }
  const [first, second] = received
  t.match(first?.headers, { authorization: "Bearer s3cret", "x-tenant": "acme", "x-other": "1" })
  t.match(first?.attributes, { "service.name": "other", "deployment.environment": "test, local" })
  t.not(first?.attributes["service.version"], "9", "the version is that of the program")
  t.match(second?.attributes, { "service.name": "payments" })
})

type Resource = { attributes: { key: string; value: { stringValue: string } }[] }

t.test("a file of headers that cannot be used stops the start, and none of it is shown", async (t) => {
  const log = {} as unknown as Logger
  const directory = t.testdir({ a: "s3cret", b: "x-token=s3cret%0d1", c: "x-token=%zz" })
  for (const name of ["a", "b", "c"]) {
    const set = {
      OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: `${directory}/${name}`,
    }
    try {
      openTracing(read(set), { process: "api", log })
      t.fail(name)
    } catch (error) {
      t.match((error as Error).message, /OTEL_EXPORTER_OTLP_HEADERS$/)
      t.notMatch((error as Error).message, /s3cret/)
    }
  }
})

t.test(
  "C-1925: a sampler that follows no caller decides by the trace's id, so all processes agree",
  async (t) => {
    const tracer = (share: number, random = () => 0.5) =>
      new Tracer({ sink: { add: () => undefined }, share, followsCaller: false, random })
    const caller = (digits: string, isSampled: boolean) => ({
      traceId: digits.padStart(32, "4"),
      spanId: "00f067aa0ba902b7",
      isSampled,
    })
    for (const isSampled of [true, false]) {
      t.ok(tracer(1).isRecorded(caller("0".repeat(14), isSampled)))
      t.notOk(tracer(0).isRecorded(caller("f".repeat(14), isSampled)))
      t.ok(tracer(0.5).isRecorded(caller(`8${"0".repeat(12)}`, isSampled)))
      t.notOk(tracer(0.5).isRecorded(caller(`7${"f".repeat(12)}`, isSampled)))
    }
    t.ok(tracer(0.6).isRecorded(undefined))
    t.notOk(tracer(0.4).isRecorded(undefined))
  },
)

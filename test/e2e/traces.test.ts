// Traces of a running system, as an OTLP receiver gets them.
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { signParams } from "../harness/api-client.ts"
import { authProxyPairing } from "../harness/auth-proxy.ts"
import { startAuthProxyProcess } from "../harness/auth-proxy-process.ts"
import { freshDatabase } from "../harness/database.ts"
import { System } from "../harness/system.ts"
import { webServer } from "../harness/web-server.ts"
import { wallet } from "./wallets.ts"

type Shown = {
  service: string
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[]
}

/** A receiver of OTLP/JSON, and what it got. */
async function openReceiver() {
  const spans: Shown[] = []
  const texts: string[] = []
  const server = await webServer(async (request, response) => {
    let text = ""
    for await (const part of request) text += String(part)
    texts.push(text)
    const { resourceSpans } = JSON.parse(text) as { resourceSpans: Resource[] }
    for (const { resource, scopeSpans } of resourceSpans)
      for (const scope of scopeSpans)
        spans.push(
          ...scope.spans.map((span) => ({
            ...span,
            service: resource.attributes[0]?.value.stringValue ?? "",
          })),
        )
    response.end("{}")
  })
  const url = `http://127.0.0.1:${server.port}/v1/traces`
  const until = async (isMeant: (span: Shown) => boolean): Promise<Shown> => {
    for (;;) {
      const found = spans.find(isMeant)
      if (found) return found
      await pause(25)
    }
  }
  return { spans, texts, url, until, close: () => server.close() }
}

type Resource = {
  resource: { attributes: { value: { stringValue: string } }[] }
  scopeSpans: { spans: Omit<Shown, "service">[] }[]
}

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

t.test("a request is followed through the tiers", async (t) => {
  const receiver = await openReceiver()
  t.teardown(() => receiver.close())
  const { url: databaseUrl } = await freshDatabase(t)
  const traces = { COUNTERSIGN_TRACES_URL: receiver.url, COUNTERSIGN_TRACES_PERCENT: "0" }
  const system = await System.start(databaseUrl, traces, authProxyPairing)
  t.teardown(() => system.stop())
  const acme = await system.createOrganization()
  const address = await wallet(system, acme, "First")
  const sign = async (payload: string, headers: Record<string, string>) => {
    const parameters = { ...signParams(address), payload: payload.repeat(64) }
    const body = system.body("SIGN_RAW_PAYLOAD_V2", acme.organizationId, parameters)
    const { status, text } = await system.post("submit/sign_raw_payload", body, acme.root, headers)
    if (status !== 200) throw new Error(text)
  }

  await t.test("a caller who records its trace finds the parts of the request in it", async (t) => {
    const traceparent = `00-${traceId}-${spanId}-01`
    await sign("1", { traceparent, "x-request-id": "signature-1" })
    const request = await receiver.until(
      ({ name }) => name === "submit/sign_raw_payload" || name === "sign_raw_payload",
    )
    t.match(request, { service: "countersign-api", traceId, parentSpanId: spanId })
    const facts = Object.fromEntries(
      request.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    )
    t.match(facts, { "http.response.status_code": "200", "countersign.request_id": "signature-1" })
    const inside = (parent: Shown) =>
      receiver.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
    const parts = inside(request).map(({ name }) => name)
    t.ok(parts.includes("order to the signer"), parts.join(", "))
    t.ok(parts.includes("store the activity"), parts.join(", "))
    const order = inside(request).find(({ name }) => name === "order to the signer")!
    t.same(
      inside(order).map(({ name }) => name),
      ["waits in the signer", "runs in the signer"],
    )
    for (const part of receiver.spans.filter((span) => span.traceId === traceId && span !== request)) {
      t.ok(
        BigInt(part.startTimeUnixNano) >= BigInt(request.startTimeUnixNano),
        `${part.name} begins in the request`,
      )
      t.ok(BigInt(part.endTimeUnixNano) <= BigInt(request.endTimeUnixNano), `${part.name} ends in it`)
    }
  })

  await t.test("a caller who does not, is not recorded", async (t) => {
    const other = "5bf92f3577b34da6a3ce929d0e0e4736"
    await sign("2", { traceparent: `00-${other}-${spanId}-00` })
    await sign("3", {})
    // The next recorded request is exported after them.
    await sign("4", { traceparent: `00-${traceId}-aaaaaaaaaaaaaaaa-01` })
    await receiver.until(({ parentSpanId }) => parentSpanId === "aaaaaaaaaaaaaaaa")
    t.same(
      receiver.spans.filter((span) => span.traceId !== traceId),
      [],
    )
  })

  await t.test("the auth proxy hands its trace on to the API", async (t) => {
    const { proxyUrl } = await startAuthProxyProcess(t, system, traces)
    const ofProxy = "6bf92f3577b34da6a3ce929d0e0e4736"
    const reply = await fetch(`${proxyUrl}/v1/wallet_kit_config`, {
      method: "POST",
      headers: {
        traceparent: `00-${ofProxy}-${spanId}-01`,
        "content-type": "application/json",
        "x-auth-proxy-config-id": acme.organizationId,
      },
      body: "{}",
    })
    await reply.text()
    const passed = await receiver.until(
      ({ service, ...span }) => service === "countersign-api" && span.traceId === ofProxy,
    )
    const outgoing = await receiver.until((span) => span.spanId === passed.parentSpanId)
    t.match(outgoing, { service: "countersign-auth-proxy", name: "request to the API", traceId: ofProxy })
  })

  t.notMatch(receiver.texts.join(), acme.organizationId, "no span names an organization")
  t.notMatch(receiver.texts.join(), address)
})

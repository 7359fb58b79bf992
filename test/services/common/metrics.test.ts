import t from "tap"
import { readAuthProxyConfig } from "../../../services/auth-proxy/config.ts"
import { readApiConfig } from "../../../services/api/config.ts"
import { METRICS } from "../../../services/common/metrics/declared.ts"
import { closedLabels } from "../../../services/common/metrics/label-values.ts"
import { Metrics } from "../../../services/common/metrics/metrics.ts"

t.test("a label value outside its list becomes other", async (t) => {
  t.same(closedLabels({ operation: "whoami", status: "200" }), { operation: "whoami", status: "200" })
  t.same(closedLabels({ operation: "01890000-0000-7000-8000-000000000000", reason: '"} 1' }), {
    operation: "other",
    reason: "other",
  })
})

t.test("names follow the conventions of Prometheus", async (t) => {
  for (const [name, { type, help }] of Object.entries(METRICS)) {
    t.match(name, /^countersign_[a-z_]+$/)
    t.equal(name.endsWith("_total"), type === "counter", name)
    if (type === "histogram") t.match(name, /_seconds$/)
    t.match(help, /^[A-Z].*\.$/, name)
  }
})

t.test("metrics are off unless they are set, and a port alone is on the loopback", async (t) => {
  t.equal(readApiConfig({}).metricsListen, undefined)
  t.equal(readAuthProxyConfig({}).metricsListen, undefined)
  t.same(readApiConfig({ COUNTERSIGN_API_METRICS_LISTEN: "9464" }).metricsListen, {
    host: "localhost",
    port: 9464,
  })
  t.same(readAuthProxyConfig({ COUNTERSIGN_AUTH_PROXY_METRICS_LISTEN: "0.0.0.0:9465" }).metricsListen, {
    host: "0.0.0.0",
    port: 9465,
  })
  t.throws(
    () => readApiConfig({ COUNTERSIGN_API_METRICS_LISTEN: "on" }),
    /COUNTERSIGN_API_METRICS_LISTEN: write it/,
  )
})

t.test("a metric that cannot be read fails the scrape and not the process", async (t) => {
  const metrics = new Metrics()
  metrics.provide(["countersign_http_requests_running"], () => Promise.reject(new Error("away")))
  await t.rejects(metrics.text(), /away/)
})

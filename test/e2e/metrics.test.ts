// Metrics of a running system, read as Prometheus reads them.
import parse, { type Family } from "parse-prometheus-text-format"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { METRICS } from "../../services/common/metrics/declared.ts"
import { LABEL_VALUES } from "../../services/common/metrics/label-values.ts"
import { signParams } from "../harness/api-client.ts"
import { freshDatabase } from "../harness/database.ts"
import { freePort } from "../harness/free-port.ts"
import { isLong } from "../harness/long.ts"
import { newKey } from "../harness/stamper.ts"
import { System } from "../harness/system.ts"
import { wallet } from "./wallets.ts"

const SIGNATURES = 3

type Scrape = { text: string; families: Map<string, Family>; samples: Map<string, Family["metrics"]> }

async function scrape(url: string): Promise<Scrape> {
  const reply = await fetch(url)
  const text = await reply.text()
  if (!reply.ok) throw new Error(`${reply.status} ${text}`)
  const families = new Map(parse(text).map((family) => [family.name, family]))
  // The parser leaves out the labels of a histogram, but not those of a family without type. Such a family may be in parts.
  const parts = Map.groupBy(parse(text.replace(/^# TYPE \S+ histogram$/gm, "")), ({ name }) => name)
  const samples = new Map([...parts].map(([name, each]) => [name, each.flatMap(({ metrics }) => metrics)]))
  return { text, families, samples }
}

/** The samples of a family whose labels hold these. */
function samplesOf({ samples }: Scrape, name: string, labels: Record<string, string> = {}) {
  const isMeant = (found: Record<string, string> = {}) =>
    Object.entries(labels).every(([label, value]) => found[label] === value)
  return (samples.get(name) ?? []).filter((sample) => isMeant(sample.labels))
}

const valueOf = (...given: Parameters<typeof samplesOf>) => Number(samplesOf(...given)[0]?.value)
const countOf = (found: Scrape, name: string, labels?: Record<string, string>) =>
  valueOf(found, `${name}_count`, labels)

t.test("the metrics of a running system", async (t) => {
  const { url: databaseUrl } = await freshDatabase(t)
  const port = await freePort()
  const system = await System.start(databaseUrl, { COUNTERSIGN_API_METRICS_LISTEN: String(port) })
  t.teardown(() => system.stop())
  const url = `http://127.0.0.1:${port}/metrics`
  const acme = await system.createOrganization()
  const address = await wallet(system, acme, "First")
  const stranger = newKey()
  const hostile = `${acme.organizationId}"} 1\nfoo{a="`
  for (let index = 0; index < SIGNATURES; index++) {
    const payload = { ...signParams(address), payload: String(index).padStart(64, "0") }
    await system.submit(
      "sign_raw_payload",
      system.body("SIGN_RAW_PAYLOAD_V2", acme.organizationId, payload),
      acme.root,
    )
  }
  await system.query("get_wallets", { organizationId: acme.organizationId }, acme.root)
  await system.query("list_wallets", { organizationId: acme.organizationId }, acme.root)
  const body = system.body("SIGN_RAW_PAYLOAD_V2", acme.organizationId, signParams(address))
  t.equal((await system.post("submit/sign_raw_payload", body, stranger)).status, 401)
  await system.post(`submit/${encodeURIComponent(hostile)}`, body, acme.root, { "x-request-id": "hostile" })
  const found = await scrape(url)

  t.test("count requests, refusals, orders and what the ledger wrote", async (t) => {
    const signed = { operation: "sign_raw_payload", status: "200" }
    t.equal(countOf(found, "countersign_http_request_seconds", signed), SIGNATURES)
    t.equal(countOf(found, "countersign_http_request_seconds", { ...signed, status: "401" }), 1)
    t.equal(valueOf(found, "countersign_http_refusals_total", { reason: "CREDENTIAL_UNKNOWN" }), 1)
    t.ok(valueOf(found, "countersign_http_refusals_total", { reason: "PATH_UNKNOWN" }) >= 1)
    const answered = valueOf(found, "countersign_signer_answers_total", { answer: "outcome" })
    t.ok(answered >= SIGNATURES + 2, "the organization, its wallet and the signatures")
    t.ok(countOf(found, "countersign_signer_round_trip_seconds", { answer: "outcome" }) >= answered)
    t.ok(countOf(found, "countersign_signer_order_seconds") >= answered)
    t.ok(countOf(found, "countersign_signer_ledger_sync_seconds") >= 2)
    t.ok(valueOf(found, "countersign_signer_ledger_bytes") > 10_000)
    t.equal(valueOf(found, "countersign_signer_phase", { phase: "READY" }), 1)
    t.equal(valueOf(found, "countersign_signer_phase", { phase: "HALTED" }), 0)
    t.equal(valueOf(found, "countersign_signer_cache_entries", { cache: "keys" }), 1)
    t.equal(valueOf(found, "countersign_cache_entries", { cache: "organizations" }), 1)
  })

  t.test("every declared metric is there, and every other one is the runtime's", async (t) => {
    const wanted = Object.entries(METRICS).flatMap(([name, { process }]) =>
      process === "fetcher" || process === "worker" ? [] : name,
    )
    const isThere = (name: string) => found.families.has(name)
    t.same(
      wanted.filter((name) => !isThere(name)),
      [],
    )
    // The worker has a listener of its own.
    t.equal(valueOf(found, "countersign_fetcher_up"), 0, "no fetcher runs")
    const others = [...found.families.keys()].filter((name) => !(name in METRICS))
    t.same(
      others.filter((name) => !/^(?:process|nodejs)_/.test(name)),
      [],
    )
    t.ok(isThere("process_resident_memory_bytes"))
  })

  t.test("M1: no label names an organization, a user, a key or an address", async (t) => {
    for (const [name, metrics] of found.samples) {
      const declared = METRICS[name.replace(/_(?:bucket|sum|count)$/, "") as keyof typeof METRICS]
      if (declared === undefined) continue
      for (const { labels: { le, ...labels } = {} } of metrics) {
        t.same(Object.keys(labels).toSorted(), [...declared.labels].toSorted(), name)
        t.equal(le !== undefined, name.endsWith("_bucket"))
        for (const [label, value] of Object.entries(labels))
          t.ok(LABEL_VALUES[label as keyof typeof LABEL_VALUES].has(value), `${label} ${value}`)
      }
    }
    const secrets = [
      acme.organizationId,
      acme.rootUserId,
      acme.root.publicKeyHex,
      address,
      stranger.publicKeyHex,
    ]
    for (const secret of secrets) t.notOk(found.text.toLowerCase().includes(secret.toLowerCase()))
    t.notMatch(found.text, /foo|First|Acme/)
  })

  t.test(
    "the public listener has no metrics, and the listener of the metrics has nothing else",
    async (t) => {
      t.equal((await system.send("/metrics", {})).status, 404)
      for (const path of ["/", "/readyz", "/public/v1/pins", "/metrics/"])
        t.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 404, path)
      t.equal((await fetch(url, { method: "POST" })).status, 405)
    },
  )

  t.test("a signer that is away is down, and the API's own metrics remain", async (t) => {
    await system.killSigner()
    for (;;) {
      const without = await scrape(url)
      if (valueOf(without, "countersign_signer_up") === 0) {
        t.same(samplesOf(without, "countersign_signer_ledger_bytes"), [])
        t.ok(samplesOf(without, "countersign_http_request_seconds_count").length > 0)
        break
      }
      await pause(50)
    }
    if (!isLong) return
    await system.startSigner()
    while (valueOf(await scrape(url), "countersign_signer_up") === 0) await pause(50)
  })
})

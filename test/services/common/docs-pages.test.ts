import { connect } from "node:net"
import { FORMED } from "../api/stamps.ts"
import t, { type Test } from "tap"
import { RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { reasons } from "../../../services/common/errors/reasons.ts"
import { SERVICE_REASONS } from "../../../services/common/errors/service-reasons.ts"
import { LABEL_VALUES } from "../../../services/common/metrics/label-values.ts"
import { html, prose } from "../../../services/common/pages/html.ts"
import { startApi } from "../api/start-api.ts"
import { startProxy } from "../auth-proxy/start-proxy.ts"

type Reply = { status: number; headers: Headers; text: string; json: { [member: string]: unknown } }
type Send = (path: string, init?: RequestInit) => Promise<Reply>

type Start = (t: Test, options?: { publicUrl: string }) => Promise<{ url: string; send: Send }>

const HOSTS: { [host: string]: Start } = {
  "the API": async (t, options) => startApi(t, options),
  "the auth proxy": async (t, options) => startProxy(t, options),
}

const OPERATIONS: { [host: string]: string } = {
  "the API": "/public/v1/query/whoami",
  "the auth proxy": "/v1/signup",
}

t.test("every refusal code and every reason of the services has an entry of its own", async (t) => {
  const codes = RefusalCodeSchema.values
    .filter(({ number }) => number !== 0)
    .map(({ localName }) => localName)
  t.strictSame(new Set(reasons.keys()), new Set([...codes, ...Object.keys(SERVICE_REASONS)]))
  t.equal(reasons.size, codes.length + Object.keys(SERVICE_REASONS).length, "no reason is in both lists")
  for (const reason of LABEL_VALUES.reason) {
    if (reason !== "other" && reason !== "UNSPECIFIED") t.ok(reasons.has(reason), reason)
  }
  for (const { reason, meaning, remedy, step } of reasons.values())
    t.ok(meaning.length > 10 && remedy.length > 5 && step !== "", reason)
})

for (const [host, start] of Object.entries(HOSTS)) {
  t.test(`${host} has a page for every reason, for people and for programs`, async (t) => {
    const { send } = await start(t)
    for (const [reason, { meaning, remedy, status, mender }] of reasons) {
      const page = await send(`/docs/errors/${reason}`, { headers: { accept: "text/html" } })
      t.equal(page.status, 200, reason)
      t.ok(page.text.includes(prose(meaning).html), `${reason}: what happened`)
      const { json } = await send(`/docs/errors/${reason}`, { headers: { accept: "application/json" } })
      t.match(json, { reason, whatHappened: meaning, whatToDo: remedy, mender, ...(status && { status }) })
    }
    const unknown = await send("/docs/errors/NO_SUCH_REASON", { headers: { accept: "text/html" } })
    t.equal(unknown.status, 404)
  })

  t.test(`${host} has a page for every operation, with the comments of proto`, async (t) => {
    const { send } = await start(t)
    const document = (await send("/openapi.json")).json as {
      paths: { [path: string]: { post: { description: string } } }
    }
    const operations = Object.entries(document.paths)
    t.ok(operations.length > 5)
    for (const [path, { post }] of operations) {
      const page = await send(`/docs/api/${path.split("/").at(-1)}`)
      t.equal(page.status, 200, path)
      t.ok(page.text.includes(prose(post.description).html), path)
    }
    t.equal((await send("/docs/api/no_such_operation")).status, 404)
  })

  t.test(`${host}: its address alone leads a browser to the documentation, and no program`, async (t) => {
    const { url, send } = await start(t)
    const browser = { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" as const }
    t.match(await fetch(url, browser), { status: 302 })
    t.equal((await fetch(url, browser)).headers.get("location"), "/docs")
    t.match(await send("/", { method: "GET" }), {
      status: 404,
      json: { message: /no operation at this path/ },
    })
    t.match(await send("/", { method: "POST", body: "{}" }), { status: 404 })
  })

  t.test(`${host}: every link of a page leads to a page and an anchor that exist`, async (t) => {
    const { send } = await start(t)
    const pages = new Map<string, string>()
    const waiting = ["/docs/api", "/docs/errors"]
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      // The documentation site, where it is built, has a test of its own.
      if (pages.has(path) || path === "/docs") continue
      const { text, status, headers } = await send(path, { headers: { accept: "text/html, */*;q=0.1" } })
      t.ok(status < 400 || path === "/readyz", `${path} is ${status}`)
      pages.set(path, text)
      if (!(headers.get("content-type") ?? "").startsWith("text/html")) continue
      t.match(headers.get("content-security-policy"), /^default-src 'none'; style-src 'sha256-/, path)
      t.notMatch(text, /<script|<img|<link|https?:\/\//, `${path} loads nothing`)
      waiting.push(...linksOf(text).map((link) => link.split("#")[0] || path || ""))
    }
    for (const [path, text] of pages) {
      for (const link of linksOf(text)) {
        const [target = "", anchor] = link.split("#")
        const page = pages.get(target === "" ? path : target) ?? ""
        if (anchor !== undefined && !page.includes(`id="${anchor}"`)) t.fail(`${path}: ${link}`)
      }
    }
    t.ok(pages.size > reasons.size)
  })

  t.test(`W13: ${host}'s pages repeat nothing of the request and let nothing load`, async (t) => {
    const { send } = await start(t)
    const mark = "<script>alert(1)"
    for (const path of [
      `/docs/errors/${encodeURIComponent(mark)}`,
      `/docs/errors/${mark}`,
      `/docs/api/${encodeURIComponent(mark)}`,
      `/docs/errors?q=${mark}`,
      `/docs/api?q=${mark}`,
    ]) {
      const { text, headers } = await send(path, {
        headers: { accept: "text/html", referer: mark, "user-agent": mark, "x-request-id": mark },
      })
      t.match(headers.get("content-type"), /^text\/html/, path)
      t.notMatch(text, /alert|%3Cscript/i, path)
      t.match(headers.get("content-security-policy"), /^default-src 'none'; style-src 'sha256-/, path)
      t.match(headers.get("content-security-policy"), /form-action 'none'; frame-ancestors 'none'$/, path)
      t.equal(headers.get("x-content-type-options"), "nosniff", path)
      t.equal(headers.get("set-cookie"), null, path)
    }
  })

  t.test(`W15: ${host} repeats a Host header that is a name, to its caller alone`, async (t) => {
    const { url } = await start(t)
    const operation = OPERATIONS[host] ?? ""
    const links = async (name: string) => {
      const error = await withHost(url, "/nothing", name)
      const collection = await withHost(url, "/docs/collection.json", name)
      for (const reply of [error, collection]) t.match(reply, /\r\ncache-control: no-store\r\n/i, name)
      const [, link = ""] = /"url":"([^"]*)"/.exec(error) ?? []
      const [, base = "none"] = /"variable":\[\{"key":"[A-Z_]+","value":"([^"]*)"/.exec(collection) ?? []
      t.equal(
        await withHost(url, operation, name).then((text) => /"url":"([^"]*)"/.exec(text)?.[1]),
        link.replace("PATH_UNKNOWN", "METHOD_WRONG"),
      )
      return [link.replace("/docs/errors/PATH_UNKNOWN", ""), base]
    }
    t.strictSame(await links("other.example:8443"), Array(2).fill("http://other.example:8443"))
    t.strictSame(await links("[::1]:80"), Array(2).fill("http://[::1]:80"))
    for (const name of [
      "a.example/path",
      "a@b.example",
      "a.example,b",
      "a b",
      `a"b`,
      "javascript:1//",
      "a.example:123456",
    ])
      t.strictSame(await links(name), ["", ""], name)
    const known = await start(t, { publicUrl: "https://known.example" })
    const text = await withHost(known.url, "/nothing", "other.example")
    t.match(text, /"url":"https:\/\/known\.example\/docs\/errors\/PATH_UNKNOWN"/)
    t.match(
      await withHost(known.url, "/docs/collection.json", "other.example"),
      /"value":"https:\/\/known\.example"/,
    )
  })

  t.test(`${host}: plain HTTP errors link to the page of their reason too`, async (t) => {
    const { send } = await start(t)
    const notServed = '{"type":"ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2"}'
    const faults: [string, string, number, RequestInit][] = [
      ["PATH_UNKNOWN", "/nothing", 404, { method: "POST" }],
      ["PATH_UNKNOWN", "/public/v1/submit/sign_raw_payload/", 404, { method: "POST" }],
      ["METHOD_WRONG", "/livez", 405, { method: "POST" }],
      ["METHOD_WRONG", OPERATIONS[host] ?? "", 405, { method: "GET" }],
      ["METHOD_WRONG", OPERATIONS[host] ?? "", 405, { method: "DELETE" }],
    ]
    if (host === "the API")
      faults.push([
        "NOT_IMPLEMENTED",
        "/public/v1/submit/create_sub_organization",
        501,
        { method: "POST", body: notServed, headers: FORMED },
      ])
    for (const [reason, path, status, init] of faults) {
      const reply = await send(path, init)
      t.equal(reply.status, status, path)
      t.notOk("turnkeyErrorCode" in reply.json, path)
      const { links, info } = detailsOf(reply)
      t.equal(new URL(links[0] ?? "").pathname, `/docs/errors/${reason}`, path)
      t.match(info, { reason, domain: "countersign", metadata: { requestId: /^[\da-f-]{36}$/ } }, path)
      t.equal((await send(new URL(links[0] ?? "").pathname)).status, 200, reason)
    }
  })
}

t.test("an error's details link to the page of its reason at the origin that was asked", async (t) => {
  const { send } = await startApi(t)
  const { json } = await send("/public/v1/query/whoami", { method: "POST", body: "{}" })
  const details = json["details"] as { reason?: string; links?: { url: string }[] }[]
  const reason = details.at(-1)?.reason ?? ""
  const url = new URL(details.find(({ links }) => links !== undefined)?.links?.[0]?.url ?? "")
  t.ok(reasons.has(reason))
  t.equal(url.pathname, `/docs/errors/${reason}`)
  t.match((await send(url.pathname, { headers: { accept: "application/json" } })).json, { reason })
  const known = await startApi(t, { publicUrl: "https://api.example" })
  const again = await known.send("/public/v1/query/whoami", { method: "POST", body: "{}" })
  t.ok(again.text.includes(`"url":"https://api.example/docs/errors/${reason}"`))
})

t.test("a page says that nothing was written only where that is true", async (t) => {
  const { send } = await startApi(t)
  const whyOf = async (reason: string) =>
    (await send(`/docs/errors/${reason}`, { headers: { accept: "application/json" } })).json["why"]
  t.match(await whyOf("STAMP_INVALID"), /Nothing was written/)
  t.match(await whyOf("PERMISSION_DENIED"), /kept as a failed activity/)
  for (const reason of ["PERMISSION_DENIED", "ANSWER_TOO_LARGE", "SIGNER_UNREACHABLE", "INTERNAL"])
    t.notMatch(await whyOf(reason), /Nothing was written/, reason)
})

t.test("text in a page is escaped", async (t) => {
  t.equal(html`<p title="${"\"'"}">${"<b>&"}</p>`.html, '<p title="&quot;&#39;">&lt;b&gt;&amp;</p>')
  t.equal(prose("use `<x>` or y").html, "use <code>&lt;x&gt;</code> or y")
})

/** The whole reply to a GET with this Host header. */
function withHost(url: string, path: string, host: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    )
    let text = ""
    socket.on("data", (bytes) => (text += bytes.toString()))
    socket.once("close", () => resolve(text))
    socket.once("error", reject)
  })
}

/** The links of google.rpc.Help, and the last detail. */
function detailsOf({ json }: Reply): { links: string[]; info: unknown } {
  const details = json["details"] as { links?: { url: string }[] }[]
  return { links: details.flatMap(({ links = [] }) => links.map(({ url }) => url)), info: details.at(-1) }
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link)
}

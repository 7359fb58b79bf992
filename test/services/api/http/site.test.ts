import { connect } from "node:net"
import { cpSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import Koa from "koa"
import t, { type Test } from "tap"
import { documentationSite } from "../../../../services/api/http/site.ts"
import { toApiError } from "../../../../services/api/errors.ts"
import { openGuides } from "../../../../services/api/guides/guides.ts"
import type { RequestState } from "../../../../services/common/context.ts"
import { answerErrors } from "../../../../services/common/middleware/answer-errors.ts"

const ROOT = join(import.meta.dirname, "..", "..", "..", "..")
const BROWSER = { headers: { accept: "text/html,*/*;q=0.8" } }

/** The guides of an installation, beside files that are none of them. */
async function serveGuides(t: Test): Promise<{ port: number; url: string; root: string }> {
  const root = t.testdir({ "secret.txt": "not of the site", ".env": "SECRET=1" })
  for (const path of ["docs", "README.md", "services/dashboard/public"])
    cpSync(join(ROOT, path), join(root, path), { recursive: true })
  writeFileSync(join(root, "docs", "internal.md"), "SECRET of no page")
  mkdirSync(join(root, "docs", "drafts"))
  const { root: first, page, llms } = documentationSite(openGuides(root))
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(answerErrors(toApiError, undefined))
  app.use((context) => {
    if (context.path === "/llms.txt") return llms(context)
    return /^\/docs\/?$/.test(context.path) ? first(context) : page(context)
  })
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { port, url: `http://127.0.0.1:${port}`, root }
}

t.test(
  "W14: the guides answer with their pages and files and no other, whatever path is asked",
  async (t) => {
    const { port, url } = await serveGuides(t)
    t.equal((await fetch(`${url}/docs`, { redirect: "manual" })).headers.get("location"), "/docs/")
    t.match(await (await fetch(`${url}/docs/`)).text(), /<h1 id="countersign">/)
    for (const path of [
      "/docs/../secret.txt",
      "/docs/..%2fsecret.txt",
      "/docs/%2e%2e/secret.txt",
      "/docs//etc/passwd",
      "/docs/.env",
      "/docs/internal",
      "/docs/internal.md",
      "/docs/README.md",
      "/docs/assets/",
      "/docs/quickstart.html%00",
      "/docs/__proto__",
    ]) {
      const reply = await raw(port, path)
      t.match(reply, /^HTTP\/1\.1 404 /, path)
      t.notMatch(reply, /not of the site|SECRET|root:/, path)
    }
  },
)

t.test("W14: a page runs the scripts of its files alone, and cannot be framed", async (t) => {
  const { url } = await serveGuides(t)
  const reply = await fetch(`${url}/docs/quickstart`)
  const policy = reply.headers.get("content-security-policy") ?? ""
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
    t.ok(policy.split("; ").includes(part), part)
  t.notMatch(policy, /unsafe|https?:/)
  t.equal(reply.headers.get("x-content-type-options"), "nosniff")
  t.equal(reply.headers.get("referrer-policy"), "no-referrer")
  t.equal(reply.headers.get("cache-control"), "no-cache")
  const page = await reply.text()
  const files = [...page.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path = ""]) => path)
  t.equal(files.length, 3, "a style and two scripts")
  for (const path of files) {
    const file = await fetch(url + path)
    t.equal(file.status, 200, path)
    t.match(file.headers.get("cache-control"), /immutable/)
  }
})

t.test("a page is rendered again after its file changed", async (t) => {
  const { url, root } = await serveGuides(t)
  t.match(await (await fetch(`${url}/docs/concepts`)).text(), /<h1 id="concepts">/)
  writeFileSync(join(root, "docs", "concepts.md"), "# Newer\n")
  utimesSync(join(root, "docs", "concepts.md"), 1, 1)
  t.match(await (await fetch(`${url}/docs/concepts`)).text(), /<h1 id="newer">/)
})

t.test("addresses with .html still lead to their pages; a program gets an error of the API", async (t) => {
  const { url } = await serveGuides(t)
  const leads = async (path: string) =>
    (await fetch(url + path, { redirect: "manual" })).headers.get("location")
  t.equal(await leads("/docs/formats/stamp.html"), "/docs/formats/stamp")
  t.equal(await leads("/docs/index.html"), "/docs/")
  const page = await fetch(`${url}/docs/no-such-page`, BROWSER)
  t.equal(page.status, 404)
  t.match(await page.text(), /There is no such page/)
  const program = await fetch(`${url}/docs/no-such-page`)
  t.equal(program.status, 404)
  t.match(await program.json(), { message: /no operation at this path/ })
})

t.test(
  "the index of the search is compressed for who takes it, and llms.txt has both addresses",
  async (t) => {
    const { port, url } = await serveGuides(t)
    const plain = await fetch(`${url}/docs/search.json`, { headers: { "accept-encoding": "identity" } })
    t.equal(plain.headers.get("content-encoding"), null)
    const sections = (await plain.json()) as { id: string }[]
    t.ok(sections.some(({ id }) => id === "/docs/quickstart#typescript"))
    t.notOk(
      sections.some(({ id }) => /^\/docs\/(?:adr|choices)\//.test(id)),
      "pages for reviewers are left out",
    )
    const reply = await rawBytes(port, "/docs/search.json", "Accept-Encoding: gzip\r\n")
    t.match(reply.toString("latin1"), /content-encoding: gzip/i)
    const body = reply.subarray(reply.indexOf("\r\n\r\n") + 4)
    t.strictSame(JSON.parse(gunzipSync(dechunked(body)).toString()), sections)
    for (const path of ["/llms.txt", "/docs/llms.txt"]) {
      const text = await fetch(url + path)
      t.match(text.headers.get("content-type"), /^text\/plain/)
      t.match(await text.text(), /^# Countersign/)
    }
  },
)

/** The body of a reply: as it is, or joined from its chunks. */
function dechunked(body: Buffer): Buffer {
  if (body[0] === 0x1f) return body
  const parts: Buffer[] = []
  let rest = body
  for (;;) {
    const end = rest.indexOf("\r\n")
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(rest.subarray(end + 2, end + 2 + size))
    rest = rest.subarray(end + 4 + size)
  }
}

const raw = async (port: number, path: string) => (await rawBytes(port, path)).toString()

/** A request whose path no client library changes. */
function rawBytes(port: number, path: string, headers = ""): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`),
    )
    const parts: Buffer[] = []
    socket.on("data", (bytes) => parts.push(bytes))
    socket.once("close", () => resolve(Buffer.concat(parts)))
    socket.once("error", reject)
  })
}

import { createHash } from "node:crypto"
import { connect } from "node:net"
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Koa from "koa"
import t, { type Test } from "tap"
import { documentationSite } from "../../../../services/api/http/site.ts"
import { toApiError } from "../../../../services/api/errors.ts"
import type { RequestState } from "../../../../services/common/context.ts"
import { answerErrors } from "../../../../services/common/middleware/answer-errors.ts"

const SCRIPT = "document.title = 'x'"

/** A build beside a file that is none of it, served like the site. */
async function serveBuild(t: Test, isBuilt = true): Promise<{ port: number; url: string; build: string }> {
  const folder = t.testdir({ "secret.txt": "not of the site", build: {} })
  const build = join(folder, "build")
  if (isBuilt) {
    mkdirSync(join(build, "assets"))
    writeFileSync(join(build, "index.html"), `<script>${SCRIPT}</script><h1>Home</h1>`)
    writeFileSync(join(build, "404.html"), "<h1>Not found</h1>")
    writeFileSync(join(build, "page.html"), "<h1>Page</h1>")
    writeFileSync(join(build, "assets", "a.1234.js"), "1")
    writeFileSync(join(build, ".env"), "SECRET=1")
  }
  const { root, page } = documentationSite(build)
  const app = new Koa<RequestState>()
  app.silent = true
  app.use(answerErrors(toApiError, undefined))
  app.use((context) => (/^\/docs\/?$/.test(context.path) ? root(context) : page(context)))
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { port, url: `http://127.0.0.1:${port}`, build }
}

t.test(
  "W14: the site answers with the files of its build and no other, whatever path is asked",
  async (t) => {
    const { port, url } = await serveBuild(t)
    t.equal((await fetch(`${url}/docs`, { redirect: "manual" })).headers.get("location"), "/docs/")
    t.match(await (await fetch(`${url}/docs/`)).text(), /Home/)
    t.match(await (await fetch(`${url}/docs/page`)).text(), /Page/)
    for (const path of [
      "/docs/../secret.txt",
      "/docs/..%2fsecret.txt",
      "/docs/%2e%2e/secret.txt",
      "/docs//etc/passwd",
      "/docs/.env",
      "/docs/assets/",
      "/docs/page.html%00",
    ]) {
      const reply = await raw(port, path)
      t.match(reply, /^HTTP\/1\.1 404 /, path)
      t.notMatch(reply, /not of the site|SECRET|root:/, path)
    }
  },
)

t.test("W14: a page may run the scripts of its build alone, and cannot be framed", async (t) => {
  const { url } = await serveBuild(t)
  const { headers } = await fetch(`${url}/docs/`)
  const policy = headers.get("content-security-policy") ?? ""
  const digest = createHash("sha256").update(SCRIPT).digest("base64")
  t.ok(policy.includes(`script-src 'self' 'sha256-${digest}'`), policy)
  for (const part of [
    "default-src 'none'",
    "connect-src 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
    t.ok(policy.split("; ").includes(part), part)
  t.notMatch(policy, /unsafe-eval|script-src[^;]*unsafe-inline|https?:/)
  t.equal(headers.get("x-content-type-options"), "nosniff")
  t.equal(headers.get("referrer-policy"), "no-referrer")
  const asset = await fetch(`${url}/docs/assets/a.1234.js`)
  t.match(asset.headers.get("cache-control"), /immutable/)
  t.equal((await fetch(`${url}/docs/page`)).headers.get("cache-control"), "no-cache")
})

t.test("without a build /docs says how to make one, and serves it as soon as it is there", async (t) => {
  const { url, build } = await serveBuild(t, false)
  const browser = { headers: { accept: "text/html,*/*;q=0.8" } }
  const front = await fetch(`${url}/docs`)
  t.equal(front.status, 200)
  const text = await front.text()
  for (const link of ["/docs/api", "/docs/errors", "/docs/collection.json"])
    t.ok(text.includes(`href="${link}"`), link)
  t.match(text, /npm run build:docs/)
  const page = await fetch(`${url}/docs/quickstart`, browser)
  t.equal(page.status, 404)
  t.match(await page.text(), /npm run build:docs/)
  t.match(await (await fetch(`${url}/docs/quickstart`)).json(), { message: /no operation at this path/ })

  writeBuild(build, "<h1>Home</h1>")
  t.match(await (await fetch(`${url}/docs/`)).text(), /Home/, "the first build")
  writeBuild(build, "<h1>Newer</h1>", 1)
  t.match(await (await fetch(`${url}/docs/`)).text(), /Newer/, "a build in its place")
})

function writeBuild(folder: string, home: string, secondsLater = 0): void {
  const file = join(folder, "index.html")
  writeFileSync(file, home)
  const time = Date.now() / 1000 + secondsLater
  utimesSync(file, time, time)
}

/** A request whose path no client library changes. */
function raw(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    )
    let text = ""
    socket.on("data", (bytes) => (text += bytes.toString()))
    socket.once("close", () => resolve(text))
    socket.once("error", reject)
  })
}

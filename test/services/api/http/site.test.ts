import { createHash } from "node:crypto"
import { connect } from "node:net"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import Koa from "koa"
import t, { type Test } from "tap"
import { documentationSite } from "../../../../services/api/http/site.ts"
import type { RequestState } from "../../../../services/common/context.ts"

const SCRIPT = "document.title = 'x'"

/** A build beside a file that is none of it, served like the site. */
async function serveBuild(t: Test, isBuilt = true): Promise<{ port: number; url: string }> {
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
  app.use((context) => (/^\/docs\/?$/.test(context.path) ? root(context) : page(context)))
  const server = app.listen(0, "127.0.0.1")
  await new Promise((resolve) => server.once("listening", resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { port, url: `http://127.0.0.1:${port}` }
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

t.test("W14: a page may run the scripts of its build alone, and is framed by nobody", async (t) => {
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

t.test("without a build /docs leads to the reference", async (t) => {
  const { url } = await serveBuild(t, false)
  t.equal((await fetch(`${url}/docs`, { redirect: "manual" })).headers.get("location"), "/docs/api")
})

/** A request whose path no client library changes. */
function raw(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`),
    )
    let text = ""
    socket.on("data", (bytes) => (text += bytes.toString()))
    socket.once("close", () => resolve(text))
    socket.once("error", reject)
  })
}

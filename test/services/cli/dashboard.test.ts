import { once } from "node:events"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { get, type IncomingMessage } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import t from "tap"
import { buildDashboard } from "../../../services/dev/build-dashboard.ts"
import { BUILD } from "../../../services/dev/built-dashboard.ts"
import { dashboardPages, headersFor, serveDashboard } from "../../../services/common/serve-dashboard.ts"
import { freePort } from "../../harness/free-port.ts"

const CONFIG = {
  apiUrl: "https://api.example:8443/",
  authProxyUrl: "http://localhost:8081",
  pins: { deploymentId: "d" },
}
/** Compressed scripts that one page may load, without the editor. */
const MOST_BYTES = 200 * 1024

t.test("the dashboard's build and host", async (t) => {
  const folder = await buildDashboard()
  const port = await freePort()
  const served = await serveDashboard({ host: "localhost", port }, await dashboardPages(folder, CONFIG))
  t.teardown(() => served.close())
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://localhost:${port}${path}`, init)

  await t.test("W10: the host answers with fixed files and a strict policy, whatever is asked", async (t) => {
    const page = await ask("/")
    t.equal(page.status, 200)
    const policy = page.headers.get("content-security-policy") ?? ""
    t.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-[A-Za-z0-9+/=]+';/)
    t.match(policy, /connect-src 'self' https:\/\/api\.example:8443 http:\/\/localhost:8081;/)
    t.match(policy, /frame-ancestors 'none'/)
    t.notMatch(/script-src ([^;]*)/.exec(policy)?.[1], /unsafe|https?:|\*/)
    t.equal(page.headers.get("referrer-policy"), "no-referrer")
    const text = await page.text()
    t.equal(text, readFileSync(join(folder, "index.html"), "utf8"))
    for (const path of ["/activity/01a2", "/enter", "/no/such/page", "/?x=1"])
      t.equal(await (await ask(path)).text(), text, path)
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/sources.sha256",
      "/assets/none.js",
      "/.env.local",
    ])
      t.equal((await ask(path)).status, 404, path)
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      t.equal((await ask("/", { method })).status, 405, method)
    const head = await ask("/", { method: "HEAD" })
    t.equal(await head.text(), "")
    const [, script = ""] = /src="(\/assets\/[^"]+\.js)"/.exec(text) ?? []
    t.match((await ask(script)).headers.get("cache-control"), /immutable/)
    t.notMatch(text, /https?:\/\//, "the document names no other host")
  })

  await t.test("the page gets the addresses and pins of the profile that serves it", async (t) => {
    t.strictSame(await (await ask("/config.json")).json(), CONFIG)
    t.match(
      headersFor({ apiUrl: "http://a.example:1/x" })["Content-Security-Policy"],
      /connect-src 'self' http:\/\/a\.example:1;/,
    )
  })

  await t.test("each file has the best coding that the browser takes", async (t) => {
    const path = "/assets/" + globSync("index-*.js", { cwd: join(folder, "assets") })[0]
    const body = readFileSync(join(folder, path))
    const plain = (bytes: Buffer) => bytes
    for (const [accepted, coding, decode] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["gzip;q=1.0, br;q=0", "gzip", gunzipSync],
      ["GZIP", "gzip", gunzipSync],
      ["deflate, xgzip, br;q=0.0", undefined, plain],
      ["", undefined, plain],
    ] as const) {
      const { headers, bytes } = await sent(port, path, accepted)
      t.equal(headers["content-encoding"], coding, accepted)
      t.equal(headers["content-length"], String(bytes.length))
      t.equal(headers["vary"], "Accept-Encoding")
      t.ok(decode(bytes).equals(body), `${accepted}: the file's bytes`)
    }
  })

  await t.test("a build of the same sources is kept, and its scripts are small", async (t) => {
    t.equal(await buildDashboard(), BUILD)
    const sizes = new Map<string, number>()
    for (const name of globSync("*.js", { cwd: join(folder, "assets") }))
      sizes.set(name, (await sent(port, `/assets/${name}`, "gzip, deflate, br, zstd")).bytes.length)
    const pages = pagesOf(folder, sizes)
    t.ok(pages.length > 10, "pages are loaded when they are opened")
    for (const { name, bytes } of pages) t.ok(bytes <= MOST_BYTES, `${name}: ${bytes} bytes of scripts`)
  })
})

/** A file as the host sends it, still compressed. */
async function sent(port: number, path: string, accepted: string) {
  const asked = get({ port, path, headers: { "Accept-Encoding": accepted } })
  const [response] = (await once(asked, "response")) as [IncomingMessage]
  return { headers: response.headers, bytes: await buffer(response) }
}

/** The pages, with the compressed size of all scripts that each may load: the document's own, and whatever they import. */
function pagesOf(folder: string, size: ReadonlyMap<string, number>): { name: string; bytes: number }[] {
  const text = (name: string) => readFileSync(join(folder, "assets", name), "utf8")
  const found = (name: string, pattern: RegExp) =>
    [...text(name).matchAll(pattern)].map(([, one = ""]) => one).filter((one) => size.has(one))
  const now = (name: string) => found(name, /(?:from|import)\s*["`]\.\/([^"`]+\.js)["`]/g)
  const later = (name: string) => found(name, /import\(\s*["`]\.\/([^"`]+\.js)["`]\s*\)/g)
  const reach = (from: readonly string[], next: (name: string) => string[]) => {
    const seen = new Set(from)
    for (const name of seen) for (const one of next(name)) if (!one.startsWith("editor")) seen.add(one)
    return seen
  }
  const [, entry = ""] =
    /src="\/assets\/([^"]+\.js)"/.exec(readFileSync(join(folder, "index.html"), "utf8")) ?? []
  const first = reach([entry], now)
  return later(entry).map((name) => {
    const all = reach([...first, name], (one) => [...now(one), ...(one === entry ? [] : later(one))])
    return { name, bytes: [...all].reduce((sum, one) => sum + (size.get(one) ?? 0), 0) }
  })
}

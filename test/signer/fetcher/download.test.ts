import { readFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import t from "tap"
import { type Download, downloadAs } from "../../../signer/fetcher/download.ts"
import { type Network, internet } from "../../../signer/fetcher/network.ts"
import { TestAuthority } from "../../harness/certificates.ts"
import { webServer } from "../../harness/web-server.ts"

const download = (order: Download, network: Network) => downloadAs((body) => body, order, network)

const LOOPBACK = { address: "127.0.0.1", family: 4 }
const ok = (_request: unknown, response: ServerResponse) => void response.end('{"good":true}')

const authority = await TestAuthority.create(t.testdir())
const certificate = await authority.issue("issuer")
const authorities = [readFileSync(certificate.caFile, "utf8")]

/** A world in which the test's loopback is the public internet. */
const open: Network = {
  resolve: () => Promise.resolve([LOOPBACK]),
  isPublic: () => true,
  authorities,
}

t.test("downloads documents over TLS only", async (t) => {
  const secure = await webServer(ok, certificate)
  const plain = await webServer(ok)
  t.teardown(() => Promise.all([secure.close(), plain.close()]))
  const url = new URL(`https://localhost:${secure.port}/document?a=b`)
  t.equal(Buffer.from(await download({ url, isLocal: false }, open)).toString(), '{"good":true}')
  t.strictSame(secure.asked, ["/document?a=b"])
  const inPlain = new URL(`http://localhost:${plain.port}/`)
  await t.rejects(download({ url: inPlain, isLocal: false }, open), { code: "ISSUER_NOT_ALLOWED" })
  t.strictSame(plain.asked, [])
  t.ok(await download({ url: inPlain, isLocal: true }, open), "except where the operator said so")
  for (const odd of ["file:///etc/passwd", "ftp://localhost/", "data:,x"]) {
    const refused = download({ url: new URL(odd), isLocal: true }, open)
    await t.rejects(refused, { code: "ISSUER_NOT_ALLOWED" }, odd)
  }
})

t.test("refuses a server that cannot prove its name", async (t) => {
  const server = await webServer(ok, certificate)
  t.teardown(() => server.close())
  const other = new URL(`https://other.example:${server.port}/`)
  await t.rejects(download({ url: other, isLocal: false }, open), { code: "FETCH_FAILED" })
  const strangers: Network = { resolve: open.resolve, isPublic: open.isPublic }
  const url = new URL(`https://localhost:${server.port}/`)
  await t.rejects(download({ url, isLocal: false }, strangers), { code: "FETCH_FAILED" })
  t.strictSame(server.asked, [])
})

t.test("B11: refuses every address that is not public, by name and by number", async (t) => {
  const server = await webServer(ok, certificate)
  t.teardown(() => server.close())
  const at = (address: string): Network => ({
    ...internet,
    authorities,
    resolve: () => Promise.resolve([{ address, family: address.includes(":") ? 6 : 4 }]),
  })
  const url = new URL(`https://localhost:${server.port}/`)
  for (const address of [
    "127.0.0.1",
    "10.0.0.1",
    "169.254.169.254",
    "192.168.0.1",
    "::1",
    "fe80::1",
    "fd00::1",
  ]) {
    await t.rejects(
      download({ url, isLocal: false }, at(address)),
      { code: "ISSUER_ADDRESS_NOT_PUBLIC" },
      address,
    )
  }
  const numbers = [
    "127.0.0.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0",
  ]
  for (const host of numbers) {
    const numeric = new URL(`https://${host}:${server.port}/`)
    await t.rejects(
      download({ url: numeric, isLocal: false }, internet),
      { code: "ISSUER_ADDRESS_NOT_PUBLIC" },
      host,
    )
  }
  const mixed: Network = {
    ...internet,
    resolve: async () => [{ address: "8.8.8.8", family: 4 }, LOOPBACK],
  }
  await t.rejects(
    download({ url, isLocal: false }, mixed),
    { code: "ISSUER_ADDRESS_NOT_PUBLIC" },
    "one among others",
  )
  t.strictSame(server.asked, [])
})

t.test("B11: a name is resolved once, so that a second answer changes nothing", async (t) => {
  const server = await webServer(ok, certificate)
  t.teardown(() => server.close())
  const answers = [LOOPBACK, { address: "10.0.0.1", family: 4 }]
  let lookups = 0
  const rebinding: Network = { ...open, resolve: async () => [answers[lookups++]!] }
  const url = new URL(`https://localhost:${server.port}/`)
  t.ok(await download({ url, isLocal: false }, rebinding))
  t.equal(lookups, 1)
})

t.test("B11: follows no redirect", async (t) => {
  const inside = await webServer(ok)
  const statuses = [301, 302, 303, 307, 308]
  for (const status of statuses) {
    const server = await webServer(
      (_request, response) =>
        void response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end(),
      certificate,
    )
    const url = new URL(`https://localhost:${server.port}/`)
    await t.rejects(download({ url, isLocal: true }, open), { code: "ISSUER_INVALID" }, String(status))
    await server.close()
  }
  t.strictSame(inside.asked, [])
  await inside.close()
})

t.test("refuses a reply that is too large, sent with or without its length", async (t) => {
  const large = Buffer.alloc(256 * 1024 + 1, "a")
  const server = await webServer((request, response) => {
    if (request.url === "/whole") response.end(large)
    else if (request.url === "/most") response.end(large.subarray(1))
    else {
      // Without end: it must be left in the middle.
      const pour = () => response.write(large.subarray(0, 1024), () => setImmediate(pour))
      pour()
    }
  })
  t.teardown(() => server.close())
  const from = (path: string) =>
    download({ url: new URL(`http://localhost:${server.port}${path}`), isLocal: true }, open)
  t.equal((await from("/most")).length, 256 * 1024)
  await t.rejects(from("/whole"), { code: "ISSUER_INVALID", message: /more than 262144 bytes/ })
  await t.rejects(from("/endless"), { code: "ISSUER_INVALID", message: /more than 262144 bytes/ })
})

t.test(
  "gives up on a host that is too slow: with the name, the connection, the head or the body",
  async (t) => {
    const server = await webServer((request, response) => {
      if (request.url === "/body") response.writeHead(200).write("{")
    })
    t.teardown(() => server.close())
    const late = { code: "FETCH_FAILED", message: /did not answer in time/ }
    const get = (path: string, network: Network) =>
      download(
        { url: new URL(`http://localhost:${server.port}${path}`), isLocal: true, deadlineMs: 50 },
        network,
      )
    await t.rejects(get("/head", open), late)
    await t.rejects(get("/body", open), late)
    await t.rejects(get("/", { ...open, resolve: () => new Promise(() => undefined) }), late)
  },
)

t.test("distinguishes faults that may be retried", async (t) => {
  const server = await webServer((request, response) => {
    const status = Number(request.url?.slice(1))
    if (status === 0) response.destroy()
    else if (status === 1)
      response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy())
    else response.writeHead(status).end("{}")
  })
  const codes: [path: number, code: string][] = [
    [0, "FETCH_FAILED"],
    [1, "FETCH_FAILED"],
    [500, "FETCH_FAILED"],
    [503, "FETCH_FAILED"],
    [429, "FETCH_FAILED"],
    [404, "ISSUER_INVALID"],
    [204, "ISSUER_INVALID"],
  ]
  const url = (path: number) => new URL(`http://localhost:${server.port}/${path}`)
  for (const [path, code] of codes) {
    await t.rejects(download({ url: url(path), isLocal: true }, open), { code }, String(path))
  }
  await server.close()
  await t.rejects(download({ url: url(200), isLocal: true }, open), { code: "FETCH_FAILED" }, "nobody there")
  const nameless: Network = { ...open, resolve: () => Promise.reject(new Error("ENOTFOUND")) }
  await t.rejects(download({ url: url(200), isLocal: true }, nameless), { code: "FETCH_FAILED" })
  const nowhere: Network = { ...open, resolve: () => Promise.resolve([]) }
  await t.rejects(download({ url: url(200), isLocal: true }, nowhere), { code: "FETCH_FAILED" })
})

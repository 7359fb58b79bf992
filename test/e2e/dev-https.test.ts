// `countersign dev --https`: API, auth proxy and dashboard over HTTPS, with a certificate of an authority in the data directory.
import { execFile } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { X509Certificate } from "node:crypto"
import { chromium } from "playwright-core"
import t from "tap"
import { findChromium, NO_CHROMIUM, sharedBrowser } from "../harness/chromium.ts"
import { commandLine } from "../services/cli/command-line.ts"
import {
  dataDirectory,
  devEnvironment,
  readEnvFile,
  runProgram,
  startDev,
} from "../services/cli/dev-process.ts"
import { packageRoot } from "../../services/terminal-client/settings.ts"

/** A program of a user: the published client, and nothing of this repository. */
const PROGRAM = `
import { Turnkey } from "@turnkey/sdk-server"
const { BASE_URL, ORGANIZATION_ID, API_PUBLIC_KEY, API_PRIVATE_KEY } = process.env
const client = new Turnkey({
  apiBaseUrl: BASE_URL,
  apiPublicKey: API_PUBLIC_KEY,
  apiPrivateKey: API_PRIVATE_KEY,
  defaultOrganizationId: ORGANIZATION_ID,
}).apiClient()
console.log((await client.getWhoami()).username)
`

t.test("C-1664: dev --https serves API, auth proxy and dashboard over HTTPS", async (t) => {
  const directory = dataDirectory(t)
  const dev = startDev(t, directory, ["--https"])
  const lines = await dev.ready()
  const values = readEnvFile(directory)
  const urls = ["BASE_URL", "AUTH_PROXY_URL", "DASHBOARD_URL"].map((name) => values[name] ?? "")
  const authorityFile = join(directory, "https", "signer", "tls", "ca.crt")

  await t.test("the summary of the start shows HTTPS, and how to trust the authority", async (t) => {
    const [api = "", proxy = "", dashboard = ""] = urls
    for (const url of urls) t.match(url, /^https:\/\/localhost:\d+$/)
    for (const start of [`API        ${api}`, `Auth proxy ${proxy} `, `Dashboard  ${dashboard}/enter#`])
      t.ok(
        lines.some((line) => line.startsWith(start)),
        start,
      )
    t.match(lines[0], /^DEVELOPMENT .*HTTPS with its own authority.*Not for real funds/)
    t.ok(lines.some((line) => line.startsWith(`Trust      ${authorityFile} `)))
    t.ok(lines.some((line) => line.endsWith(`NODE_EXTRA_CA_CERTS=${authorityFile}`)))
    t.equal(statSync(join(directory, "https", "signer", "tls", "signer.key")).mode & 0o777, 0o600)
    const keys = readdirSync(join(directory, "https"), { recursive: true }).filter((name) =>
      String(name).includes("ca.key"),
    )
    t.same(keys, [], "nobody can issue for another site by the authority")
  })

  await t.test(
    "each answers with a certificate for localhost, at both loopbacks, and in plain HTTP too",
    async (t) => {
      const authority = readFileSync(authorityFile, "utf8")
      for (const url of urls) {
        const path = url === values["DASHBOARD_URL"] ? "/config.json" : "/livez"
        for (const host of ["127.0.0.1", "::1"]) {
          const { port } = new URL(url)
          const sent = request({ host, port, path, servername: "localhost", ca: authority, agent: false })
          sent.end()
          const [reply] = await once(sent, "response")
          t.equal(reply.statusCode, 200, `${url} at ${host}`)
          reply.resume()
        }
        t.equal((await fetch(`${url.replace("https:", "http:")}${path}`)).status, 200)
        await t.rejects(fetch(`${url}${path}`), "nobody trusts the authority unasked")
      }
      const certificate = new X509Certificate(
        readFileSync(join(directory, "https", "signer", "tls", "signer.crt")),
      )
      t.equal(certificate.subjectAltName, "DNS:localhost")
      t.ok(certificate.verify(new X509Certificate(authority).publicKey))
    },
  )

  await t.test("a published client signs in through NODE_EXTRA_CA_CERTS, and not without", async (t) => {
    const program = join(packageRoot, "test", `https-${process.pid}.mjs`)
    writeFileSync(program, PROGRAM)
    t.teardown(() => rmSync(program))
    const run = (more: NodeJS.ProcessEnv) =>
      promisify(execFile)(process.execPath, [program], {
        env: { ...devEnvironment(directory), ...values, ...more },
      })
    t.equal((await run({ NODE_EXTRA_CA_CERTS: authorityFile })).stdout, "root\n")
    await t.rejects(run({}), { message: /UNABLE_TO_VERIFY_LEAF_SIGNATURE/ })
  })

  await t.test("commands and examples trust the authority of their data directory", async (t) => {
    const call = (...words: string[]) => commandLine({ ...devEnvironment(directory) }, ...words)
    t.match(await call("whoami"), { status: 0, out: /"username": "root"/ })
    t.match(await call("dev", "link"), { status: 0, out: new RegExp(`^${values["DASHBOARD_URL"]}/enter#`) })
    const { status, out, log } = await runProgram(directory, "examples/sign.ts")
    t.equal(status, 0, log)
    t.match(out, /the proof of it is genuine +yes/)
  })

  await t.test(
    "the dashboard logs in by its link",
    { skip: findChromium() ? false : NO_CHROMIUM },
    async (t) => {
      const link = lines.find((line) => line.startsWith("Dashboard"))?.split(/ +/)[1] ?? ""
      const browser = await chromium.connectOverCDP(await sharedBrowser(findChromium() ?? ""))
      t.teardown(() => browser.close())
      // The browser of the tests does not get another authority.
      const context = await browser.newContext({ ignoreHTTPSErrors: true })
      const page = await context.newPage()
      await page.goto(link)
      await page.getByRole("heading", { name: "Dev" }).waitFor()
      t.ok(await page.evaluate(() => isSecureContext))
      await context.close()
    },
  )

  await t.test("a connection that says nothing does not keep the system from stopping", async (t) => {
    const { port } = new URL(urls[0] ?? "")
    const silent = connect(Number(port), "127.0.0.1").on("error", () => undefined)
    await once(silent, "connect")
    dev.process.kill("SIGTERM")
    t.equal((await dev.ended).status, 0)
  })
})

import { X509Certificate } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { localCertificate } from "../../../../services/dev/https/certificate.ts"
import { openTlsProxies } from "../../../../services/dev/https/tls-proxies.ts"
import { layout as layoutOf } from "../../../../services/dev/layout.ts"

const { signal } = new AbortController()
const DAY_MS = 24 * 60 * 60 * 1000

t.test(
  "C-1942: the key of the authority is destroyed at once, and a renewal begins with another one",
  async (t) => {
    const layout = layoutOf(t.testdir())
    const key = join(layout.https, "authority", "ca.key")
    const make = async () => {
      const { certificate, authorityFile } = await localCertificate(layout, process.env, signal)
      const authority = readFileSync(authorityFile, "utf8")
      t.ok(new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey))
      t.notOk(existsSync(key))
      return authority
    }
    const first = await make()
    mkdirSync(join(layout.https, "authority"))
    writeFileSync(key, "of a start that ended before")
    t.equal(await make(), first)
    const { now } = Date
    t.teardown(() => (Date.now = now))
    Date.now = () => now() + 340 * DAY_MS
    t.not(await make(), first)
  },
)

t.test("HTTPS at another name of the loopback, for which there is no certificate, is refused", async (t) => {
  const layout = layoutOf(t.testdir())
  const localhost = { host: "localhost", port: 0 }
  const addresses = { api: localhost, authProxy: { host: "127.0.0.1", port: 8091 }, dashboard: localhost }
  await t.rejects(openTlsProxies(addresses, { layout, environment: process.env, signal }), {
    message: /^COUNTERSIGN_AUTH_PROXY_LISTEN: .* 127\.0\.0\.1; use localhost:8091$/,
  })
  t.notOk(existsSync(layout.https))
})

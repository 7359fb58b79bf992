import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t from "tap"
import type { TlsFiles } from "../../../../signer/core/crypto/certificate.ts"
import { RenewedCertificate } from "../../../../signer/core/crypto/renewed-certificate.ts"
import type { CertificateFiles } from "../../../harness/certificates.ts"
import { hasOpenssl, OpensslAuthority } from "../../../harness/openssl-authority.ts"

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** An hour ahead: the authority's certificate, which OpenSSL dates by the machine's clock, must have begun before. */
const START_MS = Math.floor(Date.now() / 1000) * 1000 + HOUR_MS
const skip = hasOpenssl() ? false : "no OpenSSL 3"

const contentOf = ({ certificateFile, keyFile, caFile }: CertificateFiles): TlsFiles => ({
  certificate: readFileSync(certificateFile),
  key: readFileSync(keyFile),
  ca: readFileSync(caFile),
})

/** A process whose clock and files the test sets. */
class Host {
  files: TlsFiles
  timeMs = START_MS
  readonly lines: string[] = []
  constructor(files: TlsFiles) {
    this.files = files
  }
  nowMs = () => this.timeMs
  read = () => this.files
  log = (level: string, message: string, fields: object) =>
    void this.lines.push([level, message, ...Object.values(fields)].join(" | "))
}

t.test("certificates of a process", { skip }, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "cs-renewed-"))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const authority = new OpensslAuthority(join(directory, "authority"))
  const first = contentOf(authority.issue("first", { toMs: START_MS + 60 * DAY_MS }))
  const open = (host: Host) => {
    const before = host.lines.length
    const opened = RenewedCertificate.open(host)
    if (!(opened instanceof RenewedCertificate)) throw new Error(opened.sentence)
    const told = host.files.revocations === undefined ? /^info \| no list of/ : /^info \| the list of revoked/
    t.match(host.lines.splice(before, 1), [told])
    return opened
  }

  t.test("expiry is announced from 30 days before, at the start and daily", async (t) => {
    const host = new Host(first)
    const certificate = open(host)
    const expires = new Date(START_MS + 60 * DAY_MS).toISOString()
    host.timeMs += 30 * DAY_MS - 1
    certificate.refresh()
    t.same(host.lines, [])
    const warning = `warn | the certificate expires soon: renew it | first | ${expires}`
    host.timeMs += 1
    for (const hour of [0, 1, 23]) {
      host.timeMs += hour * HOUR_MS
      certificate.refresh()
    }
    t.same(host.lines, [warning, warning], "at once and a day later")
    open(host)
    t.same(host.lines, [warning, warning, warning], "at each start")
    host.timeMs = START_MS + 60 * DAY_MS
    certificate.refresh()
    t.equal(host.lines.at(-1), `warn | the certificate has expired | first | ${expires}`)
  })

  t.test("renewed files are used; those that cannot be used leave the former ones", async (t) => {
    const host = new Host(first)
    const certificate = open(host)
    const second = contentOf(authority.issue("second"))
    host.files = { ...first, certificate: second.certificate }
    for (let time = 0; time < 3; time++) t.equal(certificate.refresh(), "unchanged")
    t.equal(certificate.files, first)
    t.match(host.lines, [
      /^warn \| .*the former one stays \| the key does not belong to the certificate of second$/,
    ])
    host.files = second
    t.equal(certificate.refresh(), "renewed")
    t.equal(certificate.files, second)
    t.match(host.lines, { length: 2, 1: /^info \| the certificate was renewed \| second/ })
    host.read = () => {
      throw Object.assign(new Error("gone"), { code: "ENOENT" })
    }
    t.equal(certificate.refresh(), "unchanged")
    t.equal(certificate.files, second)
    t.match(host.lines.at(-1), /a file cannot be read \(ENOENT\)/)
  })

  t.test("an authority that is being replaced may stand beside an expired one", async (t) => {
    const old = contentOf(authority.issue("old", { fromMs: START_MS - 9 * DAY_MS, toMs: START_MS - DAY_MS }))
    const ca = Buffer.concat([old.certificate, first.ca])
    t.ok(RenewedCertificate.open(new Host({ ...first, ca })) instanceof RenewedCertificate)
    t.match(RenewedCertificate.open(new Host({ ...first, ca: old.certificate })), {
      file: "ca",
      sentence: /certificate of old expired/,
    })
  })
})

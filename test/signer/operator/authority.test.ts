// Certificates of the operator's authority, judged by OpenSSL, by another library and by TLS handshakes.
// @peculiar/x509 needs the metadata API before it loads.
// oxlint-disable-next-line import/no-unassigned-import
import "reflect-metadata"
import { execFileSync, spawnSync } from "node:child_process"
import { createPrivateKey, X509Certificate } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect, createServer, type TLSSocket } from "node:tls"
import * as x509 from "@peculiar/x509"
import t, { type Test } from "tap"
import { JoinFault } from "../../../signer/core/join/fault.ts"
import { readRequest, writeRequest } from "../../../signer/core/join/request.ts"
import { CertificateAuthority } from "../../../signer/operator/authority/authority.ts"
import {
  bitString,
  der,
  explicit,
  objectIdentifier,
  octetString,
  sequence,
  time,
  unsignedInteger,
} from "../../../signer/operator/authority/der.ts"
import { newTlsKey } from "../../../signer/process/tls-key.ts"
import { hasOpenssl } from "../../harness/openssl-authority.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const skip = hasOpenssl() ? false : "no OpenSSL 3"

/** A request of a new key, and its certificate. */
function issue(authority: CertificateAuthority, name: string, address = "", nowMs = Date.now()) {
  const privateKey = newTlsKey()
  const request = readRequest(writeRequest({ name, address, expiresAtMs: nowMs + DAY_MS }, privateKey))
  const certificate = authority.issue(request, nowMs)
  return {
    request,
    certificate,
    privateKey,
    key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
  }
}

function deployment(t: Test, nowMs = Date.now()) {
  const home = mkdtempSync(join(tmpdir(), "cs-authority-"))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const directory = join(home, "authority")
  return { directory, authority: CertificateAuthority.open(directory, nowMs) }
}

function faultOf(run: () => unknown): JoinFault {
  try {
    run()
  } catch (error) {
    if (error instanceof JoinFault) return error
    throw error
  }
  throw new Error("nothing was refused")
}

t.test("OpenSSL accepts each certificate for what it is for, and for nothing else", { skip }, async (t) => {
  const { directory, authority } = deployment(t)
  const names = { signer: "signer.internal:7443", fetcher: "localhost:7444", api: "" }
  for (const [name, address] of Object.entries(names))
    writeFileSync(join(directory, `${name}.crt`), issue(authority, name, address).certificate.toString())
  const verify = (...words: string[]) =>
    spawnSync("openssl", ["verify", "-x509_strict", "-CAfile", "ca.crt", ...words], { cwd: directory }).status
  const cases: [words: string, isAccepted: boolean][] = [
    ["-purpose sslserver -verify_hostname signer.internal signer.crt", true],
    ["-purpose sslserver -verify_hostname localhost fetcher.crt", true],
    ["-purpose sslclient api.crt", true],
    ["ca.crt", true],
    ["-purpose sslserver api.crt", false],
    ["-purpose sslclient signer.crt", false],
    ["-purpose sslserver -verify_hostname fetcher.internal signer.crt", false],
    ["-purpose sslserver -verify_hostname signer signer.crt", false],
    // A certificate of a process signs no other.
    ["-untrusted signer.crt -purpose sslserver below.crt", false],
  ]
  const { privateKey } = issue(authority, "signer", "signer.internal:7443")
  const below = await belowProcess(privateKey.export({ format: "der", type: "pkcs8" }))
  writeFileSync(join(directory, "below.crt"), below)
  for (const [words, isAccepted] of cases) t.equal(verify(...words.split(" ")) === 0, isAccepted, words)
})

/** A server's certificate that the signer's key signs, as a thief of that key would make it. */
async function belowProcess(pkcs8: Buffer): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
  const signingKey = await crypto.subtle.importKey("pkcs8", Uint8Array.from(pkcs8), algorithm, false, [
    "sign",
  ])
  const { publicKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])
  const names = { subject: "CN=signer", issuer: "CN=signer" }
  const times = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) }
  const terms = { ...names, ...times, serialNumber: "01", signingAlgorithm: algorithm, publicKey, signingKey }
  return (await x509.X509CertificateGenerator.create(terms)).toString("pem")
}

t.test("another library reads the same in each certificate", async (t) => {
  const { directory, authority } = deployment(t)
  const nowMs = Date.now()
  const ca = new x509.X509Certificate(authority.certificate.raw)
  const server = new x509.X509Certificate(
    issue(authority, "fetcher", "fetcher.internal:7444").certificate.raw,
  )
  const caller = new x509.X509Certificate(issue(authority, "api-2").certificate.raw)
  const { digitalSignature, keyCertSign, cRLSign } = x509.KeyUsageFlags
  t.match(ca.subject, /^CN=countersign [0-9a-f]{16}$/)
  t.match(ca.getExtension(x509.BasicConstraintsExtension), { ca: true, pathLength: 0, critical: true })
  t.match(ca.getExtension(x509.KeyUsagesExtension), { usages: keyCertSign | cRLSign, critical: true })
  t.ok(await ca.isSelfSigned())
  for (const [one, name, usage] of [
    [server, "fetcher", x509.ExtendedKeyUsage.serverAuth],
    [caller, "api-2", x509.ExtendedKeyUsage.clientAuth],
  ] as const) {
    t.equal(one.subject, `CN=${name}`)
    t.equal(one.issuer, ca.subject)
    t.match(one.getExtension(x509.BasicConstraintsExtension), { ca: false, critical: true })
    t.match(one.getExtension(x509.KeyUsagesExtension), { usages: digitalSignature, critical: true })
    t.strictSame([...(one.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? [])], [usage])
    const own = one.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId
    t.match(own, /^[0-9a-f]{40}$/)
    t.equal(own, ca.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId)
    t.ok(await one.verify({ publicKey: ca, date: new Date(nowMs) }))
    const days = (one.notAfter.getTime() - nowMs) / DAY_MS
    t.ok(days > 364.9 && days <= 365.1, `${days} days`)
  }
  const names = server.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON()
  t.strictSame(names, [{ type: "dns", value: "fetcher.internal" }])
  t.equal(caller.getExtension(x509.SubjectAlternativeNameExtension), null)
  t.not(server.serialNumber, caller.serialNumber)
  t.strictSame(authority.servers, [{ name: "fetcher", address: "fetcher.internal:7444" }])
  for (const name of ["ca.key", "ca.crt", "fetcher.address"])
    t.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
  t.equal(statSync(directory).mode & 0o777, 0o700)
})

t.test("a server answers the authority's callers, and no server and no stranger", async (t) => {
  const { authority } = deployment(t)
  const { authority: stranger } = deployment(t)
  const { certificate, key } = issue(authority, "signer", "localhost:7443")
  const ca = authority.certificate.toString()
  const options = { cert: certificate.toString(), key, ca, requestCert: true, rejectUnauthorized: true }
  const server = createServer(options, (socket) => socket.end("hello"))
  server.on("tlsClientError", () => undefined)
  await new Promise<void>((done) => void server.listen(0, "localhost", done))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const say = (by: ReturnType<typeof issue>) =>
    new Promise<string>((resolve) => {
      const cert = by.certificate.toString()
      const socket: TLSSocket = connect({ host: "localhost", port, ca, cert, key: by.key })
      socket.on("error", () => resolve("refused"))
      socket.on("data", (data) => resolve(data.toString()))
      socket.on("close", () => resolve("refused"))
    })
  t.equal(await say(issue(authority, "api")), "hello")
  t.equal(await say(issue(authority, "fetcher", "localhost:1")), "refused")
  t.equal(await say(issue(stranger, "api")), "refused")
})

t.test("W1: a request gets one certificate, and none after its day", async (t) => {
  const { directory, authority } = deployment(t)
  const { request } = issue(authority, "api")
  const again = faultOf(() => authority.issue(request, Date.now()))
  t.match(again, { kind: "refused", message: /^the request was used already, .*make a new request$/ })
  const other = CertificateAuthority.open(directory, Date.now())
  t.match(
    faultOf(() => other.requireOpen(request, Date.now())),
    { kind: "refused" },
    "also later",
  )
  t.equal(readdirSync(join(directory, "issued")).length, 1)
  const late = readRequest(
    writeRequest({ name: "api", address: "", expiresAtMs: Date.now() - 1 }, newTlsKey()),
  )
  t.match(
    faultOf(() => authority.issue(late, Date.now())),
    { kind: "refused", message: /expired at/ },
  )
  t.equal(readdirSync(join(directory, "issued")).length, 1, "nothing was issued")
})

t.test("the authority stays the same, and says what is missing of it", async (t) => {
  const { directory, authority } = deployment(t)
  const file = (name: string) => join(directory, name)
  const open = () => CertificateAuthority.open(directory, Date.now())
  t.equal(open().certificate.fingerprint256, authority.certificate.fingerprint256)
  rmSync(file("ca.crt"))
  t.ok(
    open().certificate.checkPrivateKey(createPrivateKey(readFileSync(file("ca.key")))),
    "made again of its key",
  )
  t.equal(open().certificate.subject, authority.certificate.subject)
  renameSync(file("ca.key"), file("away"))
  t.match(faultOf(open), { kind: "refused", message: /ca\.key is missing: restore it/ })
  writeFileSync(file("ca.key"), newTlsKey().export({ format: "pem", type: "pkcs8" }), { mode: 0o600 })
  t.match(faultOf(open), { kind: "refused", message: /is not the key of .*ca\.crt: restore both/ })
})

t.test("a certificate ends with its authority, which says when it has expired", async (t) => {
  const begunMs = Date.now() - 3649 * DAY_MS
  const { authority } = deployment(t, begunMs)
  const { certificate } = issue(authority, "api")
  t.equal(certificate.validTo, authority.certificate.validTo)
  const later = Date.now() + 2 * DAY_MS
  t.match(
    faultOf(() => issue(authority, "api", "", later)),
    { kind: "refused", message: /the authority in .* expired at/ },
  )
})

t.test("times from 2050 on are written in their own form", async (t) => {
  const nowMs = Date.UTC(2049, 11, 31)
  const { authority } = deployment(t, nowMs)
  const { certificate } = issue(authority, "api", "", nowMs)
  t.equal(new X509Certificate(certificate.raw).validTo, "Dec 31 00:00:00 2050 GMT")
  t.equal(new Date(authority.certificate.validTo).getUTCFullYear(), 2059)
})

t.test("DER has the shortest forms, as OpenSSL reads them", { skip }, async (t) => {
  const parse = (bytes: Buffer) =>
    execFileSync("openssl", ["asn1parse", "-inform", "DER"], { input: bytes }).toString()
  for (const size of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const bytes = octetString(new Uint8Array(size))
    const header = size < 128 ? 2 : size < 256 ? 3 : size < 65_536 ? 4 : 5
    t.equal(bytes.length, header + size)
    t.match(parse(sequence(bytes)), new RegExp(`hl=${header} l= *${size} prim: OCTET STRING`))
  }
  for (const [bytes, hex] of [
    [[0], "020100"],
    [[0, 0, 5], "020105"],
    [[0x7f], "02017f"],
    [[0x80], "02020080"],
    [[0, 0xff, 0], "020300ff00"],
  ] as const)
    t.equal(unsignedInteger(Uint8Array.from(bytes)).toString("hex"), hex)
  for (const dotted of [
    "1.2.840.10045.4.3.2",
    "2.5.29.37",
    "1.3.6.1.4.1.311.21.20",
    "2.16.840.1.101.3.4.2.1",
  ])
    t.match(parse(sequence(objectIdentifier(dotted))), new RegExp(`:(?:${dotted}|[A-Za-z].*)\\n`))
  t.equal(objectIdentifier("1.3.6.1.4.1.311.21.20").toString("hex"), "06092b0601040182371514")
  t.equal(
    time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))
      .toString("latin1")
      .slice(2),
    "491231235959Z",
  )
  t.equal(
    time(Date.UTC(2050, 0, 1))
      .toString("latin1")
      .slice(2),
    "20500101000000Z",
  )
  t.equal(bitString(Uint8Array.of(0x06), 1).toString("hex"), "03020106")
  t.equal(explicit(3, der(0x05)).toString("hex"), "a3020500")
})

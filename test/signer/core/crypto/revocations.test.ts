// Lists of revoked certificates as other programs make them, and bytes that are none.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSync, X509Certificate } from "node:crypto"
import t from "tap"
import { tlsFaultOf, withdrawalIn } from "../../../../signer/core/crypto/certificate.ts"
import {
  derOfList,
  readRevocationList,
  readRevocationLists,
  revocationFileOf,
} from "../../../../signer/core/crypto/revocations.ts"
import { writeRevocationList } from "../../../../signer/operator/authority/revocation-list.ts"
import { hasOpenssl, OpensslAuthority } from "../../../harness/openssl-authority.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const skip = hasOpenssl() ? false : "no OpenSSL 3"

t.test("a list lies beside its authority", async (t) => {
  const places = {
    "/a/ca.crt": "/a/ca.crl",
    "/a.b/ca": "/a.b/ca.crl",
    "x-2.ca": "x-2.crl",
    "/a/authority.internal.pem": "/a/authority.internal.crl",
  }
  for (const [ca, list] of Object.entries(places)) t.equal(revocationFileOf(ca), list)
})

t.test("lists that OpenSSL made", { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "cs-lists-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [directory, elsewhere] = [join(folder, "ours"), join(folder, "theirs")]
  const authority = new OpensslAuthority(directory, "Ours")
  const other = new OpensslAuthority(elsewhere, "Theirs")
  const files = authority.issue("api")
  const own = new X509Certificate(readFileSync(files.certificateFile))
  const openssl = (cwd: string, ...words: string[]) =>
    execFileSync("openssl", words, { cwd, stdio: ["ignore", "pipe", "pipe"] })
  const config = ["-config", "ca.cnf", "-cert", "ca.crt", "-keyfile", "ca.key"]
  const listOf = (cwd: string, days: number) => {
    openssl(cwd, "ca", ...config, "-gencrl", "-crldays", String(days), "-out", "list.pem")
    return readFileSync(join(cwd, "list.pem"))
  }
  const ca = readFileSync(files.caFile)
  const certificate = new X509Certificate(ca)
  const tls = { certificate: readFileSync(files.certificateFile), key: readFileSync(files.keyFile), ca }

  await t.test("an empty one, and one with a certificate", async (t) => {
    const [empty] = readRevocationLists(listOf(directory, 30)) ?? []
    t.equal(empty?.serials.size, 0)
    openssl(directory, "ca", ...config, "-revoke", files.certificateFile)
    const pem = listOf(directory, 30)
    const [list] = readRevocationLists(pem) ?? []
    t.strictSame([...(list?.serials.keys() ?? [])], [own.serialNumber])
    t.ok(Math.abs((list?.serials.get(own.serialNumber)?.atMs ?? 0) - Date.now()) < DAY_MS)
    t.ok(Math.abs((list?.expiresAtMs ?? 0) - Date.now() - 30 * DAY_MS) < DAY_MS)
    t.equal(list?.isOf(certificate), true)
    t.equal(tlsFaultOf({ ...tls, revocations: pem }, Date.now()), undefined)
  })

  await t.test("each fault is named", async (t) => {
    const pem = listOf(directory, 30)
    const faultOf = (revocations: Buffer, nowMs = Date.now(), authorities = ca) =>
      tlsFaultOf({ ...tls, ca: authorities, revocations }, nowMs)
    t.match(faultOf(Buffer.from("none")), { file: "revocations", sentence: /holds no list of revoked/ })
    t.match(faultOf(listOf(elsewhere, 30)), { sentence: /no list .* is signed by Ours with SHA-256/ })
    t.match(faultOf(pem, Date.now() + 31 * DAY_MS), {
      sentence: /of Ours expired at 20.*: issue the next one/,
    })
    const both = Buffer.concat([ca, readFileSync(join(elsewhere, "ca.crt"))])
    t.match(faultOf(pem, Date.now(), both), { sentence: /is signed by Theirs/ })
    t.equal(faultOf(Buffer.concat([pem, listOf(elsewhere, 30)]), Date.now(), both), undefined)
    t.ok(other)
  })

  await t.test("a list can be left out only with its authority", async (t) => {
    const former = { ...tls, revocations: listOf(directory, 30) }
    t.match(withdrawalIn(former, tls), { file: "revocations", sentence: /is gone: put it back/ })
    const theirs = readFileSync(join(elsewhere, "ca.crt"))
    t.equal(withdrawalIn(former, { ...tls, ca: theirs }), undefined)
    t.match(withdrawalIn(former, { ...tls, ca: Buffer.concat([theirs, ca]) }), { sentence: /is gone/ })
    t.equal(withdrawalIn(tls, former), undefined)
    t.equal(withdrawalIn(former, former), undefined)
  })

  await t.test("a list that was cut or altered anywhere is none, or not the authority's", async (t) => {
    writeFileSync(join(folder, "list"), listOf(directory, 30))
    const der = openssl(folder, "crl", "-in", "list", "-outform", "DER")
    t.equal(readRevocationList(der)?.isOf(certificate), true)
    for (let at = 0; at < der.length; at++) {
      t.equal(readRevocationList(der.subarray(0, at)), undefined)
      const altered = Buffer.from(der)
      altered[at]! ^= 1
      const list = readRevocationList(altered)
      if (list !== undefined && list.isOf(certificate)) t.fail(`the byte at ${at} counts for nothing`)
    }
  })
})

t.test("a list with an element behind its signature is none", async (t) => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const terms = { number: 1n, fromMs: 0, toMs: DAY_MS, revoked: new Map([["05", { atMs: 0 }]]) }
  const der = Buffer.from(derOfList(writeRevocationList(terms, { name: "Ours", privateKey })))
  t.equal(readRevocationList(der)?.serials.size, 1)
  const longer = Buffer.concat([der, Buffer.of(0x05, 0x00)])
  t.equal(der[1], 0x81, "its length has one byte more")
  longer[2] = (der[2] ?? 0) + 2
  t.equal(readRevocationList(longer), undefined)
})

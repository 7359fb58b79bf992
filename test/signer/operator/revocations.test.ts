// The authority's list of revoked certificates, judged by OpenSSL; and the place of the authority.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { readAnswer } from "../../../signer/core/join/answer.ts"
import { readRequest, writeRequest } from "../../../signer/core/join/request.ts"
import { readRevocationLists } from "../../../signer/core/crypto/revocations.ts"
import { CertificateAuthority } from "../../../signer/operator/authority/authority.ts"
import { placeOfAuthority, presentPlaceOf } from "../../../signer/operator/authority/place.ts"
import { readConfig } from "../../../signer/enclave/config.ts"
import { revoke } from "../../../signer/operator/certify.ts"
import { doctor } from "../../../signer/operator/doctor.ts"
import { newTlsKey } from "../../../signer/process/tls-key.ts"
import { hasOpenssl } from "../../harness/openssl-authority.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const skip = hasOpenssl() ? false : "no OpenSSL 3"

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "cs-revocations-"))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function issue(authority: CertificateAuthority, name: string, nowMs = Date.now()) {
  const line = writeRequest({ name, address: "", expiresAtMs: nowMs + DAY_MS }, newTlsKey())
  return authority.issue(readRequest(line), nowMs)
}

t.test("W131: OpenSSL refuses what the list revokes, and nothing else", { skip }, async (t) => {
  const directory = join(folder(t), "authority")
  const authority = CertificateAuthority.open(directory, Date.now())
  const certificates = {
    first: issue(authority, "api"),
    second: issue(authority, "api"),
    other: issue(authority, "api-2"),
  }
  for (const [name, certificate] of Object.entries(certificates))
    writeFileSync(join(directory, `${name}.pem`), certificate.toString())
  const openssl = (...words: string[]) => spawnSync("openssl", words, { cwd: directory, encoding: "utf8" })
  const judged = (name: string) =>
    openssl(
      "verify",
      "-x509_strict",
      "-crl_check_all",
      "-CAfile",
      "ca.crt",
      "-CRLfile",
      "ca.crl",
      `${name}.pem`,
    )
  const serial = certificates.first.serialNumber
  authority.revoke({ name: "api", serial: serial.toLowerCase() }, Date.now())
  t.match(openssl("crl", "-in", "ca.crl", "-CAfile", "ca.crt", "-noout"), { status: 0, stderr: /verify OK/ })
  t.match(judged("first"), { status: 2, stderr: /certificate revoked/ })
  for (const name of ["second", "other"]) t.match(judged(name), { status: 0, stdout: /: OK/ })
  authority.revoke({ name: "api", serial: undefined }, Date.now())
  for (const name of ["first", "second"]) t.match(judged(name), { status: 2, stderr: /certificate revoked/ })
  t.match(judged("other"), { status: 0 })
  const text = openssl("crl", "-in", "ca.crl", "-noout", "-text").stdout
  t.match(text, /X509v3 CRL Number/)
  t.equal(text.match(/Serial Number/g)?.length, 2)
})

t.test("W131: numbers of lists grow, also after the authority's folder was an older copy", async (t) => {
  const directory = join(folder(t), "authority")
  const authority = CertificateAuthority.open(directory, Date.now())
  for (let at = 0; at < 3; at++) issue(authority, `api-${at}`)
  const number = () => readRevocationLists(readFileSync(join(directory, "ca.crl")))?.[0]?.number ?? 0n
  const nowMs = Date.now()
  authority.revoke({ name: "api-0", serial: undefined }, nowMs)
  const first = number()
  authority.revoke({ name: "api-1", serial: undefined }, nowMs)
  t.equal(number(), first + 1n)
  rmSync(join(directory, "ca.crl"))
  authority.revoke({ name: "api-2", serial: undefined }, nowMs + 60_000)
  t.ok(number() > first + 1n)
})

t.test(
  "W145: a revocation names the number of its list, which the host of an earlier answer lacks",
  async (t) => {
    const dataDirectory = folder(t)
    const places = { dataDirectory, authorityDirectory: join(dataDirectory, "authority") }
    const authority = CertificateAuthority.open(places.authorityDirectory, Date.now())
    const early = authority.answerWith(issue(authority, "api"))
    const { lines, json } = await revoke({ process: "api", serial: "0a" }, places)
    const { list } = json as { list: string }
    t.match(lines.at(-1), new RegExp(`^It is list ${list}\\. A host that joins names its list too`))
    t.equal(readAnswer(early).listNumber, 0n)
    t.equal(String(readAnswer(authority.answerWith(issue(authority, "api"))).listNumber), list)
  },
)

t.test("what cannot be revoked is named, and changes nothing", async (t) => {
  const directory = join(folder(t), "authority")
  const authority = CertificateAuthority.open(directory, Date.now())
  t.throws(() => authority.revoke({ name: "api", serial: undefined }, Date.now()), {
    message: /no valid certificate of api was issued here/,
  })
  t.equal(authority.revocationFile, undefined)
  issue(authority, "api")
  const file = join(directory, "ca.crl")
  writeFileSync(`${file}.new`, "")
  t.throws(() => authority.revoke({ name: "api", serial: undefined }, Date.now()), {
    message: /another revocation is under way, or was interrupted/,
  })
  rmSync(`${file}.new`)
  authority.revoke({ name: "api", serial: undefined }, Date.now())
  t.throws(() => authority.revoke({ name: "api", serial: undefined }, Date.now()), {
    message: /revoked already/,
  })
  const stranger = CertificateAuthority.open(join(folder(t), "authority"), Date.now())
  issue(stranger, "api")
  stranger.revoke({ name: "api", serial: undefined }, Date.now())
  for (const list of ["no list", readFileSync(stranger.revocationFile!)]) {
    writeFileSync(file, list)
    t.throws(() => authority.revoke({ name: "api", serial: "0a" }, Date.now()), { message: /restore it/ })
  }
})

t.test("C-1771: the authority is where the setting says, or still where it was", async (t) => {
  const home = folder(t)
  const [dataDirectory, medium] = [join(home, "data"), join(home, "medium")]
  const places = { dataDirectory, authorityDirectory: medium }
  const usual = join(dataDirectory, "authority")
  t.strictSame(placeOfAuthority({ dataDirectory, authorityDirectory: usual }), { directory: usual })
  t.strictSame(placeOfAuthority(places), { directory: medium }, "a new deployment")
  CertificateAuthority.open(usual, Date.now())
  t.match(placeOfAuthority(places), {
    directory: usual,
    remark: /still lies in .*authority.*To move it: cp -a/,
  })
  t.equal(presentPlaceOf(places), usual)
  const warned = async (own: NodeJS.Dict<string>) => {
    const settings = {
      COUNTERSIGN_DATA_DIR: dataDirectory,
      COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY: medium,
      ...own,
    }
    return (await doctor(readConfig(settings))).lines.some((line) =>
      /^warn +authority: .*beside the root seed/i.test(line),
    )
  }
  t.equal(await warned({ COUNTERSIGN_PRODUCTION: "true" }), true)
  t.equal(await warned({}), false)
  const { remark = "" } = placeOfAuthority(places)
  mkdirSync(medium)
  spawnSync("sh", ["-euc", remark.slice(remark.indexOf("cp -a"))])
  t.notOk(existsSync(usual))
  t.strictSame(placeOfAuthority(places), { directory: medium }, "moved as the remark says")
  t.equal(await warned({ COUNTERSIGN_PRODUCTION: "true" }), false)
  CertificateAuthority.open(usual, Date.now())
  t.match(placeOfAuthority(places), { directory: medium, remark: /is not used: destroy its key/ })
  rmSync(usual, { recursive: true })
  mkdirSync(join(dataDirectory, "signer", "tls"), { recursive: true })
  writeFileSync(join(dataDirectory, "signer", "tls", "ca.crt"), "")
  renameSync(medium, `${medium}-away`)
  t.throws(() => placeOfAuthority(places), { message: /put its medium there, or restore it/ })
  t.equal(presentPlaceOf(places), usual)
})

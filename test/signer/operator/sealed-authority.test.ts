// The certificate authority whose key is sealed: holders alone issue, revoke and export. Certificates are judged by OpenSSL.
import { spawnSync } from "node:child_process"
import { createPrivateKey } from "node:crypto"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { SeedOwner } from "../../../proto/gen/countersign/state/v1/sealed_seed_pb.ts"
import { readAnswer } from "../../../signer/core/join/answer.ts"
import { readRequest, writeRequest } from "../../../signer/core/join/request.ts"
import { exportAuthority } from "../../../signer/operator/ceremony/export-authority.ts"
import { sealedAuthorityIn } from "../../../signer/operator/ceremony/authority-key.ts"
import { ceremony, changeShares } from "../../../signer/operator/ceremony/ceremony.ts"
import { certify, pairByLine, revoke } from "../../../signer/operator/certify.ts"
import { doctor } from "../../../signer/operator/doctor.ts"
import { newTlsKey } from "../../../signer/process/tls-key.ts"
import { hasOpenssl } from "../../harness/openssl-authority.ts"
import { CEREMONY } from "./ceremony/holders.ts"
import { sealedDeployment } from "./ceremony/sealed-deployment.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const ADDRESS = "signer.internal:7443"

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "cs-sealed-authority-"))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A sealed deployment of 2 of 3 with an authority whose key was in clear before. */
async function setup(t: Test) {
  const authorityDirectory = join(folder(t), "authority")
  const settings = { COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY: authorityDirectory }
  const keyFile = join(authorityDirectory, "ca.key")
  await certify({ address: ADDRESS, isRenewal: false }, places(authorityDirectory, folder(t)))
  const plain = readFileSync(keyFile, "utf8")
  const deployment = await sealedDeployment(t, { settings, own: { sealsAuthority: true } })
  return { ...deployment, authorityDirectory, keyFile, plain }
}

const places = (authorityDirectory: string, dataDirectory: string) => ({ authorityDirectory, dataDirectory })

/** The line by which an API asks for its certificate. */
function asked() {
  const line = writeRequest({ name: "api", address: "", expiresAtMs: Date.now() + DAY_MS }, newTlsKey())
  return { process: "api", line, words: readRequest(line).words }
}

t.test("W140: a ceremony seals the authority's key, and shares of its own alone open it", async (t) => {
  const { config, keyFile, plain, present, authorityDirectory } = await setup(t)
  const sealed = sealedAuthorityIn(authorityDirectory)
  t.match(sealed?.header, { owner: SeedOwner.AUTHORITY, shares: 3, threshold: 2 })
  t.strictSame(
    sealed?.header.slots.map(({ kind }) => kind.case),
    ["shares"],
    "the passphrase of the root seed is no way to it",
  )
  t.notOk(readFileSync(keyFile).includes(plain.split("\n")[1] ?? ""), "the key in clear is gone")
  t.equal(statSync(keyFile).mode & 0o777, 0o600)
  const before = present(1)
  const command = { address: ADDRESS, isRenewal: false }
  await t.rejects(
    certify(command, config, () => before),
    { message: /nothing was changed/ },
  )
  t.match(before.questions, [
    /^Present share 1 of the 2 that are needed for the certificate authority:$/,
    /^Present share 2/,
  ])
  t.notOk(existsSync(join(config.dataDirectory, "signer", "tls", "signer.crt")))
})

t.test(
  "W140: with a threshold of shares certificates are issued and revoked as before",
  { skip: hasOpenssl() ? false : "no OpenSSL 3" },
  async (t) => {
    const { config, present, authorityDirectory } = await setup(t)
    await certify({ address: ADDRESS, isRenewal: false }, config, () => present(1, 3))
    const { json } = await pairByLine(asked(), config, () => present(2, 3))
    const { answer, serial } = json as { answer: string; serial: string }
    writeFileSync(join(authorityDirectory, "api.crt"), readAnswer(answer).certificate.toString())
    const verify = (...words: string[]) =>
      spawnSync("openssl", ["verify", "-x509_strict", "-CAfile", "ca.crt", ...words, "api.crt"], {
        cwd: authorityDirectory,
        encoding: "utf8",
      })
    t.match(verify("-purpose", "sslclient"), { status: 0, stdout: /: OK/ })
    await revoke({ process: "api", serial }, config, () => present(1, 2))
    t.match(verify("-crl_check_all", "-CRLfile", "ca.crl"), { status: 2, stderr: /certificate revoked/ })
  },
)

t.test("W140: the key leaves its seal by an act of holders over this very file", async (t) => {
  const { config, keys, present, approve, plain, directory } = await setup(t)
  const file = join(directory, "exported.pem")
  const alone = present()
  await t.rejects(exportAuthority({ file, approvals: [] }, config, alone), {
    code: "APPROVALS_NEEDED",
    message: /export-authority needs the approval of 2 of 3 holders/,
  })
  const other = await approve({ act: "leave-production" }, keys.slice(0, 2))
  await t.rejects(exportAuthority({ file, approvals: other }, config, alone), { code: "APPROVAL_OTHER_ACT" })
  const one = await approve({ act: "export-authority" }, keys.slice(0, 1))
  await t.rejects(exportAuthority({ file, approvals: one }, config, alone), { code: "APPROVALS_TOO_FEW" })
  t.strictSame(alone.questions, [], "nothing was asked")
  const approvals = await approve({ act: "export-authority" }, keys.slice(1))
  await t.rejects(exportAuthority({ file, approvals }, config, present(1)), {
    message: /nothing was changed/,
  })
  t.notOk(existsSync(file))
  await exportAuthority({ file, approvals }, config, present(1, 2))
  const jwkOf = (pem: string) => createPrivateKey(pem).export({ format: "jwk" })
  t.strictSame(jwkOf(readFileSync(file, "utf8")), jwkOf(plain))
  t.equal(statSync(file).mode & 0o777, 0o600)
  await t.rejects(exportAuthority({ file, approvals }, config, present(1, 2)), {
    message: /is there already/,
  })
})

t.test("W140: an approval is of one sealed file, and ends with a change of shares", async (t) => {
  const { config, keys, present, approve, directory } = await setup(t)
  const { seedFile } = config
  const kept = (file: string) => {
    copyFileSync(file, `${file}.kept`)
    return `${file}.kept`
  }
  const approvals = (await approve({ act: "export-authority" }, keys.slice(1))).map(kept)
  const earlier = kept(seedFile)
  const text = await approve({ act: "change-shares", shares: 3, threshold: 2 }, keys.slice(1))
  const command = { ...CEREMONY, shares: 3, threshold: 2, sealsAuthority: true, approvals: text }
  await changeShares(command, config, present(1, 2, 1, 2))
  t.match(sealedAuthorityIn(config.authorityDirectory)?.header, { generation: 2 })
  const file = join(directory, "exported.pem")
  const run = () => exportAuthority({ file, approvals }, config, present())
  await t.rejects(run(), { code: "APPROVAL_FOREIGN" })
  copyFileSync(earlier, seedFile)
  await t.rejects(run(), { code: "APPROVAL_OTHER_ACT", message: /the file has changed since/ })
  t.notOk(existsSync(file))
})

t.test(
  "W140: the sealed seed of a process in the place of the authority's key is named, and nothing is asked",
  async (t) => {
    const { config, keyFile, present, directory, keys, approve } = await setup(t)
    const approvals = await approve({ act: "export-authority" }, keys)
    copyFileSync(config.seedFile, keyFile)
    const at = present(1, 2)
    const fault = { message: /is the sealed seed of the signer, and no key of an authority/ }
    await t.rejects(
      certify({ address: ADDRESS, isRenewal: false }, config, () => at),
      fault,
    )
    await t.rejects(exportAuthority({ file: join(directory, "out.pem"), approvals }, config, at), fault)
    const command = {
      ...CEREMONY,
      shares: 3,
      threshold: 2,
      sealsAuthority: true,
      fetcherSeed: config.seedFile,
    }
    await t.rejects(ceremony(command, config, at), { message: /sealed seed of the signer, not of the/ })
    t.strictSame(at.questions, [])
  },
)

t.test("C-1773: an authority that is not sealed is used as before, and production says so", async (t) => {
  const { config, present, directory } = await sealedDeployment(t)
  const inProduction = { ...config, isProduction: true }
  await certify({ address: ADDRESS, isRenewal: false }, config, () => present())
  const warned = async () => (await doctor(inProduction)).lines.join("\n")
  t.match(
    await warned(),
    /in clear beside the root seed: countersign-signer change-shares --authority seals it/,
  )
  await t.rejects(exportAuthority({ file: join(directory, "a.pem"), approvals: [] }, config, present()), {
    message: /is not sealed/,
  })
})

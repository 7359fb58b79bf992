// Certificates of mutual TLS that the operator revokes: real processes refuse them without a restart.
import { spawnSync } from "node:child_process"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { connect } from "node:tls"
import t from "tap"
import { readRequest, writeRequest } from "../../signer/core/join/request.ts"
import { CertificateAuthority } from "../../signer/operator/authority/authority.ts"
import { newTlsKey } from "../../signer/process/tls-key.ts"
import { freshDatabase } from "../harness/database.ts"
import { freePort } from "../harness/free-port.ts"
import { isLong } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const PATIENCE_MS = patienceMs(60_000)

type Files = { certificate: string; key: string; ca: string }

/** Repeats until the check holds; the last answer otherwise. */
async function until<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const value = await read()
    if (holds(value) || Date.now() > endMs) return value
  }
}

/** Connects as a gRPC client does. "answered": the server began HTTP/2; "refused": it closed before. Returns the session's ticket too. */
function tryConnection(port: number, files: Files, session?: Buffer) {
  const [cert, key, ca] = [files.certificate, files.key, files.ca].map((file) => readFileSync(file))
  const tls = connect({
    port,
    host: "localhost",
    servername: "localhost",
    ALPNProtocols: ["h2"],
    cert: cert!,
    key: key!,
    ca: ca!,
    ...(session && { session }),
  })
  let ticket: Buffer | undefined
  tls.on("session", (given: Buffer) => (ticket = given))
  return new Promise<{ is: "answered" | "refused"; isResumed: boolean; ticket: Buffer | undefined }>(
    (done) => {
      const end = (is: "answered" | "refused") => {
        done({ is, isResumed: tls.isSessionReused(), ticket })
        tls.destroy()
      }
      tls.on("error", () => end("refused"))
      tls.on("close", () => end("refused"))
      // A ticket comes with the first records.
      tls.once("data", () => setTimeout(end, 200, "answered"))
    },
  )
}

t.test("W131: signer, fetcher and API refuse revoked certificates, without a restart", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "cs-revoked-"))
  t.teardown(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const folder = (name: string) => join(home, name)
  const authorityFolder = join(home, "medium")
  const signerPort = await freePort()
  const fetcherPort = await freePort()
  const signerData = folder("signer-host")
  const operator = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["signer/operator/main.ts", ...words], {
      env: {
        PATH: process.env["PATH"],
        COUNTERSIGN_DATA_DIR: signerData,
        COUNTERSIGN_SIGNER_AUTHORITY_DIRECTORY: authorityFolder,
      },
      encoding: "utf8",
    })
    return { status, out: stdout, log: stderr }
  }
  t.match(operator("certificate", `localhost:${signerPort}`), { status: 0 })
  const signerFiles = filesIn(join(signerData, "signer", "tls"), "signer")

  /** Issues a certificate and puts it into the process's folder, as `join --answer` does. */
  const issue = (name: string, address: string, into = name): Files => {
    const authority = CertificateAuthority.open(authorityFolder, Date.now())
    const privateKey = newTlsKey()
    const request = readRequest(writeRequest({ name, address, expiresAtMs: Date.now() + DAY_MS }, privateKey))
    const certificate = authority.issue(request, Date.now())
    mkdirSync(folder(into), { recursive: true })
    const files = filesIn(folder(into), name)
    writeFileSync(files.ca, authority.certificate.toString())
    writeFileSync(files.certificate, certificate.toString())
    writeFileSync(files.key, privateKey.export({ format: "pem", type: "pkcs8" }))
    return files
  }
  const fetcherFiles = issue("fetcher", `localhost:${fetcherPort}`)
  const apiFiles = issue("api", "")
  const stolen = Object.fromEntries(
    Object.entries(apiFiles).map(([kind, file]) => {
      const copy = `${file}.stolen`
      copyFileSync(file, copy)
      return [kind, copy]
    }),
  ) as Files

  const served = (name: string, port: number, { certificate, key, ca }: Files) => ({
    [`COUNTERSIGN_${name}_LISTEN`]: `localhost:${port}`,
    [`COUNTERSIGN_${name}_TLS_CERTIFICATE_FILE`]: certificate,
    [`COUNTERSIGN_${name}_TLS_KEY_FILE`]: key,
    [`COUNTERSIGN_${name}_TLS_CA_FILE`]: ca,
  })
  const called = (name: string, port: number) => ({
    [`COUNTERSIGN_${name}_ADDRESS`]: `localhost:${port}`,
    [`COUNTERSIGN_${name}_CLIENT_CERTIFICATE_FILE`]: apiFiles.certificate,
    [`COUNTERSIGN_${name}_CLIENT_KEY_FILE`]: apiFiles.key,
    [`COUNTERSIGN_${name}_CA_FILE`]: apiFiles.ca,
  })
  const start = async (file: string, words: string[], environment: NodeJS.ProcessEnv, up: RegExp) => {
    const program = new Program({ file, words, environment })
    t.teardown(() => program.stop())
    await program.until(up)
    return program
  }
  const signerSettings = { COUNTERSIGN_DATA_DIR: signerData, ...served("SIGNER", signerPort, signerFiles) }
  const signer = await start("signer/enclave/main.ts", ["--init"], signerSettings, /signer is up/)
  const fetcher = await start(
    "signer/fetcher/main.ts",
    ["serve", "--init"],
    served("FETCHER", fetcherPort, fetcherFiles),
    /fetcher is up/,
  )
  const { url } = await freshDatabase(t)
  const listen = `127.0.0.1:${await freePort()}`
  const api = await start(
    "services/api/main.ts",
    [],
    {
      DATABASE_URL: url,
      COUNTERSIGN_API_LISTEN: listen,
      ...called("SIGNER", signerPort),
      ...called("FETCHER", fetcherPort),
    },
    /"listening"/,
  )
  const readyz = async () => {
    const reply = await fetch(`http://${listen}/readyz`)
    return { status: reply.status, ...((await reply.json()) as { signer: string; fetcher: string }) }
  }
  const list = join(authorityFolder, "ca.crl")

  t.match(await until(readyz, ({ signer: said }) => said === "ok"), { signer: "ok" })
  const before = await tryConnection(signerPort, stolen)
  t.match(before, { is: "answered", isResumed: false })
  const resumed = await tryConnection(signerPort, stolen, before.ticket)
  t.match(resumed, { is: "answered", isResumed: true }, "a ticket serves before the revocation")

  await t.test("the API's certificate is revoked", async (t) => {
    const revoked = operator("revoke", "api")
    t.match(revoked, { status: 0, out: /^revoked: api, serial [0-9a-f]+\nThe signer reads .*ca\.crl within/ })
    copyFileSync(list, join(folder("fetcher"), "ca.crl"))
    for (const program of [signer, fetcher])
      await program.until(/"the list of revoked certificates was renewed","revoked":"1"/)
    const sentence = /^the signer refuses this certificate \(api\)/
    const said = await until(readyz, (now) => sentence.test(now.signer))
    t.match(said, { status: 503, signer: sentence })
    for (const port of [signerPort, fetcherPort])
      t.match(await tryConnection(port, stolen), { is: "refused" })
    for (const program of [signer, fetcher])
      await program.until(
        /"a caller was refused","name":"api","address":"[^"]+","reason":"its certificate was revoked"/,
      )
    t.match(await tryConnection(signerPort, stolen, before.ticket), { is: "refused" }, "nor does a ticket")
    if (isLong) t.match(operator("revoke", "api"), { status: 3, log: /revoked already/ })
  })

  await t.test("a list that is gone or older brings no certificate back", async (t) => {
    const own = join(signerData, "signer", "tls", "ca.crl")
    const kept = readFileSync(own)
    renameSync(own, `${own}.away`)
    await signer.until(/the file with the list of revoked certificates is gone: put it back/)
    t.match(await tryConnection(signerPort, stolen), { is: "refused" })
    writeFileSync(own, kept)
    t.match(operator("revoke", "nobody", "--serial", "0a0b"), { status: 0 })
    await signer.until(/"the list of revoked certificates was renewed","revoked":"2"/)
    writeFileSync(own, kept)
    await signer.until(/the list of revoked certificates is older than the one in use/)
    t.match(await tryConnection(signerPort, stolen), { is: "refused" })
    copyFileSync(list, own)
  })

  await t.test("the API is served again with another certificate", async (t) => {
    issue("api", "")
    copyFileSync(list, join(folder("api"), "ca.crl"))
    await api.until(/"the certificate was renewed"/)
    t.match(await until(readyz, (now) => now.signer === "ok"), { signer: "ok" })
    t.match(await tryConnection(signerPort, stolen), { is: "refused" })
  })

  await t.test("the API refuses a signer whose certificate was revoked", async (t) => {
    t.match(operator("revoke", "signer"), { status: 0 })
    copyFileSync(list, join(folder("api"), "ca.crl"))
    const sentence = /^this API refuses the certificate of the signer \(signer\): certificate revoked/
    t.match(await until(readyz, (now) => sentence.test(now.signer)), { status: 503, signer: sentence })
    t.match(operator("certificate", `localhost:${signerPort}`, "--renew"), { status: 0 })
    t.match(await until(readyz, (now) => now.signer === "ok"), { signer: "ok" })
  })
})

const filesIn = (folder: string, name: string): Files => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
  ca: join(folder, "ca.crt"),
})

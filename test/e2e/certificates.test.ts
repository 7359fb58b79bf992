// Certificates of mutual TLS: faulty ones at the start, refused ones on both sides, and their renewal.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t, { type Test } from "tap"
import type { CertificateFiles } from "../harness/certificates.ts"
import { freshDatabase } from "../harness/database.ts"
import { hasOpenssl, OpensslAuthority } from "../harness/openssl-authority.ts"
import { casesOf } from "../harness/long.ts"
import { patienceMs } from "../harness/patience.ts"
import { Program } from "../harness/program.ts"
import { freePort } from "../harness/free-port.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const PATIENCE_MS = patienceMs(30_000)
const skip = hasOpenssl() ? false : "no OpenSSL 3"

type Environment = NodeJS.ProcessEnv
/** A program and its settings with certificates. */
type Start = { file: string; words?: string[]; settings: (files: CertificateFiles) => Environment }

const serverSettings = (service: string, address: string, files: CertificateFiles): Environment => ({
  [`COUNTERSIGN_${service}_LISTEN`]: address,
  [`COUNTERSIGN_${service}_TLS_CERTIFICATE_FILE`]: files.certificateFile,
  [`COUNTERSIGN_${service}_TLS_KEY_FILE`]: files.keyFile,
  [`COUNTERSIGN_${service}_TLS_CA_FILE`]: files.caFile,
})

const clientSettings = (service: string, address: string, files: CertificateFiles): Environment => ({
  [`COUNTERSIGN_${service}_ADDRESS`]: address,
  [`COUNTERSIGN_${service}_CLIENT_CERTIFICATE_FILE`]: files.certificateFile,
  [`COUNTERSIGN_${service}_CLIENT_KEY_FILE`]: files.keyFile,
  [`COUNTERSIGN_${service}_CA_FILE`]: files.caFile,
})

/** Every program that has a certificate. */
function starts(databaseUrl: string, address: string): Start[] {
  const api = { DATABASE_URL: databaseUrl, COUNTERSIGN_API_LISTEN: "127.0.0.1:0" }
  return [
    {
      file: "signer/enclave/main.ts",
      words: ["--init"],
      settings: (files) => serverSettings("SIGNER", address, files),
    },
    {
      file: "signer/fetcher/main.ts",
      words: ["serve", "--init"],
      settings: (files) => serverSettings("FETCHER", address, files),
    },
    {
      file: "services/api/main.ts",
      settings: (files) => ({ ...api, ...clientSettings("SIGNER", address, files) }),
    },
    {
      file: "services/api/main.ts",
      settings: (files) => ({ ...api, ...clientSettings("FETCHER", address, files) }),
    },
  ]
}

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), "cs-certificates-"))
  t.teardown(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  return path
}

/** Repeats until the check holds; its last answer otherwise. */
async function until<Value>(read: () => Promise<Value>, holds: (value: Value) => boolean): Promise<Value> {
  for (const endMs = Date.now() + PATIENCE_MS; ; await pause(100)) {
    const value = await read()
    if (holds(value) || Date.now() > endMs) return value
  }
}

t.test("no process starts with a certificate that cannot be used", { skip }, async (t) => {
  const directory = folder(t)
  const authority = new OpensslAuthority(join(directory, "authority"))
  const good = authority.issue("good")
  const faulty = (name: string) => authority.issue(name)
  const garbage = join(directory, "garbage")
  writeFileSync(garbage, "no PEM")
  const cases: [files: CertificateFiles, sentence: RegExp][] = [
    [
      authority.issue("old", { fromMs: Date.now() - 9 * DAY_MS, toMs: Date.now() - DAY_MS }),
      /old-\d\.crt: the certificate of old expired at 20[^ ]*Z, and it is 20[^ ]*Z; renew it/,
    ],
    [
      authority.issue("early", { fromMs: Date.now() + DAY_MS }),
      /early-\d\.crt: the certificate of early is valid from 20[^ ]*Z, and it is 20[^ ]*Z; check the clock/,
    ],
    [
      { ...good, keyFile: faulty("other").keyFile },
      /other-\d\.key: the key does not belong to the certificate of good/,
    ],
    [{ ...good, caFile: garbage }, /garbage: the file holds no certificate in PEM/],
    [{ ...good, keyFile: garbage }, /garbage: the file holds no private key in PEM/],
  ]
  const { url } = await freshDatabase(t)
  for (const { file, words = [], settings } of casesOf(3, starts(url, `localhost:${await freePort()}`))) {
    // All programs check by the same code.
    for (const [files, sentence] of file === "signer/fetcher/main.ts"
      ? casesOf(3, cases)
      : cases.slice(0, 1)) {
      const program = new Program({ file, words, environment: settings(files) })
      const status = await program.endedBefore(/"listening"|is up/)
      const last = program.output
        .trim()
        .split("\n")
        .filter((line) => !line.includes("created a deployment"))
      t.equal(status, 1, program.output)
      t.match(last, [sentence], `${file}: ${sentence}`)
      t.notMatch(program.output, /\.ts:|"stack"/)
      await program.stop()
    }
  }
})

t.test("refused certificates are named on both sides, and renewed ones are used", { skip }, async (t) => {
  const directory = folder(t)
  const ours = new OpensslAuthority(join(directory, "ours"), "Our authority")
  const theirs = new OpensslAuthority(join(directory, "theirs"), "Their authority")
  const address = `localhost:${await freePort()}`
  const { url } = await freshDatabase(t)
  /** Copies files to the paths that a process has; the key last, as an operator might. */
  const install = (name: string, { certificateFile, keyFile, caFile }: CertificateFiles) => {
    const base = join(directory, name)
    mkdirSync(base, { recursive: true })
    const installed = {
      certificateFile: join(base, "crt"),
      keyFile: join(base, "key"),
      caFile: join(base, "ca"),
    }
    copyFileSync(caFile, installed.caFile)
    copyFileSync(certificateFile, installed.certificateFile)
    copyFileSync(keyFile, installed.keyFile)
    return installed
  }

  const soon = ours.issue("signer", { toMs: Date.now() + 29 * DAY_MS })
  const signer = new Program({
    file: "signer/enclave/main.ts",
    words: ["--init"],
    environment: serverSettings("SIGNER", address, install("signer", soon)),
  })
  t.teardown(() => signer.stop())
  await signer.until(/signer is up/)
  await signer.until(/"warn".*"the certificate expires soon: renew it","name":"signer","expires":"20/)

  const listen = `127.0.0.1:${await freePort()}`
  const api = new Program({
    file: "services/api/main.ts",
    environment: {
      DATABASE_URL: url,
      COUNTERSIGN_API_LISTEN: listen,
      ...clientSettings("SIGNER", address, install("api", { ...theirs.issue("api"), caFile: soon.caFile })),
    },
  })
  t.teardown(() => api.stop())
  await api.until(/"listening"/)
  const readyz = async (of = listen) => {
    const reply = await fetch(`http://${of}/readyz`)
    return { status: reply.status, ...((await reply.json()) as { signer: string; fetcher: string }) }
  }
  const refusedBy = (form: RegExp) =>
    until(
      () => readyz(),
      ({ signer }) => form.test(signer),
    )

  t.test("the signer refuses a certificate of another authority", async (t) => {
    const sentence = /^the signer refuses this certificate \(api\)/
    t.match(await refusedBy(sentence), { status: 503, signer: sentence })
    await signer.until(
      /"a caller was refused","name":"api","address":"[^"]+:\d+","reason":"its certificate is not of the authority/,
    )
    await api.until(/"peer":"signer","reason":"the signer refuses this certificate \(api\)/)
    t.notMatch(api.output, /expires soon/)
  })

  t.test("the signer refuses a name that is not on its list", async (t) => {
    install("api", ours.issue("stranger"))
    const sentence =
      /^CALLER_UNKNOWN: refuses this certificate: its common name "stranger" is not on the list/
    t.match(await refusedBy(sentence), { status: 503, signer: sentence })
    await signer.until(
      /"a caller was refused","name":"stranger","address":"[^"]+:\d+","reason":"its name is not on the list/,
    )
    await api.until(/"the certificate was renewed"/)
  })

  t.test("files of which only one is renewed leave the former pair in use", async (t) => {
    const { certificateFile } = ours.issue("api")
    copyFileSync(certificateFile, join(directory, "api", "crt"))
    await api.until(/"reason":"the key does not belong to the certificate of api".*the former one stays/)
    t.match(await refusedBy(/"stranger"/), { signer: /"stranger"/ })
  })

  t.test("a renewed certificate is used by the next connection, without a restart", async (t) => {
    install("api", ours.issue("api"))
    t.match(
      await until(
        () => readyz(),
        ({ status }) => status === 200,
      ),
      { status: 200, signer: "ok" },
    )
  })

  t.test("the API refuses a signer of another authority", async (t) => {
    install("signer", { ...theirs.issue("signer"), caFile: soon.caFile })
    await signer.until(/"the certificate was renewed","name":"signer"/)
    // A process that starts now has a connection with this certificate only.
    const other = `127.0.0.1:${await freePort()}`
    const second = new Program({
      file: "services/api/main.ts",
      environment: {
        DATABASE_URL: url,
        COUNTERSIGN_API_LISTEN: other,
        ...clientSettings("SIGNER", address, install("second", ours.issue("api"))),
      },
    })
    t.teardown(() => second.stop())
    await second.until(/"reason":"this API refuses the certificate of the signer \(signer\): /)
    const sentence = /^this API refuses the certificate of the signer \(signer\)/
    const shown = await until(
      () => readyz(other),
      (said) => sentence.test(said.signer),
    )
    t.match(shown, { status: 503, signer: sentence })
    await signer.until(/"reason":"it ended the handshake: it may refuse this certificate"/)
  })
})

import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CertificateFiles } from "./certificates.ts"

const DAY_MS = 24 * 60 * 60 * 1000

const CONFIG = `
[ca]
default_ca = test
[test]
dir = .
database = index.txt
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
`

export type Validity = { fromMs?: number; toMs?: number }

/** A certificate authority that OpenSSL keeps in a folder. */
export class OpensslAuthority {
  readonly #directory: string
  #issued = 0

  constructor(directory: string, name = "authority") {
    this.#directory = directory
    mkdirSync(directory)
    writeFileSync(join(directory, "ca.cnf"), CONFIG)
    writeFileSync(join(directory, "index.txt"), "")
    this.#openssl(
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -keyout ca.key -out ca.crt",
      ["-subj", `/CN=${name}`],
    )
  }

  /** A certificate with key for a common name and the host `localhost`; by default for a year from yesterday. */
  issue(commonName: string, validity: Validity = {}): CertificateFiles {
    const { fromMs = Date.now() - DAY_MS, toMs = Date.now() + 365 * DAY_MS } = validity
    this.#issued += 1
    const base = `${commonName}-${this.#issued}`
    this.#openssl(
      "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -addext subjectAltName=DNS:localhost",
      ["-subj", `/CN=${commonName}`, "-keyout", `${base}.key`, "-out", `${base}.csr`],
    )
    this.#openssl(
      `ca -batch -notext -config ca.cnf -cert ca.crt -keyfile ca.key -startdate ${generalizedTime(fromMs)}`,
      ["-enddate", generalizedTime(toMs), "-in", `${base}.csr`, "-out", `${base}.crt`],
    )
    const path = (file: string) => join(this.#directory, file)
    return { certificateFile: path(`${base}.crt`), keyFile: path(`${base}.key`), caFile: path("ca.crt") }
  }

  #openssl(command: string, more: readonly string[]): void {
    const words = [...command.split(" "), ...more]
    execFileSync("openssl", words, { cwd: this.#directory, stdio: ["ignore", "ignore", "pipe"] })
  }
}

/** True if the machine has the version of OpenSSL that the documents use. */
export function hasOpenssl(): boolean {
  try {
    return execFileSync("openssl", ["version"]).toString().startsWith("OpenSSL 3")
  } catch {
    return false
  }
}

/** YYYYMMDDHHMMSSZ. */
function generalizedTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replaceAll(/[-:T]|\.\d+/g, "")
}

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { readRevocationLists, type RevocationList, revocationFileOf } from "../crypto/revocations.ts"
import type { Answer } from "./answer.ts"
import { JoinFault } from "./fault.ts"
import { requireName } from "./names.ts"
import { readRequest, type SignedRequest } from "./request.ts"

/** The file system as this room uses it. node:fs fits, and its caller hands it in. */
export type FileSystem = {
  existsSync(path: string): boolean
  mkdirSync(path: string, options: { recursive: true; mode: number }): unknown
  readFileSync(path: string, encoding: "utf8"): string
  renameSync(from: string, to: string): void
  rmSync(path: string, options: { force: true }): void
  writeFileSync(path: string, text: string, options: { mode: number; flag: "wx" }): void
}

/** PEM files of one end of mutual TLS. */
export type CertificatePaths = { certificate: string; key: string; ca: string }

/**
 * The files of one process in its folder: `NAME.key`, `NAME.crt` and `ca.crt`. While a request waits for its answer,
 * `NAME.request` holds its line and `NAME.key.new` its key: the files in use stay as they are.
 */
export class JoinFiles {
  readonly paths: CertificatePaths
  readonly #fs: FileSystem
  readonly #directory: string
  readonly #request: string
  readonly #newKey: string

  constructor(fs: FileSystem, directory: string, name: string) {
    const base = `${directory}/${requireName(name)}`
    this.paths = { certificate: `${base}.crt`, key: `${base}.key`, ca: `${directory}/ca.crt` }
    this.#fs = fs
    this.#directory = directory
    this.#request = `${base}.request`
    this.#newKey = `${base}.key.new`
  }

  /** The certificate in use; undefined if there is none. */
  get certificate(): X509Certificate | undefined {
    return this.#readCertificate(this.paths.certificate)
  }

  /** The authority in use; undefined if there is none. */
  get authority(): X509Certificate | undefined {
    return this.#readCertificate(this.paths.ca)
  }

  /** True if a key or a certificate is in use, whatever its content. */
  get areThere(): boolean {
    return [this.paths.certificate, this.paths.key].some((path) => this.#fs.existsSync(path))
  }

  /** The list of what this authority revoked, as it lies here; undefined: there is none. */
  listOf(authority: X509Certificate): RevocationList | undefined {
    const file = revocationFileOf(this.paths.ca)
    return this.#fs.existsSync(file)
      ? listsIn(this.#read(file)).find((list) => list.isOf(authority))
      : undefined
  }

  /** Keeps a new key and the request that was made with it. A request that waits already is forgotten. */
  begin(privateKey: KeyObject, line: string): void {
    this.#fs.mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    this.#write(this.#newKey, pemOf(privateKey))
    this.#write(this.#request, `${line}\n`)
  }

  /** The request that waits for its answer, with its key; undefined: none does. */
  pending(): (SignedRequest & { privateKey: KeyObject }) | undefined {
    if (!this.#fs.existsSync(this.#request)) return undefined
    const request = readRequest(this.#read(this.#request))
    // If the new key is missing, the request was answered and its installation was interrupted.
    const key = this.#fs.existsSync(this.#newKey) ? this.#newKey : this.paths.key
    return { ...request, privateKey: createPrivateKey(this.#read(key)) }
  }

  /**
   * Puts key, certificate and authority into their places. A running process reads all three again and uses them once they
   * fit together. The request is forgotten last: an installation that was interrupted can be repeated.
   */
  install({ certificate, authority, revocations }: Omit<Answer, "servers">): void {
    const { paths } = this
    this.#write(`${paths.ca}.new`, authority.toString())
    this.#write(`${paths.certificate}.new`, certificate.toString())
    this.#fs.renameSync(`${paths.ca}.new`, paths.ca)
    this.#setForeignListAside(authority)
    if (revocations !== undefined) this.#installList(revocations, authority)
    if (this.#fs.existsSync(this.#newKey)) this.#fs.renameSync(this.#newKey, paths.key)
    this.#fs.renameSync(`${paths.certificate}.new`, paths.certificate)
    this.#fs.rmSync(this.#request, { force: true })
  }

  /** A list of what a former authority revoked could not be used with another one, and nothing of the former one counts. */
  #setForeignListAside(authority: X509Certificate): void {
    const file = revocationFileOf(this.paths.ca)
    if (this.#fs.existsSync(file) && this.listOf(authority) === undefined)
      this.#fs.renameSync(file, `${file}.former`)
  }

  /** It is in its place before the certificate is. A list that is here stays unless this one is later. */
  #installList(list: string, authority: X509Certificate): void {
    const file = revocationFileOf(this.paths.ca)
    const [next] = listsIn(list)
    const present = this.listOf(authority)
    if (next === undefined || (present !== undefined && present.number >= next.number)) return
    this.#write(`${file}.new`, list)
    this.#fs.renameSync(`${file}.new`, file)
  }

  #readCertificate(path: string): X509Certificate | undefined {
    if (!this.#fs.existsSync(path)) return undefined
    try {
      return new X509Certificate(this.#read(path))
    } catch (cause) {
      throw new JoinFault("refused", `${path} holds no certificate in PEM: move it away`, { cause })
    }
  }

  #read(path: string): string {
    return this.#fs.readFileSync(path, "utf8")
  }

  /** Replaces the file; its mode counts only where a file is created. */
  #write(path: string, text: string): void {
    this.#fs.rmSync(path, { force: true })
    this.#fs.writeFileSync(path, text, { mode: 0o600, flag: "wx" })
  }
}

const listsIn = (text: string) => readRevocationLists(Buffer.from(text)) ?? []

function pemOf(privateKey: KeyObject): string {
  return privateKey.export({ format: "pem", type: "pkcs8" }) as string
}

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeAnswer } from "../../core/join/answer.ts"
import { JoinFault } from "../../core/join/fault.ts"
import { hostOf, isServerName, type JoinedServer, SERVERS } from "../../core/join/names.ts"
import { CLOCK_SKEW_MS, requireTimely, type SignedRequest } from "../../core/join/request.ts"
import { newTlsKey } from "../../process/tls-key.ts"
import { readRevocationLists, type RevocationList } from "../../core/crypto/revocations.ts"
import { type Purpose, writeCertificate } from "./certificate.ts"
import { AUTHORITY_KEY } from "./place.ts"
import { writeRevocationList } from "./revocation-list.ts"

const DAY_MS = 24 * 60 * 60 * 1000
const AUTHORITY_DAYS = 3650
const CERTIFICATE_DAYS = 365

/** Certificates to revoke. `serial`: hexadecimal; undefined: all of the name. */
export type Revocation = { name: string; serial: string | undefined }

/**
 * The deployment's certificate authority, in a folder of mode 0700 on the signer's host: `ca.key` in PEM or sealed, `ca.crt`, `ca.crl` once a certificate
 * was revoked, `issued/` with each certificate under the digest of its request, and the address of each server.
 */
export class CertificateAuthority {
  readonly certificate: X509Certificate
  readonly #directory: string
  readonly #privateKey: KeyObject

  private constructor(directory: string, certificate: X509Certificate, privateKey: KeyObject) {
    this.#directory = directory
    this.certificate = certificate
    this.#privateKey = privateKey
  }

  /**
   * Opens the authority, and makes it if there is none. `opened`: its key, where the file is sealed.
   *
   * @throws {JoinFault} when its files do not fit together
   */
  static open(directory: string, nowMs: number, opened?: KeyObject): CertificateAuthority {
    mkdirSync(join(directory, "issued"), { recursive: true, mode: 0o700 })
    const [keyFile, certificateFile] = [join(directory, AUTHORITY_KEY), join(directory, "ca.crt")]
    if (!existsSync(keyFile)) {
      if (existsSync(certificateFile)) throw new JoinFault("refused", `${keyFile} is missing: restore it`)
      writeOnce(keyFile, newTlsKey().export({ format: "pem", type: "pkcs8" }) as string)
    }
    const privateKey = opened ?? createPrivateKey(readFileSync(keyFile))
    if (!existsSync(certificateFile)) writeOnce(certificateFile, selfSigned(privateKey, nowMs).toString())
    const certificate = new X509Certificate(readFileSync(certificateFile))
    if (!certificate.checkPrivateKey(privateKey))
      throw new JoinFault("refused", `${keyFile} is not the key of ${certificateFile}: restore both`)
    return new CertificateAuthority(directory, certificate, privateKey)
  }

  /** Servers that have a certificate. */
  get servers(): JoinedServer[] {
    return SERVERS.flatMap((name) => {
      const file = this.#addressFile(name)
      return existsSync(file) ? [{ name, address: readFileSync(file, "utf8").trim() }] : []
    })
  }

  /** @throws {JoinFault} when the request expired, or has its certificate already */
  requireOpen(request: SignedRequest, nowMs: number): void {
    requireTimely(request, nowMs)
    const file = this.#issuedFile(request)
    if (existsSync(file)) throw usedAlready(file)
  }

  /** Issues the certificate that a request asks for, once. @throws {JoinFault} */
  issue(request: SignedRequest, nowMs: number): X509Certificate {
    this.requireOpen(request, nowMs)
    const { name, address, publicKey } = request
    const purpose: Purpose = isServerName(name)
      ? { kind: "server", host: hostOf(address) }
      : { kind: "caller" }
    const terms = { name, publicKey, purpose, serial: newSerial(), ...this.#validityAt(nowMs) }
    const issuer = { name: commonNameOf(this.#privateKey), privateKey: this.#privateKey }
    const certificate = new X509Certificate(writeCertificate(terms, issuer))
    this.#record(this.#issuedFile(request), certificate)
    if (isServerName(name)) writeFileSync(this.#addressFile(name), `${address}\n`, { mode: 0o600 })
    return certificate
  }

  /** The line that brings a certificate to the host that asked. */
  answerWith(certificate: X509Certificate): string {
    const { servers, revocations, certificate: authority } = this
    return writeAnswer({ certificate, authority, servers, revocations }, this.#privateKey)
  }

  /** The list of revoked certificates; undefined: none was revoked. */
  get revocationFile(): string | undefined {
    return existsSync(this.#revocationFile) ? this.#revocationFile : undefined
  }

  /** The list in PEM; undefined: none was revoked. @throws {JoinFault} when it is not this authority's */
  get revocations(): string | undefined {
    return this.#presentList() === undefined ? undefined : readFileSync(this.#revocationFile, "utf8")
  }

  /**
   * Revokes every valid certificate of a process, or the one of a serial number, for good.
   *
   * @returns serial numbers that were not revoked before, and the list in PEM with its number
   * @throws {JoinFault} when there is none to revoke
   */
  revoke({ name, serial }: Revocation, nowMs: number): { serials: string[]; list: string; number: bigint } {
    const present = this.#presentList()
    const named = serial === undefined ? this.#validOf(name, nowMs) : [serial.toUpperCase()]
    if (named.length === 0)
      throw new JoinFault(
        "refused",
        `no valid certificate of ${name} was issued here; --serial revokes one by its number`,
      )
    const serials = named.filter((each) => present?.serials.has(each) !== true)
    if (serials.length === 0)
      throw new JoinFault(
        "refused",
        `revoked already: ${named.join(", ").toLowerCase()}. Nothing was changed`,
      )
    const revoked = new Map(present?.serials)
    for (const each of serials) revoked.set(each, { atMs: nowMs })
    const number = numberAfter(present?.number ?? 0n, nowMs)
    const list = this.#listOf(revoked, { number, nowMs })
    this.#replaceList(list)
    return { serials, list, number }
  }

  #listOf(revoked: RevocationList["serials"], { number, nowMs }: { number: bigint; nowMs: number }): string {
    const times = { fromMs: nowMs - CLOCK_SKEW_MS, toMs: Date.parse(this.certificate.validTo) }
    const issuer = { name: commonNameOf(this.#privateKey), privateKey: this.#privateKey }
    return writeRevocationList({ number, revoked, ...times }, issuer)
  }

  /** @throws {JoinFault} when the list is not this authority's: a new one would forget what it revokes */
  #presentList(): RevocationList | undefined {
    const file = this.revocationFile
    if (file === undefined) return undefined
    const [list] = readRevocationLists(readFileSync(file)) ?? []
    if (list?.isOf(this.certificate) === true) return list
    throw new JoinFault("refused", `${file} is no list of revoked certificates of this authority: restore it`)
  }

  /** Whole or not at all. Another revocation at this moment is refused, so that none is lost. */
  #replaceList(list: string): void {
    const unfinished = `${this.#revocationFile}.new`
    try {
      writeOnce(unfinished, list)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
      const sentence = `${unfinished} is there: another revocation is under way, or was interrupted. In that case remove it, and try again`
      throw new JoinFault("refused", sentence, { cause })
    }
    try {
      renameSync(unfinished, this.#revocationFile)
    } finally {
      rmSync(unfinished, { force: true })
    }
  }

  /** Serial numbers of certificates of a name that have not expired. */
  #validOf(name: string, nowMs: number): string[] {
    const folder = join(this.#directory, "issued")
    return readdirSync(folder)
      .filter((file) => file.endsWith(".crt"))
      .map((file) => new X509Certificate(readFileSync(join(folder, file))))
      .filter(({ subject, validTo }) => subject === `CN=${name}` && Date.parse(validTo) > nowMs)
      .map(({ serialNumber }) => serialNumber)
  }

  get #revocationFile(): string {
    return join(this.#directory, "ca.crl")
  }

  /** A certificate does not outlive its authority. */
  #validityAt(nowMs: number): { fromMs: number; toMs: number } {
    const endMs = Date.parse(this.certificate.validTo)
    if (nowMs < endMs)
      return { fromMs: nowMs - CLOCK_SKEW_MS, toMs: Math.min(nowMs + CERTIFICATE_DAYS * DAY_MS, endMs) }
    const sentence = `the authority in ${this.#directory} expired at ${new Date(endMs).toISOString()}`
    throw new JoinFault("refused", `${sentence}: move the folder away, and let each process join again`)
  }

  /** Keeps the certificate, which spends its request. @throws {JoinFault} when another process was faster */
  #record(file: string, certificate: X509Certificate): void {
    try {
      writeOnce(file, certificate.toString())
    } catch (cause) {
      throw (cause as NodeJS.ErrnoException).code === "EEXIST" ? usedAlready(file, cause) : cause
    }
  }

  #issuedFile({ digest }: SignedRequest): string {
    return join(this.#directory, "issued", `${digest}.crt`)
  }

  #addressFile(name: string): string {
    return join(this.#directory, `${name}.address`)
  }
}

/** A list's number follows the time, so that it exceeds the number of a list that was lost with its folder. */
function numberAfter(last: bigint, nowMs: number): bigint {
  const seconds = BigInt(Math.floor(nowMs / 1000))
  return seconds > last ? seconds : last + 1n
}

function usedAlready(file: string, cause?: unknown): JoinFault {
  const sentence = `the request was used already, ${file} is its certificate: make a new request`
  return new JoinFault("refused", sentence, { cause })
}

function selfSigned(privateKey: KeyObject, nowMs: number): X509Certificate {
  const name = commonNameOf(privateKey)
  const validity = { fromMs: nowMs - CLOCK_SKEW_MS, toMs: nowMs + AUTHORITY_DAYS * DAY_MS }
  const terms = { name, publicKey: createPublicKey(privateKey), serial: newSerial(), ...validity }
  return new X509Certificate(
    writeCertificate({ ...terms, purpose: { kind: "authority" } }, { name, privateKey }),
  )
}

/** Authorities with other keys have other names, so that both can be in one file while one replaces the other. */
function commonNameOf(privateKey: KeyObject): string {
  const spki = createPublicKey(privateKey).export({ format: "der", type: "spki" })
  return `countersign ${createHash("sha256").update(spki).digest("hex").slice(0, 16)}`
}

/** 127 random bits. */
function newSerial(): Uint8Array {
  const serial = randomBytes(16)
  serial[0] = (serial[0] ?? 0) & 0x7f
  return serial
}

/** @throws EEXIST when there is such a file */
function writeOnce(file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600, flag: "wx" })
}

import {
  certificateOf,
  revocationsIn,
  type TlsFault,
  type TlsFiles,
  tlsFaultOf,
  withdrawalIn,
} from "./certificate.ts"
import { readRevocationLists } from "./revocations.ts"

type Fields = { [name: string]: string }

/** The process around a certificate: its files, clock and log. */
export type CertificateHost = {
  /** @throws the file system's error */
  read(): TlsFiles
  nowMs(): number
  log(level: "info" | "warn", message: string, fields: Fields): void
}

/** Interval in which a process reads its files again. */
export const CERTIFICATE_REFRESH_MS = 5_000

const DAY_MS = 24 * 60 * 60 * 1000
const WARNED_BEFORE_MS = 30 * DAY_MS

/**
 * The certificate of one end of mutual TLS. It is renewed from its files without a restart. Files that cannot be used,
 * for example while they are being written, leave the former content in use.
 */
export class RenewedCertificate {
  readonly #host: CertificateHost
  #files: TlsFiles
  #warnedAtMs = -Infinity
  #reportedFault = ""

  private constructor(host: CertificateHost, files: TlsFiles) {
    this.#host = host
    this.#files = files
    this.#host.log("info", revocationsIn(files), {})
    this.#warnOfExpiry()
  }

  /** @returns why the files cannot be used */
  static open(host: CertificateHost): RenewedCertificate | TlsFault {
    const files = host.read()
    return tlsFaultOf(files, host.nowMs()) ?? new RenewedCertificate(host, files)
  }

  get files(): TlsFiles {
    return this.#files
  }

  /** Reads the files again and warns daily of expiry. To be called every CERTIFICATE_REFRESH_MS. */
  refresh(): "renewed" | "unchanged" {
    const renewed = this.#readChanged()
    if (renewed !== undefined) this.#use(renewed)
    this.#warnOfExpiry()
    return renewed === undefined ? "unchanged" : "renewed"
  }

  #use(renewed: TlsFiles): void {
    const former = this.#files
    this.#files = renewed
    if (TERMS.some((file) => !renewed[file].equals(former[file]))) {
      this.#warnedAtMs = -Infinity
      const { name, expiresAtMs } = certificateOf(renewed)
      this.#host.log("info", "the certificate was renewed", { name, expires: iso(expiresAtMs) })
    }
    const { revocations } = renewed
    if (revocations === undefined || isSameList(revocations, former.revocations)) return
    const revoked = (readRevocationLists(revocations) ?? []).reduce(
      (sum, { serials }) => sum + serials.size,
      0,
    )
    this.#host.log("info", "the list of revoked certificates was renewed", { revoked: String(revoked) })
  }

  /** The content of the files when it is new and can be used. A lasting fault is logged once. */
  #readChanged(): TlsFiles | undefined {
    try {
      const files = this.#host.read()
      const isSame =
        TERMS.every((file) => files[file].equals(this.#files[file])) &&
        isSameList(files.revocations, this.#files.revocations)
      const fault = isSame
        ? undefined
        : (tlsFaultOf(files, this.#host.nowMs()) ?? withdrawalIn(this.#files, files))
      this.#reportFault(fault?.sentence ?? "")
      return isSame || fault !== undefined ? undefined : files
    } catch (error) {
      const { code = "unknown fault", path = "a file" } = error as { code?: string; path?: string }
      this.#reportFault(`${path} cannot be read (${code})`)
      return undefined
    }
  }

  #reportFault(reason: string): void {
    if (reason !== "" && reason !== this.#reportedFault)
      this.#host.log("warn", "the new certificate cannot be used, the former one stays", { reason })
    this.#reportedFault = reason
  }

  #warnOfExpiry(): void {
    const nowMs = this.#host.nowMs()
    const { name, expiresAtMs } = certificateOf(this.#files)
    if (nowMs < expiresAtMs - WARNED_BEFORE_MS || nowMs < this.#warnedAtMs + DAY_MS) return
    this.#warnedAtMs = nowMs
    const message =
      nowMs < expiresAtMs ? "the certificate expires soon: renew it" : "the certificate has expired"
    this.#host.log("warn", message, { name, expires: iso(expiresAtMs) })
  }
}

const TERMS = ["certificate", "key", "ca"] as const

function isSameList(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other)
}

const iso = (timeMs: number): string => new Date(timeMs).toISOString()

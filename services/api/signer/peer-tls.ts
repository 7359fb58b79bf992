import * as fs from "node:fs"
import { connect, type TLSSocket } from "node:tls"
import type { Socket } from "node:net"
import { CallCredentials, ChannelCredentials } from "@grpc/grpc-js"
import {
  type CertificateTerms,
  certificateOf,
  pathOfFile,
  readTlsFiles,
  termsOf,
  type TlsPaths,
  verifiedBy,
} from "../../../signer/core/crypto/certificate.ts"
import {
  CERTIFICATE_REFRESH_MS,
  RenewedCertificate,
} from "../../../signer/core/crypto/renewed-certificate.ts"
import { FAULT, StartError } from "../../../signer/core/settings/start-fault.ts"
import type { Logger } from "../../common/logger.ts"
import type { Link, LinkedProcess, ShownCertificate } from "./links.ts"

/** A lasting fault is logged again after this time. */
const REPEATED_MS = 60_000

export type { TlsPaths }

/** Mutual TLS with a trusted process. The certificate is renewed from its files; refusals of either side are kept. */
export class PeerTls implements Link {
  readonly #peer: LinkedProcess
  readonly #log: Logger
  readonly #certificate: RenewedCertificate
  readonly #listeners: (() => void)[] = []
  #fault: string | undefined
  #shown: CertificateTerms | undefined
  #latest: TLSSocket | undefined
  #logged = { sentence: "", atMs: 0 }

  /** @throws {StartError} when a file cannot be used */
  constructor(peer: LinkedProcess, paths: TlsPaths, log: Logger) {
    this.#peer = peer
    this.#log = log
    this.#certificate = openCertificate(peer, paths, log)
    setInterval(() => {
      if (this.#certificate.refresh() === "renewed") for (const listener of this.#listeners) listener()
    }, CERTIFICATE_REFRESH_MS).unref()
  }

  /** Calls back when the certificate was renewed: connections that were made with the former one are to end. */
  onRenewed(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** The side that refused the other's certificate, and its reason; undefined if this process knows of no refusal. */
  get fault(): string | undefined {
    return (this.#latest?.bytesRead ?? 0) > 0 ? undefined : this.#fault
  }

  /** The certificate of this process and, once it was connected, of the peer. */
  get certificates(): readonly ShownCertificate[] {
    return [
      { holder: "api", ...certificateOf(this.#certificate.files) },
      ...(this.#shown === undefined ? [] : [{ holder: this.#peer, ...this.#shown }]),
    ]
  }

  credentials(): ChannelCredentials {
    return new PeerCredentials(this)
  }

  /** Opens TLS over a connection to `host`, the name that the peer's certificate must hold. */
  connect(socket: Socket, host: string): Promise<TLSSocket> {
    this.#fault = undefined
    this.#latest = undefined
    const { files } = this.#certificate
    const { certificate, key } = files
    const own = certificateOf(files).name
    return new Promise((resolve, reject) => {
      const options = { cert: certificate, key, host, servername: host, ALPNProtocols: ["h2"] }
      const tls = connect({ ...verifiedBy(files), ...options, socket, rejectUnauthorized: true })
      let name = "a caller without a certificate"
      // Once the certificate is refused its name is gone.
      tls.prependOnceListener("secure", () => (name = nameOf(tls) ?? name))
      tls.on("error", (error: NodeJS.ErrnoException) => {
        if (tls.authorizationError || error.code === "ERR_TLS_CERT_ALTNAME_INVALID")
          this.#refused(`this API refuses the certificate of the ${this.#peer} (${name}): ${error.message}`)
        reject(error)
      })
      // TLS 1.3 ends for the client before the server has looked at its certificate.
      tls.once("close", () => {
        if (tls.authorized && tls.bytesRead === 0)
          this.#refused(
            `the ${this.#peer} refuses this certificate (${own}): it closed the connection after the TLS handshake; its log says why`,
          )
      })
      tls.once("secureConnect", () => {
        this.#latest = tls
        const shown = tls.getPeerX509Certificate()
        if (shown !== undefined) this.#shown = termsOf([shown])
        resolve(tls)
      })
    })
  }

  #refused(sentence: string): void {
    this.#fault = sentence
    const nowMs = performance.now()
    if (sentence === this.#logged.sentence && nowMs - this.#logged.atMs < REPEATED_MS) return
    this.#logged = { sentence, atMs: nowMs }
    this.#log.warn({ peer: this.#peer, reason: sentence }, "a TLS handshake was refused")
  }
}

function nameOf(tls: TLSSocket): string | undefined {
  const name = tls.getPeerCertificate().subject?.CN
  return name === undefined ? undefined : String(name)
}

function openCertificate(peer: LinkedProcess, paths: TlsPaths, log: Logger): RenewedCertificate {
  const opened = RenewedCertificate.open({
    read: () => readTlsFiles(paths, fs),
    nowMs: () => Date.now(),
    log: (level, message, fields) => log[level]({ peer, ...fields }, message),
  })
  if (opened instanceof RenewedCertificate) return opened
  throw new StartError(FAULT, `${pathOfFile(opened.file, paths)}: ${opened.sentence}`)
}

// These method names are those of grpc-js.
/* oxlint-disable no-underscore-dangle */
class PeerCredentials extends ChannelCredentials {
  readonly #tls: PeerTls

  constructor(tls: PeerTls) {
    super()
    this.#tls = tls
  }

  _isSecure(): boolean {
    return true
  }

  _equals(other: ChannelCredentials): boolean {
    return other === this
  }

  _createSecureConnector(...[{ path }]: Parameters<ChannelCredentials["_createSecureConnector"]>) {
    const host = path.replace(/:\d+$/, "")
    return {
      connect: async (socket: Socket) => ({ socket: await this.#tls.connect(socket, host), secure: true }),
      waitForReady: () => Promise.resolve(),
      getCallCredentials: () => CallCredentials.createEmpty(),
      destroy: () => undefined,
    }
  }
}
